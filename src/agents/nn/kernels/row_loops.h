// agents/nn/kernels/row_loops.h - vectorized loops over the rows of a tensor on a CPU.
//
// Small networks spend most of their time between matrix products, in a dozen passes over the same
// numbers and in the calls that start them. A fused layer is one such loop.
#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/cpu.h"

namespace mneme::nn {

/// Members of an ensemble, rows of each and numbers in a row: the shape of a (members, rows, width)
/// tensor, or of a (rows, width) one.
struct RowShape {
  std::int64_t members, rows, width;
};

namespace detail {

template <class Loop>
MNEME_AVX2 void run_avx2(const Loop& loop) {
  loop();
}

template <class Loop>
void run(const Loop& loop) {
  if (mneme::detail::use_avx2())
    run_avx2(loop);
  else
    loop();
}

}  // namespace detail

/// body(member, row, sums) for every row, rows counted through all members. `sums` are `count`
/// numbers to add to, whose totals over the rows of each member end in `totals` (members, count);
/// count may be 0. Rows are cut into the same pieces whatever the number of threads, so totals have
/// the same bits.
template <class T, class Body>
void each_row(const RowShape& shape, std::int64_t count, T* totals, const Body& body) {
  constexpr std::int64_t kPiece = 64;
  const std::int64_t pieces = (shape.rows + kPiece - 1) / kPiece;
  std::vector<T> sums(static_cast<std::size_t>(shape.members * pieces * count));
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / (kPiece * shape.width));
  at::parallel_for(0, shape.members * pieces, grain, [&](std::int64_t begin, std::int64_t end) {
    detail::run([&] {
      for (std::int64_t piece = begin; piece < end; ++piece) {
        const std::int64_t member = piece / pieces, first = piece % pieces * kPiece;
        const std::int64_t last = std::min(first + kPiece, shape.rows);
        for (std::int64_t row = first; row < last; ++row)
          body(member, member * shape.rows + row, sums.data() + piece * count);
      }
    });
  });
  if (count == 0) return;
  std::fill(totals, totals + shape.members * count, T{0});
  for (std::int64_t piece = 0; piece < shape.members * pieces; ++piece)
    for (std::int64_t i = 0; i < count; ++i)
      totals[piece / pieces * count + i] += sums[static_cast<std::size_t>(piece * count + i)];
}

template <class T, class Body>
void each_row(const RowShape& shape, const Body& body) {
  each_row<T>(shape, 0, nullptr,
              [&](std::int64_t member, std::int64_t row, T*) { body(member, row); });
}

/// Sum of term(i) for i below n, in sixteen lanes: a compiler may use vector instructions without
/// changing the order of additions.
template <class T, class Term>
T lane_sum(std::int64_t n, const Term& term) {
  constexpr std::int64_t kLanes = 16;
  T lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  T sum = 0;
  for (; i < n; ++i) sum += term(i);
  for (const T lane : lanes) sum += lane;
  return sum;
}

/// The greatest of n > 0 values, in sixteen lanes; unspecified if one of them is NaN.
template <class T>
T lane_max(std::int64_t n, const T* x) {
  constexpr std::int64_t kLanes = 16;
  T lanes[kLanes];
  std::fill(lanes, lanes + kLanes, x[0]);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  T best = x[0];
  for (; i < n; ++i) best = x[i] > best ? x[i] : best;
  for (const T lane : lanes) best = lane > best ? lane : best;
  return best;
}

}  // namespace mneme::nn
