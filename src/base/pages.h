// base/pages.h - a large block of zeroed memory that costs nothing until it is touched, in huge
// pages where possible.
#pragma once

#include <cstddef>
#include <utility>

namespace mneme {

class Pages {
 public:
  enum class Size { huge, usual };  // usual: for what is rarely more than a huge page

  Pages() = default;
  /// Throws IoError if the system has no room for it.
  explicit Pages(std::size_t bytes, Size size = Size::huge);
  ~Pages();
  Pages(Pages&& other) noexcept { swap(other); }
  Pages& operator=(Pages&& other) noexcept {
    swap(other);
    return *this;
  }

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  void swap(Pages& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(bytes_, other.bytes_);
  }

  void* base_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t mapped_ = 0, bytes_ = 0;
};

/// Bytes of physical memory in this machine; 0 if that cannot be known.
std::size_t physical_memory();

}  // namespace mneme
