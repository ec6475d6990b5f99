// stats/score_matrix.cpp - runs by tasks, stored task after task.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/stats.h"

namespace mneme::stats {
namespace {

void check_finite(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      throw InvalidArgument(concat("scores: value ", i, " is ", values[i],
                                   "; every score must be finite: remove the run or fix it"));
  }
}

}  // namespace

ScoreMatrix::ScoreMatrix(std::size_t runs, std::size_t tasks, std::span<const double> values) {
  // Division, not multiplication: runs * tasks could wrap around.
  if (runs == 0 || tasks == 0 || values.size() / runs != tasks || values.size() % runs != 0)
    throw InvalidArgument(concat("scores: ", values.size(), " values for ", runs, " runs and ",
                                 tasks, " tasks; pass runs * tasks values, at least one"));
  check_finite(values);
  values_.reserve(values.size());
  for (std::size_t m = 0; m < tasks; ++m) {
    offsets_.push_back(values_.size());
    for (std::size_t r = 0; r < runs; ++r) values_.push_back(values[r * tasks + m]);
  }
  offsets_.push_back(values_.size());
}

ScoreMatrix::ScoreMatrix(const std::vector<std::vector<double>>& runs_of_task) {
  if (runs_of_task.empty()) throw InvalidArgument("scores: no task was given; pass at least one");
  offsets_.push_back(0);
  for (std::size_t m = 0; m < runs_of_task.size(); ++m) {
    if (runs_of_task[m].empty())
      throw InvalidArgument(concat("scores: task ", m, " has no run; pass at least one"));
    check_finite(runs_of_task[m]);
    values_.insert(values_.end(), runs_of_task[m].begin(), runs_of_task[m].end());
    offsets_.push_back(values_.size());
  }
}

std::size_t ScoreMatrix::fewest_runs() const {
  std::size_t fewest = runs(0);
  for (std::size_t m = 1; m < tasks(); ++m) fewest = std::min(fewest, runs(m));
  return fewest;
}

std::size_t ScoreMatrix::most_runs() const {
  std::size_t most = 0;
  for (std::size_t m = 0; m < tasks(); ++m) most = std::max(most, runs(m));
  return most;
}

void ScoreMatrix::assign(std::span<const double> values) {
  if (values.size() != values_.size())
    throw InvalidArgument(concat("scores: ", values.size(), " values for a matrix of ",
                                 values_.size(), "; pass as many as it has"));
  std::copy(values.begin(), values.end(), values_.begin());
}

}  // namespace mneme::stats
