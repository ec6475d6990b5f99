// agents/nn/stats/moments.cpp - running mean and variance per feature.
#include "agents/nn/stats/moments.h"

#include "agents/nn/io/tensors.h"

namespace mneme::nn {
namespace {

struct BatchMoments {
  at::Tensor mean, variance;  // of the columns, in double
};

// Two passes over single-precision rows with sums in double; a copy of the batch in double would
// cost several times as much.
BatchMoments moments_on_cpu(const at::Tensor& rows) {
  const at::Tensor x = rows.contiguous();
  const std::int64_t count = x.size(0), columns = x.size(1);
  BatchMoments found{at::zeros({columns}, at::kDouble), at::zeros({columns}, at::kDouble)};
  const float* first = x.const_data_ptr<float>();
  double* mean = found.mean.mutable_data_ptr<double>();
  double* variance = found.variance.mutable_data_ptr<double>();
  const auto n = static_cast<double>(count);
  for (const float* row = first; row != first + count * columns; row += columns)
    for (std::int64_t c = 0; c < columns; ++c) mean[c] += static_cast<double>(row[c]);
  for (std::int64_t c = 0; c < columns; ++c) mean[c] /= n;
  for (const float* row = first; row != first + count * columns; row += columns) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double distance = static_cast<double>(row[c]) - mean[c];
      variance[c] += distance * distance;
    }
  }
  for (std::int64_t c = 0; c < columns; ++c) variance[c] /= n;
  return found;
}

BatchMoments moments_of(const at::Tensor& rows) {
  if (rows.is_cpu() && rows.scalar_type() == at::kFloat) return moments_on_cpu(rows);
  const at::Tensor batch = rows.to(at::kDouble);
  return {batch.mean(0), batch.var(0, /*unbiased=*/false)};
}

}  // namespace

Moments::Moments(std::int64_t features, double count, Merge merge, at::Device device)
    : mean_(at::zeros({features}, at::TensorOptions(device).dtype(at::kDouble))),
      variance_(at::ones_like(mean_)),
      count_(count),
      merge_(merge) {}

void Moments::update(const at::Tensor& rows) {
  const at::NoGradGuard no_grad;
  const auto [mean, variance] = moments_of(rows);
  const auto n = static_cast<double>(rows.size(0));
  const double total = count_ + n;
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

at::Tensor normalized(const at::Tensor& rows, const at::Tensor& mean, const at::Tensor& factor) {
  const at::NoGradGuard no_grad;
  if (!rows.is_cpu() || rows.scalar_type() != at::kFloat)
    return ((rows.to(at::kDouble) - mean) * factor).to(rows.scalar_type());
  // The same number by number, without copies of the batch in double.
  const at::Tensor x = rows.contiguous();
  at::Tensor seen = at::empty_like(x);
  const std::int64_t columns = x.size(1);
  const auto* middle = mean.const_data_ptr<double>();
  const auto* by = factor.const_data_ptr<double>();
  const auto* from = x.const_data_ptr<float>();
  auto* to = seen.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < x.size(0); ++row, from += columns, to += columns)
    for (std::int64_t c = 0; c < columns; ++c)
      to[c] = static_cast<float>((static_cast<double>(from[c]) - middle[c]) * by[c]);
  return seen;
}

}  // namespace mneme::nn
