// envs/measure.cpp - the bare loop of mj_step.
#include "envs/measure.h"

#include "envs/registry.h"

#if MNEME_MUJOCO
#include "envs/mujoco/simulation.h"
#endif

namespace mneme::envs {

#if MNEME_MUJOCO
namespace {

class Loop final : public RawPhysics {
 public:
  explicit Loop(const TaskEntry& entry) : task_(entry.make(entry.info.name)) {
    Rng start(1);
    task_->reset(start);
  }
  bool has_physics() const { return task_->simulation() != nullptr; }

  void run(std::int64_t control_steps) override {
    Simulation& sim = *task_->simulation();
    const int substeps = task_->substeps();
    const auto nu = static_cast<std::size_t>(sim.m()->nu);
    for (std::int64_t step = 0; step < control_steps; ++step) {
      for (std::size_t i = 0; i < nu; ++i) sim.d()->ctrl[i] = 2 * rng_.uniform() - 1;
      for (int k = 0; k < substeps; ++k) mj_step(sim.m(), sim.d());
      // Episodes of the task's length, so that both loops simulate the same kind of motion.
      if (++steps_ % 1000 == 0) task_->reset(rng_);
    }
  }

 private:
  std::unique_ptr<Task> task_;
  Rng rng_{7};
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<RawPhysics> make_raw_physics(std::string_view task) {
  auto loop = std::make_unique<Loop>(find_task(task));
  if (!loop->has_physics()) return nullptr;
  return loop;
}
#else
std::unique_ptr<RawPhysics> make_raw_physics(std::string_view) { return nullptr; }
#endif

}  // namespace mneme::envs
