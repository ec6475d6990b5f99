// samplers/fixed_priorities.cpp - a prioritized sampler with the priorities of one moment.
//
// What a prioritized sampler draws depends on the TD errors of a learner. With these given, every
// row has a fixed probability, and the diagnostics can be computed as for any other sampler.
#include <algorithm>
#include <numeric>

#include "base/elementary.h"
#include "base/text.h"
#include "mneme/error.h"
#include "mneme/sampler.h"
#include "samplers/registry.h"

namespace mneme {
namespace {

std::vector<double> probabilities_of(const PrioritizedSampler& sampler,
                                     std::span<const float> priorities) {
  const std::string_view name = sampler.entry->info.name;
  if (priorities.empty()) throw InvalidArgument(concat(name, ": no priorities were given"));
  for (std::size_t k = 0; k < priorities.size(); ++k) {
    if (!(priorities[k] >= 0 && std::isfinite(priorities[k])))
      throw InvalidArgument(
          concat(name, ": priority ", k, " must be finite and at least 0, got ", priorities[k]));
  }
  const auto rows = static_cast<Index>(priorities.size());
  const auto distribution = sampler.entry->make(sampler.params, rows);
  std::vector<Index> slots(priorities.size());
  std::iota(slots.begin(), slots.end(), Index{0});
  distribution->append(0, rows);
  distribution->update(slots, priorities, Feedback::priority);
  if (!distribution->can_sample())
    throw InvalidArgument(concat(name, ": no row can be drawn, every priority is 0"));
  std::vector<double> probabilities(priorities.size());
  distribution->probabilities(slots, probabilities);
  return probabilities;
}

class FixedPriorities final : public Sampler {
 public:
  FixedPriorities(const PrioritizedSampler& sampler, std::span<const float> priorities)
      : Sampler(sampler.params.canonical(), sampler.params.chosen("draws", "stratified")),
        info_(sampler.entry->info),
        probabilities_(probabilities_of(sampler, priorities)),
        through_(probabilities_.size()) {
    std::partial_sum(probabilities_.begin(), probabilities_.end(), through_.begin());
  }

  const SamplerInfo& info() const override { return info_; }

 private:
  // In index order: u = 0 is the oldest row that can be drawn.
  Index index_of(double u) const {
    const auto at = std::upper_bound(through_.begin(), through_.end(), u * through_.back());
    return std::min<Index>(at - through_.begin(), static_cast<Index>(through_.size()) - 1);
  }

  void check_size(const BufferView& view) const {
    if (view.size != static_cast<Index>(probabilities_.size()))
      throw InvalidArgument(concat(info_.name, ": priorities were given for ",
                                   probabilities_.size(), " transitions, not for ", view.size));
  }

  void do_draw(const BufferView& view, std::uint64_t, Rng* rng,
               std::span<Index> words) const override {
    check_size(view);
    if (rng != nullptr)
      rng->fill_words({reinterpret_cast<std::uint64_t*>(words.data()), words.size()});
    for (Index& word : words) word = index_of(detail::unit_of(static_cast<std::uint64_t>(word)));
  }

  void do_invert(const BufferView& view, std::uint64_t, std::span<const double> uniforms,
                 std::span<Index> out) const override {
    check_size(view);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = index_of(uniforms[k]);
  }

  void do_probabilities(const BufferView& view, std::uint64_t, Index first, std::span<double> out,
                        Scope) const override {
    check_size(view);
    std::copy_n(probabilities_.begin() + first, out.size(), out.begin());
  }

  AgeDistribution do_age_distribution(const BufferView& view) const override {
    check_size(view);
    AgeDistribution distribution;
    for (std::size_t k = probabilities_.size(); k-- > 0;) {
      const double p = probabilities_[k];
      if (!distribution.segments.empty() && distribution.segments.back().probability == p)
        ++distribution.segments.back().length;
      else
        distribution.segments.push_back({1, p});
    }
    return distribution;
  }

  std::optional<double> do_mean_age(const BufferView&) const override { return std::nullopt; }

  const SamplerInfo& info_;
  std::vector<double> probabilities_;  // by index
  std::vector<double> through_;        // their sums
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(std::string_view spec, std::span<const float> priorities) {
  if (const auto sampler = prioritized_sampler(spec))
    return std::make_unique<FixedPriorities>(*sampler, priorities);
  return make_sampler(spec);
}

}  // namespace mneme
