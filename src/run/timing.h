// run/timing.h - time per phase of a run, accumulated over resumes.
//
// The clock is read where one phase ends and the next begins: some tens of nanoseconds, seven times
// a step, and nothing is allocated. Work outside all phases (writing tables, counting episodes) is
// the difference to the seconds of the run.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "base/state.h"

namespace mneme::lab {

enum class Phase : std::size_t {
  environment,  ///< stepping
  acting,       ///< choosing actions, and what the agent records of each step
  storing,      ///< transitions into the replay buffer
  sampling,     ///< drawing and gathering batches: one call of the reader
  update,       ///< the rest of learning: losses, gradients, optimizers
  feedback,     ///< priorities back to the reader
  evaluation,
  checkpoint,
};

inline constexpr std::array<std::string_view, 8> kPhases{"environment", "acting",    "storing",
                                                         "sampling",    "update",    "feedback",
                                                         "evaluation",  "checkpoint"};

class Timing {
 public:
  /// Starts the clock; the next lap names the phase.
  void begin() { last_ = Clock::now(); }
  /// Adds the time since `begin` or the last lap to this phase.
  void lap(Phase phase) {
    const Clock::time_point now = Clock::now();
    at(phase) += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Moves seconds from one phase to another.
  void move(Phase from, Phase to, double seconds) {
    at(from) -= seconds;
    at(to) += seconds;
  }

  double of(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }
  /// All phases, in the order of kPhases.
  const std::array<double, kPhases.size()>& all() const { return seconds_; }

  void save(StateWriter& out) const { out.put_all(std::span<const double>(seconds_)); }
  void load(StateReader& in) { in.get_all(std::span<double>(seconds_)); }

 private:
  using Clock = std::chrono::steady_clock;
  double& at(Phase phase) { return seconds_[static_cast<std::size_t>(phase)]; }

  std::array<double, kPhases.size()> seconds_{};
  Clock::time_point last_ = Clock::now();
};

}  // namespace mneme::lab
