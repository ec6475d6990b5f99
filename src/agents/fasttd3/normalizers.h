// agents/fasttd3/normalizers.h - normalization of observations and rewards.
#pragma once

#include "agents/nn/stats/moments.h"
#include "agents/nn/stats/return_scale.h"

namespace mneme::fasttd3 {

/// (x - mean) / (deviation + 0.01), feature by feature, of all rows counted so far.
class ObservationNormalizer {
 public:
  ObservationNormalizer(std::int64_t features, nn::Merge merge, at::Device device)
      : moments_(features, 0, merge, device) {}

  void count(const at::Tensor& rows) { moments_.update(rows); }
  at::Tensor operator()(const at::Tensor& rows) const;

  const nn::Moments& moments() const { return moments_; }
  /// What a difference from the mean is multiplied by.
  at::Tensor factor() const;

  void save(StateWriter& out) const { moments_.save(out); }
  void load(StateReader& in) { moments_.load(in); }

 private:
  nn::Moments moments_;
};

/// r / max(deviation of returns, largest return / bound), neither centered nor clipped. Returns are
/// those of each environment; with several tasks each has statistics of its own.
class RewardNormalizer {
 public:
  struct Options {
    std::size_t tasks = 1, environments = 1;  ///< environments: of each task
    double discount = 0.99;
    double bound = 10;
    nn::Merge merge = nn::Merge::exact;  ///< of a single task; several are always exact
  };
  explicit RewardNormalizer(const Options& options);

  /// One step of every environment, task after task.
  void count(std::span<const float> rewards, std::span<const std::uint8_t> done);
  void on_episodes_interrupted() {
    for (nn::ReturnScale& one : returns_) one.on_episodes_interrupted();
  }
  /// Of a batch with these tasks.
  at::Tensor operator()(const at::Tensor& rewards, const at::Tensor& task) const;

  double divisor(std::size_t task) const;
  const nn::ReturnScale& returns(std::size_t task) const { return returns_[task]; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  Options options_;
  std::vector<nn::ReturnScale> returns_;
};

}  // namespace mneme::fasttd3
