// agents/common/runtime.cpp - devices, threads and memory of tensor operations.
#include "agents/common/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <malloc.h>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

void prepare_compute(Index threads) {
  at::set_num_threads(static_cast<int>(threads));
#ifdef M_MMAP_THRESHOLD
  // Tensors of an update are megabytes large and short-lived: kept on the heap, their pages are not
  // returned to the system and requested again in every update.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
#endif
}

void check_device(const std::string& name) {
  if (name == "cpu") return;
  // LibTorch knows twenty kinds by name; agents support two.
  const std::string prefix = "cuda:";
  const std::string number = name.starts_with(prefix) ? name.substr(prefix.size()) : "0";
  const bool digits = !number.empty() && number.size() < 4 &&
                      number.find_first_not_of("0123456789") == std::string::npos;
  if ((name != "cuda" && !name.starts_with(prefix)) || !digits)
    throw NotFound(concat("device must be cpu, cuda or cuda:N, got '", name, "'"));
  if (!at::globalContext().hasCUDA())
    throw NotFound(concat("device '", name, "': no CUDA device found, or LibTorch was built ",
                          "without CUDA; --device cpu works"));
  const int count = at::detail::getCUDAHooks().deviceCount();
  if (std::stoi(number) >= count)
    throw NotFound(
        concat("device '", name, "': there are ", count, " CUDA devices, numbered from 0"));
}

}  // namespace mneme
