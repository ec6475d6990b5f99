// bindings/buffer.h - the core's buffer as Python may use it: steps in, files; what it is drawn
// from with is its Reader.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>

#include "bindings/arrays.h"
#include "bindings/reader.h"

namespace mneme::python {

namespace nb = nanobind;

class Buffer : public Reader {
 public:
  /// `present`: column name -> function that turns its array into what the user sees.
  Buffer(const ReplayConfig& config, nb::dict present);
  /// One that is on disk already: to continue it, to read it, or as a copy in memory.
  enum class From { writing, reading, memory };
  Buffer(const std::string& path, From how, nb::dict present);

  void add(nb::handle observation, nb::handle action, nb::handle reward,
           nb::handle next_observation, nb::handle terminated, nb::handle truncated,
           nb::handle stream, nb::handle fields);
  /// Consecutive steps at once: arrays of time, or of time x streams, before the shape of a row.
  void extend(nb::handle observation, nb::handle action, nb::handle reward,
              nb::handle next_observation, nb::handle terminated, nb::handle truncated,
              nb::handle stream, nb::handle fields);
  /// Rows as they were stored into a dict of arrays; `ends` takes what the core's `read` says.
  void read(Index stream, Index first, Index count, nb::dict out, nb::handle ends) const;
  /// Rows by their ids, in any order, into a dict of arrays; found[k]: whether row k is still there.
  void gather(nb::handle ids, nb::dict out, nb::handle found) const;
  std::uint64_t added() const { return core()->added(); }
  std::uint64_t added(Index stream) const { return core()->added(stream); }
  void trust_flags(bool trust) { core()->trust_flags(trust); }
  void cut(Index stream);
  std::unique_ptr<Reader> add_reader(const std::string& name, const SamplingConfig& config);
  std::unique_ptr<Reader> find_reader(const std::string& name) const;
  void commit();
  void save(const std::string& path);
  /// Commits what is on disk and lets go of the rows once no call uses them any more.
  void close();
  /// Closes without a commit.
  void abandon() { shared()->close(); }
  bool closed() const { return shared()->closed(); }
  Index size() const { return core()->size(); }
  Index size(Index stream) const { return core()->size(stream); }
  std::uint64_t cuts() const { return core()->cuts(); }
  using Reader::config;

 private:
  void check_row(const char* name, const ArrayIn& given, const FieldSpec& spec, bool vector) const;
  /// Once, where most rows do not continue their predecessors although windows span several steps.
  void warn_of_cuts(ReplayBuffer& buffer);
  void warn_if_narrowed(const char* name, const ArrayIn& given, DType stored, std::size_t field);

  Buffer(std::shared_ptr<ReplayBuffer> core, nb::dict present);

  std::size_t row_bytes_;
  std::uint64_t declared_ = 0;     // cuts that the caller declared
  std::uint64_t next_look_ = 100;  // rows after which the cuts are counted
  std::vector<bool> warned_;       // per field: that float64 is narrowed
  bool commits_ = false;           // on disk, and ours to write
  std::mutex writing_;          // the core: one writer at a time; readers take turns by themselves
  std::vector<float> rewards_;  // of the step being added
};

}  // namespace mneme::python
