// agents/nn/stats/return_scale.cpp - discounted returns and their moments.
#include "agents/nn/stats/return_scale.h"

#include <algorithm>
#include <cmath>

namespace mneme::nn {

ReturnScale::ReturnScale(std::size_t environments, const Options& options)
    : options_(options), returns_(environments, 0.0), count_(options.count) {}

void ReturnScale::update(std::span<const float> rewards, std::span<const std::uint8_t> done) {
  const auto n = static_cast<double>(returns_.size());
  double sum = 0;
  for (std::size_t e = 0; e < returns_.size(); ++e) {
    const double carried = done[e] != 0 ? 0.0 : options_.discount * returns_[e];
    returns_[e] = carried + static_cast<double>(rewards[e]);
    sum += returns_[e];
    largest_ = std::max(largest_, std::abs(returns_[e]));
  }
  const double mean = sum / n;
  double squares = 0;
  for (const double one : returns_) squares += (one - mean) * (one - mean);
  const double total = count_ + n;
  double distance = mean - mean_;
  mean_ += distance * n / total;
  if (options_.merge == Merge::fasttd3) distance = mean - mean_;
  variance_ = (variance_ * count_ + squares + distance * distance * count_ * n / total) / total;
  count_ = total;
}

void ReturnScale::save(StateWriter& out) const {
  out.put_all(std::span<const double>(returns_));
  for (const double number : {mean_, variance_, count_, largest_}) out.put(number);
}

void ReturnScale::load(StateReader& in) {
  in.get_all(std::span<double>(returns_));
  for (double* number : {&mean_, &variance_, &count_, &largest_}) *number = in.get<double>();
}

}  // namespace mneme::nn
