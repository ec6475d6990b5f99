// envs/dummy/count.cpp - the annotated template of a task: a counter that actions push up or down.
//
// To add a task: copy this file to src/envs/SUITE/FILE.cpp, write the class, and add one line to
// src/envs/registry.def. The tool, the tests of all tasks and the benchmarks read that list.
//
// The episode: a start value from [0, 1), each action adds to a sum, the reward is 1 while the sum
// lies within 1 of its start. It terminates when the sum leaves [-10, 10]; the time limit (20
// steps, in the registry) truncates it. Needs no library, so tests of VecEnv run everywhere.
#include <cmath>

#include "envs/task.h"

namespace mneme::envs::dummy {
namespace {

class Count final : public Task {
 public:
  // Parts of the observation, in the suite's own order; VecEnv sorts them unless asked not to.
  std::vector<ObservationKey> keys() const override {
    return {{"start", 1}, {"sum", 1}, {"clock", 1}};
  }

  // Every number an episode begins with comes from `rng` and nothing is kept from the last episode,
  // so that an episode is a function of the generator's position.
  void reset(Rng& rng) override { state_ = {rng.uniform(), 0, 0}; }

  // One step of the task's own control period. Actions may exceed [-1, 1]; a task decides what that
  // means (here: nothing special). No allocation, no output, no exceptions in here.
  Outcome step(std::span<const double> action) override {
    state_.sum += action[0];
    state_.clock += 1;
    // As a simulator's warning: the state is invalid. VecEnv cuts the episode, counts it and
    // reports it to the caller.
    if (std::abs(action[0]) > 1e6) return {.failure = "an action beyond one million"};
    return evaluate();
  }

  // The reward of a state, however it was reached.
  Outcome evaluate() override {
    return {.reward = std::abs(state_.sum) <= 1 ? 1.0 : 0.0,
            .terminated = std::abs(state_.sum) > 10,
            .success = state_.sum >= 5};
  }

  void reset_nominal() override { state_ = {}; }

  void observe(std::span<double> out) const override {
    out[0] = state_.start;
    out[1] = state_.start + state_.sum;
    out[2] = state_.clock;
  }

  // Everything steps depend on, so that a saved run continues exactly.
  void save(StateWriter& out) const override { out.put(state_); }
  void load(StateReader& in) override { state_ = in.get<State>(); }

 private:
  struct State {
    double start = 0, sum = 0, clock = 0;
  } state_;
};

}  // namespace

// The function the registry line names: make_FILE. One file may serve several tasks,
// distinguished by `name`.
std::unique_ptr<Task> make_count(std::string_view) { return std::make_unique<Count>(); }

}  // namespace mneme::envs::dummy
