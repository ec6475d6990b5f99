// agents/fasttd3/normalizers.cpp - normalization of observations and rewards.
#include "agents/fasttd3/normalizers.h"

#include <algorithm>
#include <cmath>

namespace mneme::fasttd3 {
namespace {

constexpr double kLeastDeviation = 0.01, kTiny = 1e-8;

}  // namespace

at::Tensor ObservationNormalizer::factor() const {
  return (moments_.variance().sqrt() + kLeastDeviation).reciprocal();
}

at::Tensor ObservationNormalizer::operator()(const at::Tensor& rows) const {
  return nn::normalized(rows, moments_.mean(), factor());
}

RewardNormalizer::RewardNormalizer(const Options& options) : options_(options) {
  // The public code's own rule is that of a single task; for several it has the exact one.
  const nn::Merge merge = options.tasks == 1 ? options.merge : nn::Merge::exact;
  returns_.assign(options.tasks,
                  nn::ReturnScale(options.environments,
                                  {.discount = options.discount, .count = 0, .merge = merge}));
}

void RewardNormalizer::count(std::span<const float> rewards, std::span<const std::uint8_t> done) {
  for (std::size_t t = 0; t < returns_.size(); ++t)
    returns_[t].update(rewards.subspan(t * options_.environments, options_.environments),
                       done.subspan(t * options_.environments, options_.environments));
}

double RewardNormalizer::divisor(std::size_t task) const {
  const nn::ReturnScale& returns = returns_[task];
  const double one =
      std::max(std::sqrt(returns.variance()) + kTiny, returns.largest() / options_.bound);
  return options_.tasks == 1 ? one : one + kTiny;
}

at::Tensor RewardNormalizer::operator()(const at::Tensor& rewards, const at::Tensor& task) const {
  if (options_.tasks == 1) return rewards / divisor(0);
  const at::Tensor all = at::empty({static_cast<std::int64_t>(options_.tasks)}, at::kDouble);
  for (std::size_t t = 0; t < options_.tasks; ++t) all.mutable_data_ptr<double>()[t] = divisor(t);
  return rewards / all.to(rewards.options()).index_select(0, task);
}

void RewardNormalizer::save(StateWriter& out) const {
  for (const nn::ReturnScale& one : returns_) one.save(out);
}

void RewardNormalizer::load(StateReader& in) {
  for (nn::ReturnScale& one : returns_) one.load(in);
}

}  // namespace mneme::fasttd3
