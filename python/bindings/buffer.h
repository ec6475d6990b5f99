// bindings/buffer.h - the core's buffer as Python may use it: from any thread, after close, after a
// fork.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>

#include "bindings/arrays.h"
#include "bindings/batch.h"
#include "mneme/replay_buffer.h"

namespace mneme::python {

namespace nb = nanobind;

class Buffer {
 public:
  /// `present`: column name -> function that turns its array into what the user sees.
  Buffer(const ReplayConfig& config, nb::dict present);
  /// One that is on disk already: to go on with it, to look at it, or as a copy in memory.
  enum class From { writing, reading, memory };
  Buffer(const std::string& path, From how, nb::dict present);

  void add(nb::handle observation, nb::handle action, nb::handle reward,
           nb::handle next_observation, nb::handle terminated, nb::handle truncated,
           nb::handle stream, nb::handle fields);
  nb::object sample(Index rows, nb::handle out);
  FeedbackReport update_priorities(nb::handle ids, nb::handle td_errors);
  void cut(Index stream);
  void set_progress(double progress);
  LiveDiagnostics diagnostics() const;
  void reset_diagnostics();
  void commit();
  void save(const std::string& path);
  /// Commits what is on disk and lets go of the rows once no call uses them any more.
  void close();
  bool closed() const { return !core_; }
  Index size() const { return core()->size(); }
  Index size(Index stream) const { return core()->size(stream); }
  std::uint64_t cuts() const { return core()->cuts(); }
  const ReplayConfig& config() const { return config_; }

 private:
  /// The core's buffer. Throws ValueError after close and RuntimeError in a forked process.
  const std::shared_ptr<ReplayBuffer>& core() const;
  void check_row(const char* name, const ArrayIn& given, const FieldSpec& spec, bool vector) const;
  void warn_if_narrowed(const char* name, const ArrayIn& given, DType stored, std::size_t field);
  BatchView view_of(BatchMemory& memory) const;
  BatchView view_of(nb::dict out, Index rows, std::vector<nb::object>& kept) const;

  Buffer(std::shared_ptr<ReplayBuffer> core, nb::dict present);

  ReplayConfig config_;
  std::shared_ptr<ReplayBuffer> core_;  // calls under way keep it through a close
  std::shared_ptr<BatchPool> pool_;
  std::size_t row_bytes_;
  unsigned long process_;       // of the process that made it, see fork_count
  std::vector<bool> warned_;    // per field: that float64 is narrowed
  bool commits_ = false;        // on disk, and ours to write
  std::mutex writing_;          // the core: one writer at a time; readers take turns by themselves
  std::vector<float> rewards_;  // of the step being added
};

}  // namespace mneme::python
