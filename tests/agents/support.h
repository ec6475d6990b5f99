// tests/agents/support.h - tensors in tests, and a small world to learn.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <vector>

#include "agents/agent.h"
#include "mneme/replay_buffer.h"

namespace mneme::testing {

/// One thread: what a test shows must not depend on how many there are, and it is faster.
inline const bool kOneThread = [] {
  at::set_num_threads(1);
  return true;
}();

inline at::Tensor numbers(const std::vector<double>& values, at::ScalarType type = at::kDouble) {
  return at::tensor(values, at::kDouble).to(type);
}

inline at::Tensor matrix(const std::vector<std::vector<double>>& rows,
                         at::ScalarType type = at::kDouble) {
  std::vector<at::Tensor> list;
  for (const auto& row : rows) list.push_back(numbers(row, type));
  return at::stack(list);
}

inline void assign(const at::Tensor& to, const at::Tensor& from) {
  const at::NoGradGuard no_grad;
  to.copy_(from);
}

/// What a fixture of so many digits promises, in either type.
inline double tolerance(at::ScalarType type, double in_double = 1e-8) {
  return type == at::kDouble ? in_double : 2e-6;
}

inline void expect_near(const at::Tensor& actual, const std::vector<double>& expected,
                        double within, const std::string& what = "") {
  const at::Tensor flat = actual.detach().to(at::kDouble).cpu().contiguous().view({-1});
  ASSERT_EQ(flat.numel(), static_cast<std::int64_t>(expected.size())) << what;
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(flat[static_cast<std::int64_t>(k)].item<double>(), expected[k], within)
        << what << " at " << k;
}

/// A buffer with a few episodes in every stream: numbers of a small linear world, so that there is
/// something to learn.
ReplayBuffer small_world(const AgentShape& shape, const std::string& sampler, Index steps,
                         const std::string& stream_policy = "uniform", Index n_step = 1);

}  // namespace mneme::testing
