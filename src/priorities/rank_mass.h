// priorities/rank_mass.h - Z(r) = 1 + 2^-alpha + ... + r^-alpha, and which rank a mass belongs to.
//
// The first ranks come from a table, the rest from the Euler-Maclaurin formula, whose first
// neglected term is below 1e-20 there. So nothing has to be rebuilt when the number of rows
// changes.
#pragma once

#include <algorithm>
#include <array>

#include "base/elementary.h"
#include "mneme/index.h"

namespace mneme::detail {

class RankMass {
 public:
  explicit RankMass(double alpha) : alpha_(alpha) {
    for (std::size_t r = 1; r < table_.size(); ++r) {
      table_[r] = table_[r - 1] + pow_of(static_cast<double>(r), -alpha);
    }
    offset_ = table_.back() - smooth(static_cast<double>(table_.size() - 1));
  }

  /// Mass of ranks 1 .. r.
  double through(Index r) const {
    if (r < static_cast<Index>(table_.size())) return table_[static_cast<std::size_t>(r)];
    return offset_ + smooth(static_cast<double>(r));
  }

  /// About the number of ranks whose mass lies wholly below `mass`: exact in the table, off by
  /// rounding above it.
  Index before(double mass, Index rows) const {
    if (mass < table_.back()) {
      const auto above = std::upper_bound(table_.begin(), table_.end(), mass);
      return std::min<Index>(above - table_.begin() - 1, rows - 1);
    }
    // Invert the leading term, the integral of x^-alpha from 1.
    const double integral = mass - offset_, bend = 1 - alpha_;
    const double log_rank = std::abs(bend * integral) < 1e-9
                                ? integral
                                : log1p_of(std::max(bend * integral, -1 + 1e-12)) / bend;
    const double rank = exp_of(std::min(log_rank, 40.0));
    return rank >= static_cast<double>(rows) ? rows - 1 : static_cast<Index>(rank);
  }

 private:
  // integral of x^-alpha from 1 to r, plus the corrections of Euler and Maclaurin at r.
  double smooth(double r) const {
    const double log_r = log_of(r), bend = (1 - alpha_) * log_r;
    const double integral = std::abs(bend) < 1e-12 ? log_r : expm1_of(bend) / (1 - alpha_);
    const double power = exp_of(-alpha_ * log_r);
    return integral + power * (0.5 - alpha_ / (12 * r) +
                               alpha_ * (alpha_ + 1) * (alpha_ + 2) / (720 * r * r * r));
  }

  double alpha_, offset_ = 0;
  std::array<double, 1025> table_{};
};

}  // namespace mneme::detail
