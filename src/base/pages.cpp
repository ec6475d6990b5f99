// base/pages.cpp - anonymous mappings.
#include "base/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20;  // a huge page

}  // namespace

Pages::Pages(std::size_t bytes, Size size) : bytes_(bytes) {
  if (bytes == 0) return;
  // One huge page more than needed, so that the data can start on the boundary of one.
  mapped_ = size == Size::huge && bytes >= 2 * kHuge ? bytes + kHuge : bytes;
  base_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base_ == MAP_FAILED) {
    base_ = nullptr;
    throw IoError(
        concat("the system gives no ", bytes, " bytes of memory: ", std::strerror(errno)));
  }
  data_ = static_cast<std::byte*>(base_);
  if (mapped_ > bytes) {
    data_ += (kHuge - reinterpret_cast<std::uintptr_t>(data_) % kHuge) % kHuge;
#ifdef MADV_HUGEPAGE
    // A wish, not a demand: without huge pages everything works, with more misses in the
    // translation cache.
    static_cast<void>(madvise(data_, bytes, MADV_HUGEPAGE));
#endif
  }
}

Pages::~Pages() {
  if (base_ != nullptr) munmap(base_, mapped_);
}

std::size_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(size)
                               : 0;
}

}  // namespace mneme
