// agents/nn/moments.cpp - merging the moments of a batch into those so far.
#include "agents/nn/moments.h"

#include "agents/nn/tensors.h"

namespace mneme::nn {

Moments::Moments(std::int64_t features, double count, Merge merge, at::Device device)
    : mean_(at::zeros({features}, at::TensorOptions(device).dtype(at::kDouble))),
      variance_(at::ones_like(mean_)),
      count_(count),
      merge_(merge) {}

void Moments::update(const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  const at::Tensor batch = rows.to(at::kDouble);
  const auto n = static_cast<double>(batch.size(0));
  const double total = count_ + n;
  const at::Tensor mean = batch.mean(0);
  const at::Tensor variance = batch.var(0, /*unbiased=*/false);
  at::Tensor distance = mean - mean_;
  mean_.add_(distance, n / total);
  if (merge_ == Merge::fasttd3) distance = mean - mean_;
  variance_.mul_(count_ / total)
      .add_(variance, n / total)
      .add_(distance.square(), count_ / total * (n / total));
  count_ = total;
}

void Moments::save(StateWriter& out) const {
  put_tensor(out, mean_);
  put_tensor(out, variance_);
  out.put(count_);
}

void Moments::load(StateReader& in) {
  get_tensor(in, mean_);
  get_tensor(in, variance_);
  count_ = in.get<double>();
}

}  // namespace mneme::nn
