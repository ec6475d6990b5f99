// agents/common/metrics.h - running means of training metrics; throws on NaN and infinity.
#pragma once

#include <cmath>
#include <utility>

#include "agents/agent.h"
#include "base/state.h"

namespace mneme {

class MetricSums {
 public:
  /// Throws Diverged if the number is NaN or infinite.
  void add(const std::string& name, double value, Index update) {
    if (!std::isfinite(value))
      throw Diverged(concat(name, " is ", value, " in update ", update,
                            "; the run stops. Resume from the last checkpoint with a lower ",
                            "learning rate, or check the rewards and observations"));
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

  // Part of a checkpoint, which may be written between two lines of metrics.
  void save(StateWriter& out) const {
    out.put(static_cast<std::uint64_t>(sums_.size()));
    for (const auto& [name, sum] : sums_) {
      put_text(out, name);
      out.put(sum.total);
      out.put(sum.count);
    }
  }
  void load(StateReader& in) {
    std::map<std::string, Sum> sums;
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
      Sum& sum = sums[get_text(in)];
      sum.total = in.get<double>();
      sum.count = in.get<Index>();
    }
    sums_ = std::move(sums);
  }

 private:
  struct Sum {
    double total = 0;
    Index count = 0;
  };
  std::map<std::string, Sum> sums_;
};

}  // namespace mneme
