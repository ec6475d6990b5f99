// agents/common/runtime.h - devices, threads and memory of tensor operations.
#pragma once

#include <cstdint>
#include <string>

#include "mneme/index.h"

namespace mneme {

/// Call once per process, before the first agent is made: sets the number of threads of tensor
/// operations, and keeps freed memory between updates.
void prepare_compute(Index threads);

/// Throws NotFound unless `name` is "cpu", "cuda" or "cuda:N" and the device exists.
void check_device(const std::string& name);

/// Where tensors live, and the seed of initial weights and all noise.
struct ComputeOptions {
  std::string device = "cpu";  ///< "cpu", "cuda", "cuda:1"
  std::uint64_t seed = 0;
};

}  // namespace mneme
