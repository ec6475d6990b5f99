// diagnostics/inspect.cpp - the numbers of a Diagnosis, from the runs of a sampler's distribution.
//
// A distribution is a list of runs of equally likely ages, newest first. Sums over ages become sums
// over runs, so uniform and FIFO cost O(1), ERE O(cycle), and only distributions without constant
// stretches cost O(size).
#include <algorithm>
#include <cmath>

#include "base/elementary.h"
#include "base/text.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"

namespace mneme {
namespace {

// Kahan's sum: a million small terms without losing their tails.
class Sum {
 public:
  void add(double term) {
    const double y = term - lost_, t = value_ + y;
    lost_ = (t - value_) - y;
    value_ = t;
  }
  double value() const { return value_; }

 private:
  double value_ = 0, lost_ = 0;
};

double entropy(const AgeDistribution& distribution) {
  if (distribution.entropy) return *distribution.entropy;
  Sum sum;
  for (const Segment& segment : distribution.segments) {
    if (segment.probability > 1e-300)
      sum.add(-static_cast<double>(segment.length) * segment.probability *
              detail::log_of(segment.probability));
  }
  return sum.value();
}

Entropies entropies(const AgeDistribution& distribution) {
  const double whole = entropy(distribution);
  return {whole, distribution.conditional_entropy.value_or(whole)};
}

double collision_entropy(const AgeDistribution& distribution) {
  Sum sum;
  for (const Segment& segment : distribution.segments)
    sum.add(static_cast<double>(segment.length) * segment.probability * segment.probability);
  return -detail::log_of(sum.value());
}

double recency(double age, Index size) {
  return size == 1 ? 1.0 : 1.0 - age / static_cast<double>(size - 1);
}

double mass_of_newest(const AgeDistribution& distribution, double count) {
  Sum sum;
  for (const Segment& segment : distribution.segments) {
    const double taken = std::min(count, static_cast<double>(segment.length));
    sum.add(taken * segment.probability);
    count -= taken;
    if (count <= 0) break;
  }
  return sum.value();
}

struct FirstReplay {
  double median, mean, never;
};

// A transition that has reached age a unseen is missed once more with probability (1 -
// q(a))^volume.
FirstReplay first_replay(const AgeDistribution& distribution, double volume) {
  double unseen = 1, age = 0, median = -1;
  Sum mean, log_unseen;
  for (const Segment& segment : distribution.segments) {
    const auto length = static_cast<double>(segment.length);
    const double log_missed =
        segment.probability >= 1 ? -1e6 : volume * detail::log1p_of(-segment.probability);
    log_unseen.add(log_missed * length);
    if (unseen > 1e-30) {  // beyond that neither the median nor the mean can change
      const double still_unseen = unseen * detail::exp_of(log_missed * length);
      if (median < 0 && still_unseen <= 0.5) {
        // steps into this run until unseen falls to one half
        const double steps =
            std::ceil((std::log(0.5) - std::log(unseen)) / log_missed * (1 - 1e-15));
        median = age + std::clamp(steps, 1.0, length);
      }
      // sum of unseen * e^(log_missed * k) over k = 0 .. length-1
      mean.add(segment.length == 1 || log_missed == 0
                   ? unseen * length
                   : (unseen - still_unseen) / -detail::expm1_of(log_missed));
      unseen = still_unseen;
    }
    age += length;
  }
  return {median < 0 ? age : median, mean.value(), detail::exp_of(log_unseen.value())};
}

void check_setting(const ReplaySetting& setting) {
  const auto positive = [](const char* name, double value) {
    if (!(value > 0) || !std::isfinite(value))
      throw InvalidArgument(concat(name, " is ", value, "; it must be a finite number above 0"));
  };
  positive("updates_per_step", setting.updates_per_step);
  positive("batch", setting.batch);
  positive("streams", static_cast<double>(setting.streams));
  if (const double draws = setting.updates_per_step * setting.batch; !std::isfinite(draws))
    throw InvalidArgument(
        concat("updates_per_step * batch is ", setting.updates_per_step, " * ", setting.batch,
               "; that many draws per step are not a finite number, pass smaller ones"));
  if (setting.reference_capacity < 0 || setting.reference_capacity == 1)
    throw InvalidArgument(concat("reference_capacity is ", setting.reference_capacity,
                                 "; pass at least 2, or 0 for the capacity of the buffer"));
}

}  // namespace

double expected_recency(const Sampler& sampler, const BufferView& view) {
  return recency(sampler.mean_age(view), view.size);
}

Entropies entropies(const Sampler& sampler, const BufferView& view) {
  if (const auto closed = sampler.closed_entropy(view)) return {*closed, *closed};
  return entropies(sampler.age_distribution(view));
}

Diagnosis inspect(const Sampler& sampler, const BufferView& view, const ReplaySetting& setting) {
  check_setting(setting);
  const AgeDistribution distribution = sampler.age_distribution(view);
  Diagnosis d{};
  d.exact = distribution.exact;

  // the distribution as it is now
  const double age = sampler.mean_age(view);
  const Index reference =
      setting.reference_capacity == 0 ? view.capacity : setting.reference_capacity;
  d.expected_recency = recency(age, view.size);
  d.reference_recency = recency(age, reference);
  const Entropies both = entropies(distribution);
  d.sampling_entropy = both.sampling_entropy;
  d.conditional_entropy = both.conditional_entropy;
  d.perplexity = detail::exp_of(d.sampling_entropy);
  d.collision_entropy = collision_entropy(distribution);
  const auto probability_of = [&](Index index) {
    double p = 0;
    sampler.probabilities(view, index, {&p, 1});
    return p;
  };
  d.newest_probability = probability_of(view.size - 1);
  d.oldest_probability = probability_of(0);
  constexpr std::array kShares{0.01, 0.1, 0.25, 0.5};
  for (std::size_t k = 0; k < kShares.size(); ++k)
    d.newest_mass[k] = {kShares[k],
                        mass_of_newest(distribution, kShares[k] * static_cast<double>(view.size))};

  // how much is replayed
  const auto streams = static_cast<double>(setting.streams);
  d.replay_volume = setting.updates_per_step * setting.batch / streams;
  d.updates_per_transition = setting.updates_per_step / streams;
  constexpr std::array kRecencies{0.0, 0.25, 0.5, 0.75, 0.9, 1.0};
  for (std::size_t k = 0; k < kRecencies.size(); ++k) {
    const auto index =
        static_cast<Index>(std::llround(kRecencies[k] * static_cast<double>(view.size - 1)));
    d.expected_replays[k] = {kRecencies[k], index, d.replay_volume * probability_of(index)};
  }

  // the life of a transition in a full buffer
  BufferView full = view;
  full.size = view.capacity;
  const FirstReplay first = first_replay(
      full.size == view.size ? distribution : sampler.age_distribution(full), d.replay_volume);
  d.first_replay_median = first.median;
  d.first_replay_mean = first.mean;
  d.never_replayed_probability = first.never;
  return d;
}

}  // namespace mneme
