// tests/priorities/naive_stream.h - one stream with every row it ever had, and each distribution
// straight from its definition.
//
// Slow on purpose: sums are taken anew for every question.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "priorities/priority_distribution.h"

namespace mneme::test {

struct NaiveRow {
  double d = 1;         // absolute error as far as sums and ranks go
  double priority = 1;  // what its mass is made of, eps included
  bool drawable = true, updated = false;
  int episode = 0;
};

struct NaiveStream {
  Index capacity;
  double eps;
  std::vector<NaiveRow> rows = {};  // every row ever; the last `capacity` are in the ring
  std::map<int, bool> ended = {};   // by episode
  int episode = 0;
  double max_d = 1, max_priority = 1;

  Index stored() const { return std::min<Index>(capacity, static_cast<Index>(rows.size())); }
  Index first() const { return static_cast<Index>(rows.size()) - stored(); }
  Index slot_of(Index sequence) const { return sequence % capacity; }
  Index sequence_of(Index slot) const {  // -1: never written
    for (Index s = first(); s < static_cast<Index>(rows.size()); ++s) {
      if (slot_of(s) == slot) return s;
    }
    return -1;
  }
  NaiveRow* at(Index slot) {
    const Index s = sequence_of(slot);
    return s < 0 ? nullptr : &rows[static_cast<std::size_t>(s)];
  }

  void append(bool end, RowState state) {
    if (ended[episode]) ++episode;
    rows.push_back({max_d, max_priority, state == RowState::drawable, false, episode});
    if (end) ended[episode] = true;
  }
  void admit(Index slot) {
    NaiveRow* row = at(slot);
    if (row->drawable) return;
    row->drawable = true;
    row->updated = false;
    row->priority = max_priority;
  }
  // Mirrors FeedbackCount: applied, refused or skipped.
  void update(Index slot, float value, Feedback feedback, FeedbackCount& counts) {
    NaiveRow* row = at(slot);
    if (!std::isfinite(value) || (feedback == Feedback::priority && value < 0)) {
      ++counts.refused;
    } else if (row == nullptr || !row->drawable) {
      ++counts.skipped;
    } else {
      ++counts.applied;
      row->d = std::abs(static_cast<double>(value));
      row->priority = row->d + (feedback == Feedback::td_error ? eps : 0);
      row->updated = true;
      max_d = std::max(max_d, row->d);
      max_priority = std::max(max_priority, row->priority);
    }
  }

  // Masses by slot. A mass is 0 where no drawable row is.
  template <class Mass>
  std::vector<double> masses(const Mass& mass) const {
    std::vector<double> out(static_cast<std::size_t>(capacity));
    for (Index s = first(); s < static_cast<Index>(rows.size()); ++s) {
      const NaiveRow& row = rows[static_cast<std::size_t>(s)];
      if (row.drawable) out[static_cast<std::size_t>(slot_of(s))] = mass(row, s);
    }
    return out;
  }

  std::vector<double> proportional(double alpha) const {
    return masses([&](const NaiveRow& row, Index) { return std::pow(row.priority, alpha); });
  }

  std::vector<double> recency_priority(double alpha, double recency) const {
    return masses([&](const NaiveRow& row, Index s) {
      const auto age = static_cast<double>(static_cast<Index>(rows.size()) - 1 - s);
      const double steps = static_cast<double>(std::max<Index>(1, capacity - 1));
      return std::pow(row.priority, alpha) * std::exp2(-recency * age / steps);
    });
  }

  static std::uint32_t tie_key(double d) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(d)) >> 15;
  }
  std::vector<double> rank_based(double alpha) const {
    return masses([&](const NaiveRow& row, Index) {
      int above = 0, ties = 0;
      for (Index t = first(); t < static_cast<Index>(rows.size()); ++t) {
        const NaiveRow& other = rows[static_cast<std::size_t>(t)];
        above += other.drawable && tie_key(rank_d(other)) > tie_key(rank_d(row)) ? 1 : 0;
        ties += other.drawable && tie_key(rank_d(other)) == tie_key(rank_d(row)) ? 1 : 0;
      }
      double mass = 0;
      for (int r = above + 1; r <= above + ties; ++r) mass += std::pow(r, -alpha);
      return mass / ties;
    });
  }
  // Rank has no eps: what counts is the error, for admitted rows the largest error.
  static double rank_d(const NaiveRow& row) { return row.updated ? row.d : row.priority; }

  double sum(int of_episode, Index through) const {
    double s = 0;
    for (Index t = 0; t <= through; ++t) {
      const NaiveRow& row = rows[static_cast<std::size_t>(t)];
      s += row.episode == of_episode ? row.d : 0;
    }
    return s;
  }
  double reliability(Index s) const {
    const Index last = static_cast<Index>(rows.size()) - 1;
    const int e = rows[static_cast<std::size_t>(s)].episode;
    const auto is_ended = [&](int k) { return ended.count(k) != 0 && ended.at(k); };
    double denominator = 0;
    if (is_ended(e)) {
      denominator = sum(e, last);
    } else {
      for (Index t = first(); t <= last; ++t) {
        const int k = rows[static_cast<std::size_t>(t)].episode;
        if (is_ended(k)) denominator = std::max(denominator, sum(k, last));
      }
      if (denominator == 0) denominator = 1;
      denominator = std::max(denominator, sum(e, last));
    }
    return denominator > 0 ? sum(e, s) / denominator : 1;
  }
  std::vector<double> reaper(double alpha, double omega) const {
    return masses([&](const NaiveRow& row, Index s) {
      const double factor = row.updated ? std::pow(reliability(s), omega) : 1;
      return std::pow(row.priority, alpha) * factor;
    });
  }
};

}  // namespace mneme::test
