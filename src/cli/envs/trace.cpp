// cli/envs/trace.cpp - `mneme envs trace`: one random episode with its start, to replay in another
// simulator.
#include "base/json.h"
#include "cli/envs/play.h"
#include "cli/options.h"
#include "mneme/error.h"
#include "mneme/rng.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

struct Options {
  std::string task, assets;
  Index steps = 0;
  std::uint64_t seed = 0;
  bool through = false;  // continue after ends of episodes
};

void run(std::ostream& out, const Options& o) {
  const auto envs = make_vec_env(
      o.task + (o.task.find(':') == std::string::npos ? ":" : ",") + "dtype=f64", {.seed = o.seed});
  EnvMemoryOf<double> memory(*envs);
  const auto rows = memory.rows();
  envs->reset(rows);
  const Index steps = o.steps > 0 ? o.steps : envs->task(0).horizon;

  Json json;
  json.begin_object().field("task", envs->task(0).name).key("keys").begin_array();
  for (const ObservationKey& key : envs->keys(0))
    json.begin_object().field("name", key.name).field("size", key.size).end_object();
  json.end_array().key("physics").values(envs->physics(0));
  json.key("first_observation").values(rows.observation).key("steps").begin_array();
  std::vector<double> action(static_cast<std::size_t>(envs->action_size()));
  Rng rng(o.seed, 0x74726163);  // "trac"
  for (Index step = 0; step < steps; ++step) {
    for (double& number : action) number = 2 * rng.uniform() - 1;
    envs->step(action, rows);
    json.begin_object().key("action").values(action).field("reward", rows.reward[0]);
    json.key("observation").values(rows.final_observation);
    json.field("terminated", rows.terminated[0] != 0)
        .field("truncated", rows.truncated[0] != 0)
        .field("success", rows.success[0] != 0);
    const bool over = rows.terminated[0] != 0 || rows.truncated[0] != 0;
    if (over && o.through) json.key("next_observation").values(rows.observation);
    json.end_object();
    if (over && !o.through) break;
  }
  out << std::move(json.end_array().end_object()).text() << '\n';
}

}  // namespace

void add_envs_trace(CLI::App* envs, std::ostream& out) {
  CLI::App* command = envs->add_subcommand("trace", "one random episode with its start, as JSON");
  auto o = std::make_shared<Options>();
  command->add_option("task", o->task, "task spec")->required()->type_name("TASK");
  command->add_option("--steps", o->steps, "steps (one episode)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  command->add_flag("--through", o->through,
                    "continue with the next episode, and print its first observation");
  command->add_option("--seed", o->seed, "seed of the start and of the actions (0)")
      ->type_name("N")
      ->check(seed_number());
  command->footer(
      "physics: time, qpos, qvel, act, warm start of the acceleration, mocap positions and "
      "quaternions.\nExample: mneme envs trace dmc/walker-run --steps 100");
  add_assets(command, o->assets);
  command->callback([o, &out] {
    std::vector<std::string> tasks{o->task};
    use_assets(o->assets, tasks);
    o->task = tasks.front();
    run(out, *o);
  });
}

}  // namespace mneme::lab
