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
  Loop(const EnvSpec& spec, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      tasks_.push_back(make_task(spec));
      tasks_.back()->reset(rng_);
    }
  }
  bool has_physics() const { return tasks_.front()->simulation() != nullptr; }
  int substeps() const override { return tasks_.front()->substeps(); }

  void run(std::int64_t control_steps) override {
    for (std::int64_t step = 0; step < control_steps; ++step) {
      // Episodes of a thousand steps: both loops simulate the same kind of motion.
      const bool over = ++steps_ % 1000 == 0;
      for (const auto& task : tasks_) {
        Simulation& sim = *task->simulation();
        const auto nu = static_cast<std::size_t>(sim.m()->nu);
        for (std::size_t i = 0; i < nu; ++i) sim.d()->ctrl[i] = 2 * rng_.uniform() - 1;
        for (int k = 0; k < task->substeps(); ++k) mj_step(sim.m(), sim.d());
        if (over) task->reset(rng_);
      }
    }
  }

 private:
  std::vector<std::unique_ptr<Task>> tasks_;
  Rng rng_{7};
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<RawPhysics> make_raw_physics(std::string_view task, std::int64_t count) {
  auto loop = std::make_unique<Loop>(parse_env_spec(task), count);
  if (!loop->has_physics()) return nullptr;
  return loop;
}
#else
std::unique_ptr<RawPhysics> make_raw_physics(std::string_view, std::int64_t) { return nullptr; }
#endif

}  // namespace mneme::envs
