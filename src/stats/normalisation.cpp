// stats/normalisation.cpp - raw returns to scores where 0 is a random policy and 1 a solved task.
//
// HumanoidBench: (return - random) / (threshold - random), not clipped. The random returns come
// from the score tables of SimbaV2 and BRC (10 seeds x 10 episodes), the thresholds are the
// benchmark's success bars, except h1hand-crawl, where the paper prints 800 and the benchmark has
// 700 (erratum E18).
#include <array>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/scores.h"
#include "stats/sum.h"

namespace mneme::stats {
namespace {

struct Constant {
  std::string_view task;
  double random, threshold;
};

constexpr std::array kHumanoidBench{
    Constant{"h1-balance_hard", 9.044, 800},
    Constant{"h1-balance_simple", 9.391, 800},
    Constant{"h1-crawl", 272.658, 700},
    Constant{"h1-hurdle", 2.214, 700},
    Constant{"h1-maze", 106.441, 1200},
    Constant{"h1-pole", 20.090, 700},
    Constant{"h1-reach", 260.302, 12000},
    Constant{"h1-run", 2.020, 700},
    Constant{"h1-sit_hard", 2.448, 750},
    Constant{"h1-sit_simple", 9.393, 750},
    Constant{"h1-slide", 3.191, 700},
    Constant{"h1-stair", 3.112, 700},
    Constant{"h1-stand", 10.545, 800},
    Constant{"h1-walk", 2.377, 700},
    Constant{"h1hand-balance_hard", 10.032, 800},
    Constant{"h1hand-balance_simple", 10.170, 800},
    Constant{"h1hand-basketball", 8.979, 1200},
    Constant{"h1hand-bookshelf_hard", 14.848, 2000},
    Constant{"h1hand-bookshelf_simple", 16.777, 2000},
    Constant{"h1hand-cabinet", 37.733, 2500},
    Constant{"h1hand-crawl", 278.868, kPaperCrawlThreshold},
    Constant{"h1hand-cube", 4.787, 370},
    Constant{"h1hand-door", 2.771, 600},
    Constant{"h1hand-hurdle", 2.371, 700},
    Constant{"h1hand-insert_normal", 1.673, 350},
    Constant{"h1hand-insert_small", 1.653, 350},
    Constant{"h1hand-kitchen", 0, 4},
    Constant{"h1hand-maze", 106.233, 1200},
    Constant{"h1hand-package", -10040.932, 1500},
    Constant{"h1hand-pole", 19.721, 700},
    Constant{"h1hand-powerlift", 17.638, 800},
    Constant{"h1hand-push", -526.8, 700},
    Constant{"h1hand-reach", -50.024, 12000},
    Constant{"h1hand-room", 3.018, 400},
    Constant{"h1hand-run", 1.927, 700},
    Constant{"h1hand-sit_hard", 2.477, 750},
    Constant{"h1hand-sit_simple", 10.768, 750},
    Constant{"h1hand-slide", 3.142, 700},
    Constant{"h1hand-spoon", 4.661, 650},
    Constant{"h1hand-stair", 3.161, 700},
    Constant{"h1hand-stand", 11.973, 800},
    Constant{"h1hand-truck", 562.419, 3000},
    Constant{"h1hand-walk", 2.505, 700},
    Constant{"h1hand-window", 2.713, 650},
};

// Domains of the DeepMind Control suite; every episode there returns at most 1000.
constexpr std::array<std::string_view, 20> kControlDomains{
    "acrobot",   "ball_in_cup", "cartpole",     "cheetah", "dog",         "finger",   "fish",
    "hopper",    "humanoid",    "humanoid_CMU", "lqr",     "manipulator", "pendulum", "point_mass",
    "quadruped", "reacher",     "stacker",      "swimmer", "swimmer6",    "walker"};

constexpr std::array<std::string_view, 7> kSuiteNames{
    "auto", "none", "humanoidbench", "dmc", "metaworld", "myosuite", "isaaclab"};

// "h1-walk-v0" is h1-walk.
std::string_view without_version(std::string_view task) {
  const std::size_t dash = task.rfind("-v");
  if (dash == std::string_view::npos || dash + 2 == task.size()) return task;
  const bool digits = task.find_first_not_of("0123456789", dash + 2) == std::string_view::npos;
  return digits ? task.substr(0, dash) : task;
}

bool is_control_task(std::string_view task) {
  const std::string_view domain = task.substr(0, task.find('-'));
  for (const std::string_view known : kControlDomains)
    if (domain == known && domain.size() < task.size()) return true;
  return false;
}

bool has_prefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

Scale humanoid_bench_scale(std::string_view task, double crawl_threshold) {
  const std::string_view bare = without_version(task);
  std::vector<std::string> known;
  for (const Constant& constant : kHumanoidBench) {
    known.emplace_back(constant.task);
    if (constant.task != bare) continue;
    const double threshold = bare == "h1hand-crawl" ? crawl_threshold : constant.threshold;
    if (!std::isfinite(threshold) || threshold <= constant.random)
      throw InvalidArgument(concat("crawl_threshold: ", threshold,
                                   " is not above the random return ", constant.random,
                                   " of h1hand-crawl; pass 800 (paper) or 700 (benchmark)"));
    return {constant.random, threshold, Suite::humanoidbench};
  }
  throw NotFound(unknown_name("HumanoidBench task", bare, known));
}

}  // namespace

Suite suite_of(std::string_view name) {
  for (std::size_t i = 0; i < kSuiteNames.size(); ++i)
    if (kSuiteNames[i] == name) return static_cast<Suite>(i);
  throw NotFound(unknown_name("normalisation", name, {kSuiteNames.begin(), kSuiteNames.end()}));
}

std::string_view name_of(Suite suite) { return kSuiteNames[static_cast<std::size_t>(suite)]; }

Scale scale_of(std::string_view task, Suite suite, double crawl_threshold) {
  // By name: a task that begins like one of HumanoidBench must be one, so that a slip is not taken
  // for a raw score.
  if (suite == Suite::automatic) {
    if (has_prefix(task, "h1-") || has_prefix(task, "h1hand-"))
      suite = Suite::humanoidbench;
    else
      suite = is_control_task(task) ? Suite::dmc : Suite::none;
  }
  switch (suite) {
    case Suite::humanoidbench:
      return humanoid_bench_scale(task, crawl_threshold);
    case Suite::dmc: {
      if (is_control_task(task)) return {0, 1000, Suite::dmc};
      throw NotFound(unknown_name("domain of the DeepMind Control suite in task", task,
                                  {kControlDomains.begin(), kControlDomains.end()}) +
                     "; a task is written domain-task, such as dog-run");
    }
    case Suite::isaaclab:
      throw InvalidArgument(
          "isaaclab has no constants: its scale is the baseline's final return, see "
          "final_return_scales");
    default:
      return {0, 1, suite};
  }
}

std::vector<Scale> final_return_scales(const Curves& baseline) {
  const ScoreMatrix finals = final_scores(baseline);
  std::vector<Scale> scales;
  for (std::size_t m = 0; m < finals.tasks(); ++m) {
    const double reference = detail::mean_of(finals.task(m));
    if (!(reference > 0))
      throw InvalidArgument(concat("isaaclab: the baseline's mean final return on task '",
                                   baseline.tasks[m], "' is ", reference,
                                   ", scores divide by it; it must be above 0: choose",
                                   " another baseline or --normalise none"));
    scales.push_back({0, reference, Suite::isaaclab});
  }
  return scales;
}

void normalise(Curves& curves, std::span<const Scale> scales) {
  if (scales.size() != curves.tasks.size() || scales.size() != curves.values.size())
    throw InvalidArgument(concat("normalize: ", scales.size(), " scales for ", curves.tasks.size(),
                                 " tasks; pass one for each"));
  // Check everything, then change anything.
  for (std::size_t m = 0; m < scales.size(); ++m) {
    if (scales[m].suite != Suite::metaworld && scales[m].suite != Suite::myosuite) continue;
    for (const auto& curve : curves.values[m]) {
      for (const double value : curve) {
        if (value < 0 || value > 1)
          throw InvalidArgument(concat(name_of(scales[m].suite), ": value ", value, " of task '",
                                       curves.tasks[m],
                                       "' is not a success rate, which lies in [0, 1]; divide",
                                       " percentages by 100, or use --normalise none"));
      }
    }
  }
  for (std::size_t m = 0; m < scales.size(); ++m) {
    const Scale& scale = scales[m];
    for (auto& curve : curves.values[m])
      for (double& value : curve) value = (value - scale.random) / (scale.threshold - scale.random);
  }
}

}  // namespace mneme::stats
