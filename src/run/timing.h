// run/timing.h - where the seconds of a run go, over all its sittings.
//
// The clock is read where one phase ends and the next begins: some tens of nanoseconds, seven times
// a step, and nothing is allocated. What is in no phase (writing tables, counting episodes) is the
// difference to the seconds of the run.
#pragma once

#include <array>
#include <chrono>
#include <string_view>

#include "base/state.h"

namespace mneme::lab {

enum class Phase : std::size_t {
  environment,  ///< stepping
  acting,       ///< choosing actions, and what the agent counts about each step
  storing,      ///< transitions into the replay buffer
  sampling,     ///< drawing and gathering batches: one call of the reader
  update,       ///< the rest of learning: losses, gradients, optimisers
  feedback,     ///< priorities back to the reader
  evaluation,
  checkpoint,
};

inline constexpr std::array<std::string_view, 8> kPhases{"environment", "acting",    "storing",
                                                         "sampling",    "update",    "feedback",
                                                         "evaluation",  "checkpoint"};

class Timing {
 public:
  /// What follows belongs to the phase that the next lap names.
  void begin() { last_ = Clock::now(); }
  /// The time since then was of this phase; the next one begins.
  void lap(Phase phase) {
    const Clock::time_point now = Clock::now();
    at(phase) += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// So many seconds of one phase were another's.
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
