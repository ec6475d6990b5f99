// priorities/aligned_array.h - a fixed array of zeros on cache-line boundaries.
//
// Large arrays start on a 2 MiB boundary and ask the system for huge pages: a tree walk touches a
// random page per level, and with 4 KiB pages the address translation misses more often than the
// data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace mneme::detail {

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedArray() = default;

  /// Throws std::bad_alloc.
  explicit AlignedArray(std::size_t size) : size_(size) {
    constexpr std::size_t kHuge = std::size_t{2} << 20;
    const std::size_t alignment = size * sizeof(T) >= kHuge ? kHuge : 64;
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    auto* raw = static_cast<T*>(::operator new(bytes, std::align_val_t{alignment}));
    data_ = std::unique_ptr<T, Free>(raw, Free{alignment});
#if defined(__linux__)
    // Only a hint: without it everything works, slower.
    if (alignment == kHuge) static_cast<void>(::madvise(raw, bytes, MADV_HUGEPAGE));
#endif
    std::memset(static_cast<void*>(raw), 0, bytes);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    std::size_t alignment = 64;
    void operator()(T* at) const { ::operator delete(at, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace mneme::detail
