// agents/compute.cpp - threads and memory of tensor operations.
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

}  // namespace mneme
