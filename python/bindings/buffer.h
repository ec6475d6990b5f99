// bindings/buffer.h - the core's buffer as Python may use it: from any thread, after close, after a
// fork.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>

#include "bindings/arrays.h"
#include "bindings/batch.h"
#include "mneme/replay_buffer.h"

namespace mneme::python {

namespace nb = nanobind;

class Buffer {
 public:
  /// `present`: column name -> function that turns its array into what the user sees.
  Buffer(const ReplayConfig& config, nb::dict present);

  void add(nb::handle observation, nb::handle action, nb::handle reward,
           nb::handle next_observation, nb::handle terminated, nb::handle truncated,
           nb::handle stream, nb::handle fields);
  nb::object sample(Index rows, nb::handle out);
  FeedbackReport update_priorities(nb::handle ids, nb::handle td_errors);
  void cut(Index stream);
  void set_progress(double progress);
  void close();
  bool closed() const { return !core_; }
  Index size() const { return core().size(); }
  Index size(Index stream) const { return core().size(stream); }
  std::uint64_t cuts() const { return core().cuts(); }
  const ReplayConfig& config() const { return config_; }

 private:
  /// The core's buffer. Throws ValueError after close and RuntimeError in a forked process.
  ReplayBuffer& core() const;
  void check_row(const char* name, const ArrayIn& given, const FieldSpec& spec, bool vector) const;
  void warn_if_narrowed(const char* name, const ArrayIn& given, DType stored, std::size_t field);
  void fill(BatchMemory& memory);
  void fill_out(nb::handle out, Index rows);

  ReplayConfig config_;
  std::unique_ptr<ReplayBuffer> core_;
  std::shared_ptr<BatchPool> pool_;
  std::size_t row_bytes_;
  unsigned long process_;                // of the process that made it, see fork_count
  std::vector<bool> warned_;             // per field: that float64 is narrowed
  std::mutex writing_, reading_;         // the core: one writer and one reader at a time
  std::optional<mneme::Batch> scratch_;  // of the batch being drawn
  std::vector<float> rewards_;           // of the step being added
};

}  // namespace mneme::python
