// tests/envs/dmc.h - what tests of tasks share: one task by name, and whether it can run here.
#pragma once

#include <gtest/gtest.h>
#include <cctype>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "envs/registry.h"

namespace mneme::envs::test {

/// A task's name as part of a test's.
inline std::string plain_name(std::string task) {
  for (char& c : task)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return task;
}

inline bool available(std::string_view name) { return find_task(name).info.available; }

inline std::unique_ptr<Task> make(std::string_view spec) { return make_task(parse_env_spec(spec)); }

/// The observation in the suite's own order.
inline std::vector<double> observation(const Task& task, std::string_view name) {
  std::vector<double> out(static_cast<std::size_t>(find_task(name).info.observation));
  task.observe(out);
  return out;
}

/// The checksum of the fixtures: sum of obs_j cos(j).
inline double checksum(const std::vector<double>& numbers) {
  double sum = 0;
  for (std::size_t j = 0; j < numbers.size(); ++j)
    sum += numbers[j] * std::cos(static_cast<double>(j));
  return sum;
}

}  // namespace mneme::envs::test

#define MNEME_SKIP_IF_MISSING(name)          \
  if (!::mneme::envs::test::available(name)) \
  GTEST_SKIP() << (name) << ": " << ::mneme::envs::find_task(name).info.install
