// cli/study/stats.cpp - `mneme stats`: the options, their help, and which form the answer takes.
#include <iostream>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "report/statistics.h"

namespace mneme::lab {
namespace {

constexpr const char* kSummary =
    "scores of runs to AUC, aggregates, gains and how far to trust them";

constexpr const char* kFooter =
    R"(The CSV has a header and one row per run, task and checkpoint; a `method` column is optional:

  run,task,step,value
  0,h1-walk-v0,50000,12.5
  0,h1-walk-v0,100000,87.1

Examples:
  mneme stats scores.csv
  mneme stats --scores uniform=uniform.csv --scores tg=tg.csv --baseline uniform
  mneme stats all.csv --baseline uniform --shapley critic=tg_critic,actor=tg_actor,both=tg
  mneme stats scores.csv --seed-compat rliable --seed 42 --reps 2000

All curves need the same checkpoints. Definitions: docs/stats.md.)";

}  // namespace

void add_stats_command(CLI::App& app, std::ostream& out) {
  struct Options {
    StatsRequest request;
    std::vector<std::string> files;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  StatsRequest& request = options->request;
  CLI::App& command = *app.add_subcommand("stats", kSummary);
  command.footer(kFooter);

  // What to read.
  command
      .add_option("file", options->files,
                  "CSV file of scores; the method is its name unless it has a column")
      ->check(not_empty());
  command
      .add_option("--scores", request.scores, "scores of one method, as NAME=FILE; may be repeated")
      ->allow_extra_args(false)
      ->check(not_empty());
  command.add_option("--baseline", request.baseline,
                     "method to compare with (uniform, else the first)");
  command
      .add_option(
          "--normalise", request.normalise,
          "scale of the scores: auto (by task name), none, humanoidbench, dmc, metaworld, myosuite "
          "or isaaclab")
      ->capture_default_str();
  command
      .add_option("--crawl-threshold", request.crawl_threshold,
                  "success bar of h1hand-crawl: 800 as the paper prints, 700 as the benchmark has")
      ->capture_default_str()
      ->check(finite_number());
  command.add_flag("--include-step-0", request.include_step_0,
                   "count checkpoints at step 0 in the AUC");
  command.add_flag("--unequal-runs", request.unequal_runs,
                   "allow tasks with different numbers of runs");

  // How to draw.
  command.add_option("--reps", request.reps, "bootstrap repetitions")
      ->check(whole_number(1, 10'000'000))
      ->capture_default_str();
  command.add_option("--profile-reps", request.profile_reps, "repetitions for profiles")
      ->check(whole_number(1, 10'000'000))
      ->capture_default_str();
  command.add_option("--seed", request.seed, "seed of every bootstrap")
      ->check(seed_number())
      ->capture_default_str();
  command.add_option("--seed-compat", request.seed_compat,
                     "generator to repeat: rliable draws as RLiable does after "
                     "numpy.random.seed(SEED), bit for bit");
  command.add_option("--confidence", request.confidence, "nominal coverage of intervals")
      ->capture_default_str()
      ->check(number_between(0, 1));
  command.add_flag("--correct-small-sample", request.correct_small_sample,
                   "widen intervals by sqrt(R / (R - 1))");
  command.add_flag("--task-bootstrap", request.task_bootstrap,
                   "also draw tasks, for aggregates and profiles");
  command
      .add_option("--gain-interval", request.gain_interval,
                  "runs drawn for gains: both (method and baseline) or scaled (the method alone)")
      ->capture_default_str();

  // What to report.
  command.add_option("--taus", request.taus, "thresholds of the profiles, such as 0,0.5,1")
      ->delimiter(',')
      ->check(finite_number());
  command.add_option("--levels", request.levels, "scores at which to give the speed-up too")
      ->delimiter(',')
      ->check(finite_number());
  command.add_option("--shapley", request.shapley,
                     "methods between which the gain over the baseline is split: "
                     "critic=NAME,actor=NAME,both=NAME");
  add_json(&command, options->json, "print JSON with all numbers, scores and AUC per run");

  command.callback([options, &out] {
    StatsRequest& asked = options->request;
    asked.scores.insert(asked.scores.begin(), options->files.begin(), options->files.end());
    const StatsReport report = make_stats_report(asked, std::cerr);
    (options->json ? write_stats_json : write_stats_table)(asked, report, out);
  });
}

}  // namespace mneme::lab
