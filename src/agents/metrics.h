// agents/metrics.h - means of what updates report, and the guard against numbers that are none.
#pragma once

#include <cmath>
#include <utility>

#include "agents/agent.h"

namespace mneme {

class MetricSums {
 public:
  /// Throws Diverged if the number is NaN or infinite.
  void add(const std::string& name, double value, Index update) {
    if (!std::isfinite(value))
      throw Diverged(concat(name, " is ", value, " in update ", update,
                            "; the run stops here. Go on from the last checkpoint with a lower ",
                            "learning rate, or look at the rewards and observations"));
    Sum& sum = sums_[name];
    sum.total += value;
    ++sum.count;
  }

  Metrics take() {
    Metrics means;
    for (const auto& [name, sum] : sums_) means[name] = sum.total / static_cast<double>(sum.count);
    sums_.clear();
    return means;
  }

 private:
  struct Sum {
    double total = 0;
    Index count = 0;
  };
  std::map<std::string, Sum> sums_;
};

}  // namespace mneme
