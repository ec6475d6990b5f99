// stats/resampler.cpp - drawing runs and tasks, and the percentile interval of what came of them.
#include "stats/resampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::stats {
namespace detail {
namespace {

constexpr std::uint32_t kPurpose =
    0x57A75;  // tells these numbers from those of samplers and agents
constexpr std::size_t kMostRepetitions = 10'000'000;

void require_equal_runs(const ScoreMatrix& scores, std::string_view what) {
  if (scores.rectangular()) return;
  throw InvalidArgument(concat(what,
                               " needs the same number of runs for every task, here they go from ",
                               scores.fewest_runs(), " to ", scores.most_runs(),
                               "; drop runs, or use the stratified bootstrap of mneme"));
}

}  // namespace

IndexSource::IndexSource(Generator generator, std::uint64_t seed)
    : generator_(generator), rng_(seed, kPurpose), twister_(static_cast<std::uint32_t>(seed)) {
  if (generator == Generator::rliable && seed > 0xffffffffu)
    throw InvalidArgument(concat("seed ", seed, " is outside [0, 2^32), all that numpy.random.seed",
                                 " takes; pass a smaller one"));
}

void IndexSource::draw(std::span<const std::uint32_t> bounds, std::span<std::uint32_t> out) {
  if (generator_ == Generator::rliable) return draw_like_numpy(bounds, out);
  const std::size_t count = out.size();
  words_.resize((count + 1) / 2);
  rng_.fill_words(words_);

  // Lemire's multiplication of 32 random bits; the low half tells whether the draw falls on the
  // surplus values.
  std::uint32_t suspicious = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = i % 2 == 0 ? words_[i / 2] & 0xffffffff : words_[i / 2] >> 32;
    const std::uint64_t product = bits * bounds[i];
    out[i] = static_cast<std::uint32_t>(product >> 32);
    suspicious |= static_cast<std::uint32_t>(static_cast<std::uint32_t>(product) < bounds[i]);
  }
  if (suspicious == 0) return;

  // Once in 2^32 / bound draws: look closer, and draw the rejected ones again without bias.
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = i % 2 == 0 ? words_[i / 2] & 0xffffffff : words_[i / 2] >> 32;
    const auto low = static_cast<std::uint32_t>(bits * bounds[i]);
    if (low < (0u - bounds[i]) % bounds[i])
      out[i] = static_cast<std::uint32_t>(rng_.below(bounds[i]));
  }
}

// Masked rejection on 32-bit outputs; a bound of 1 takes no random number.
void IndexSource::draw_like_numpy(std::span<const std::uint32_t> bounds,
                                  std::span<std::uint32_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t largest = bounds[i] - 1;
    const std::uint32_t mask = largest == 0 ? 0 : ~std::uint32_t{0} >> std::countl_zero(largest);
    std::uint32_t value = 0;
    if (largest > 0) {
      do value = static_cast<std::uint32_t>(twister_()) & mask;
      while (value > largest);
    }
    out[i] = value;
  }
}

