// cli/bench/envs.cpp - `mneme envs bench`.
#include "bench/envs/envs_bench.h"
#include "bench/envs/suite_boundary.h"
#include "cli/envs/play.h"
#include "cli/options.h"
#include "mneme/error.h"

namespace mneme::lab {

void add_envs_bench(CLI::App* envs, std::ostream& out) {
  struct Options {
    EnvsBench bench;
    std::string suite, assets;
  };
  CLI::App* command = envs->add_subcommand(
      "bench", "steps per second against bare mj_step and other implementations");
  auto o = std::make_shared<Options>();
  command->add_option("tasks", o->bench.tasks, "tasks to measure")->type_name("TASK");
  command
      ->add_option("--suite", o->suite,
                   "suite in Python: what its workers cost over its own loop; without tasks, of "
                   "some of its tasks")
      ->type_name("NAME");
  command
      ->add_option("--peer", o->bench.peers,
                   "program that runs the same tasks (bench/envs/peer.py); may be repeated")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  command->add_option("--threads", o->bench.threads, "threads of the second contestant (2)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command->add_option("--count", o->bench.count, "environments (16)")
      ->type_name("N")
      ->check(whole_number(1, 100'000));
  command->add_option("--pairs", o->bench.pairs, "interleaved rounds (15)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  command->add_option("--seconds", o->bench.seconds, "seconds of each measurement (0.1)")
      ->type_name("S")
      ->check(number_above(0, 3600));
  add_json(command, o->bench.json);
  command->footer(
      "Examples: mneme envs bench dmc/cheetah-run dmc/humanoid-run\n"
      "          mneme envs bench --suite gym gym/Pendulum-v1");
  add_assets(command, o->assets);
  command->callback([o, &out] {
    EnvsBench& bench = o->bench;
    if (!o->suite.empty()) {
      bench_suite(out, o->suite, bench.tasks,
                  {.pairs = bench.pairs, .seconds = bench.seconds, .json = bench.json});
    } else if (bench.tasks.empty()) {
      throw InvalidArgument("no task was named, and no --suite; `mneme envs` lists both");
    } else {
      use_assets(o->assets, bench.tasks);
      bench_envs(out, bench);
    }
  });
}

}  // namespace mneme::lab
