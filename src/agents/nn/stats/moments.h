// agents/nn/stats/moments.h - running mean and variance per feature, in double precision.
//
//   d = mean(batch) - mean,  N = count + n
//   mean += d n / N,  var = (var count + var(batch) n + d^2 count n / N) / N
#pragma once

#include <ATen/ATen.h>

#include "base/state.h"

namespace mneme::nn {

/// How the distance between the means enters the variance.
enum class Merge {
  exact,    ///< as above (Chan et al. 1979)
  fasttd3,  ///< with the distance to the mean after the update, as FastTD3's public code has it:
            ///< too small by (count / N)^2
};

class Moments {
 public:
  /// Of `features` numbers per row; The initial mean 0 and variance 1 weigh `count` rows.
  Moments(std::int64_t features, double count, Merge merge, at::Device device = at::kCPU);

  /// Rows (n, features).
  void update(const at::Tensor& rows);

  const at::Tensor& mean() const { return mean_; }
  const at::Tensor& variance() const { return variance_; }
  double count() const { return count_; }

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  at::Tensor mean_, variance_;
  double count_;
  Merge merge_;
};

/// (rows - mean) * factor column by column, in double inside and in the type of `rows` outside. No
/// gradient passes.
at::Tensor normalized(const at::Tensor& rows, const at::Tensor& mean, const at::Tensor& factor);

}  // namespace mneme::nn