Resampler::Resampler(const ScoreMatrix& scores, const BootstrapOptions& options)
    : cluster_(options.resampling == Resampling::run_cluster),
      task_bootstrap_(options.task_bootstrap),
      runs_(static_cast<std::uint32_t>(scores.most_runs())),
      task_count_(static_cast<std::uint32_t>(scores.tasks())) {
  if (scores.size() > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument(concat("bootstrap: ", scores.size(), " scores; at most 2^32 - 1"));
  if (cluster_) require_equal_runs(scores, "the run-cluster bootstrap");
  if (task_bootstrap_) require_equal_runs(scores, "the task bootstrap");
  if (options.generator == Generator::rliable) require_equal_runs(scores, "RLiable's bootstrap");

  // Where each task begins in values(), then the cells, slot by slot.
  std::vector<std::uint32_t> begin(scores.tasks());
  for (std::size_t m = 1; m < begin.size(); ++m)
    begin[m] = begin[m - 1] + static_cast<std::uint32_t>(scores.runs(m - 1));
  for (std::uint32_t r = 0; r < runs_; ++r) {
    for (std::uint32_t m = 0; m < task_count_; ++m) {
      if (r >= scores.runs(m)) continue;
      tasks_.push_back(m);
      offsets_.push_back(begin[m]);
      places_.push_back(begin[m] + r);
      if (!cluster_) run_bounds_.push_back(static_cast<std::uint32_t>(scores.runs(m)));
    }
  }
  if (cluster_) run_bounds_.assign(runs_, runs_);
  if (task_bootstrap_) task_bounds_.assign(task_count_, task_count_);
  run_draws_.resize(run_bounds_.size());
  task_draws_.resize(task_bounds_.size());
  sources_.resize(tasks_.size());
}

std::span<const std::uint32_t> Resampler::draw(IndexSource& source) {
  source.draw(run_bounds_, run_draws_);
  if (!cluster_ && !task_bootstrap_) {
    for (std::size_t c = 0; c < sources_.size(); ++c) sources_[c] = offsets_[c] + run_draws_[c];
    return sources_;
  }
  // Here all tasks have the same number of runs: cell (r, m) is number r * tasks + m.
  source.draw(task_bounds_, task_draws_);
  for (std::size_t c = 0; c < sources_.size(); ++c) {
    const std::uint32_t run = run_draws_[cluster_ ? c / task_count_ : c];
    sources_[c] = (task_bootstrap_ ? task_draws_[tasks_[c]] * runs_ : offsets_[c]) + run;
  }
  return sources_;
}

void check_options(const BootstrapOptions& options) {
  if (options.repetitions < 1 || options.repetitions > kMostRepetitions)
    throw InvalidArgument(concat("bootstrap: ", options.repetitions,
                                 " repetitions; pass 1 to 10000000 (50000 is usual)"));
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(concat("bootstrap: confidence ", options.confidence,
                                 " is outside (0, 1); pass 0.95 for 95%"));
}

std::vector<Interval> percentile_intervals(std::span<const double> estimates,
                                           std::vector<std::vector<double>>& values,
                                           std::size_t runs, const BootstrapOptions& options) {
  // 100 and back as arch and NumPy do: it matters for the last bit of the position.
  const double tail = (1 - options.confidence) / 2;
  const double low = 100 * tail / 100, high = 100 * (1 - tail) / 100;
  const double spread = options.correct_small_sample
                            ? std::sqrt(static_cast<double>(runs) / static_cast<double>(runs - 1))
                            : 1;
  std::vector<Interval> intervals;
  for (std::size_t k = 0; k < estimates.size(); ++k) {
    Interval interval{.estimate = estimates[k]};
    interval.low = interval.high = std::numeric_limits<double>::quiet_NaN();
    interval.undefined = static_cast<std::size_t>(
        std::count_if(values[k].begin(), values[k].end(), [](double v) { return std::isnan(v); }));
    if (runs > 1 && !std::isnan(estimates[k])) {
      interval.low = percentile(values[k], low);
      interval.high = percentile(values[k], high);
      if (options.correct_small_sample) {
        interval.low = estimates[k] + spread * (interval.low - estimates[k]);
        interval.high = estimates[k] + spread * (interval.high - estimates[k]);
      }
    }
    intervals.push_back(interval);
  }
  return intervals;
}

}  // namespace detail

double percentile(std::span<double> values, double q) {
  if (values.empty() || !(q >= 0 && q <= 1))
    throw InvalidArgument(concat("percentile: ", values.size(), " values, q = ", q,
                                 "; pass at least one value and q in [0, 1]"));
  // NaNs first, as the lowest of all; a position between one of them and a number is undefined too.
  const auto numbers =
      std::partition(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  const auto undefined = static_cast<std::size_t>(numbers - values.begin());
  const double position = static_cast<double>(values.size() - 1) * q;
  const auto below = std::min(static_cast<std::size_t>(position), values.size() - 1);
  if (below < undefined) return std::numeric_limits<double>::quiet_NaN();

  // The order statistic below and the one above, then NumPy's interpolation.
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers, at, values.end());
  if (at + 1 == values.end()) return *at;
  const double a = *at, b = *std::min_element(at + 1, values.end());
  const double share = position - static_cast<double>(below);
  return share >= 0.5 ? b - (b - a) * (1 - share) : a + (b - a) * share;
}

}  // namespace mneme::stats
