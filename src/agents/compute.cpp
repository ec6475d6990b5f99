// agents/compute.cpp - devices, threads and memory of tensor operations.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <malloc.h>

#include "agents/registry.h"

namespace mneme {

void prepare_compute(Index threads) {
  at::set_num_threads(static_cast<int>(threads));
#ifdef M_MMAP_THRESHOLD
  // Tensors of an update come and go by the megabyte: kept on the heap they are not given back to
  // the system, page by page, and asked for again.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
#endif
}

void check_device(const std::string& name) {
  if (name == "cpu") return;
  // LibTorch knows twenty kinds by name; agents are written for two.
  if (name != "cuda" && name.rfind("cuda:", 0) != 0)
    throw NotFound(concat("device '", name, "' is not known; cpu, cuda or cuda:N"));
  if (!at::globalContext().hasCUDA())
    throw NotFound(concat("device '", name, "': the LibTorch this program is linked with has no ",
                          "CUDA, or finds no graphics card; --device cpu works"));
}

}  // namespace mneme
