// agents/brc/reward_scale.cpp - reward normalization per task.
#include "agents/brc/reward_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace mneme::brc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Avoids 0 / 0 for a task whose rewards were all 0 at a vanishing temperature.
constexpr double kLeast = 1e-8;
constexpr std::uint64_t kLongestEpisode = 100'000'000;

}  // namespace

RewardScale::RewardScale(std::size_t tasks, std::size_t environments, const Options& options)
    : options_(options), environments_(environments) {
  range_.assign(tasks, {kInfinity, -kInfinity});
  if (options.kind == "returns") episodes_.resize(tasks * environments);
  if (options.kind == "moments")
    moments_.assign(tasks, nn::ReturnScale(environments, {.discount = options.discount}));
}

void RewardScale::update(std::span<const float> rewards, std::span<const std::uint8_t> terminated,
                         std::span<const std::uint8_t> truncated) {
  for (std::size_t e = 0; e < episodes_.size(); ++e) {
    episodes_[e].push_back(rewards[e]);
    if (terminated[e] != 0 || truncated[e] != 0) finish(e, truncated[e] != 0);
  }
  std::vector<std::uint8_t> done(environments_);
  for (std::size_t task = 0; task < moments_.size(); ++task) {
    const std::size_t first = task * environments_;
    for (std::size_t e = 0; e < environments_; ++e)
      done[e] = static_cast<std::uint8_t>(terminated[first + e] | truncated[first + e]);
    moments_[task].update(rewards.subspan(first, environments_), done);
  }
}

void RewardScale::finish(std::size_t environment, bool truncated) {
  std::vector<float>& rewards = episodes_[environment];
  double value = 0;
  if (truncated) {
    double sum = 0;
    for (const float reward : rewards) sum += static_cast<double>(reward);
    value = sum / static_cast<double>(rewards.size()) / (1 - options_.discount);
  }
  Range& range = range_[environment / environments_];
  for (std::size_t t = rewards.size(); t-- > 0;) {
    value = static_cast<double>(rewards[t]) + options_.discount * value;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
  rewards.clear();
}

void RewardScale::on_episodes_interrupted() {
  for (std::vector<float>& episode : episodes_) episode.clear();
  for (nn::ReturnScale& one : moments_) one.on_episodes_interrupted();
}

double RewardScale::divisor(std::size_t task, double temperature) const {
  if (!moments_.empty())
    return std::max(std::sqrt(moments_[task].variance() + 1e-8),
                    moments_[task].largest() / options_.bound);
  if (episodes_.empty()) return 1;
  const double largest = std::max(range_[task].high, std::abs(range_[task].low));
  const double entropy = temperature / (1 - options_.discount) * options_.target_entropy / 2;
  return std::max((largest - entropy) / options_.bound, kLeast);
}

void RewardScale::save(StateWriter& out) const {
  out.put_all(std::span<const Range>(range_));
  for (const std::vector<float>& episode : episodes_) {
    out.put(static_cast<std::uint64_t>(episode.size()));
    out.put_all(std::span<const float>(episode));
  }
  for (const nn::ReturnScale& one : moments_) one.save(out);
}

void RewardScale::load(StateReader& in) {
  in.get_all(std::span<Range>(range_));
  for (std::vector<float>& episode : episodes_) {
    const auto length = in.get<std::uint64_t>();
    if (length > kLongestEpisode) throw CorruptData(concat("an episode of ", length, " steps"));
    episode.resize(static_cast<std::size_t>(length));
    in.get_all(std::span<float>(episode));
  }
  for (nn::ReturnScale& one : moments_) one.load(in);
}

}  // namespace mneme::brc
