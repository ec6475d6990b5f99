// storage/pages.cpp - anonymous mappings.
#include "storage/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

Pages::Pages(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    throw IoError(concat("the system gives no ", bytes, " bytes of memory: ", std::strerror(errno)));
  }
#ifdef MADV_HUGEPAGE
  // A wish, not a demand: without huge pages everything works, with more misses in the translation cache.
  if (bytes >= (std::size_t{4} << 20)) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
}

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size) : 0;
}

}  // namespace mneme
