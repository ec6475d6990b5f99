// storage/pages.h - a large block of zeroed memory that costs nothing until it is touched, in huge pages where possible.
#pragma once

#include <cstddef>
#include <utility>

namespace mneme {

class Pages {
 public:
  Pages() = default;
  /// Throws IoError if the system has no room for it.
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Bytes of physical memory in this machine; 0 if that cannot be known.
std::size_t physical_memory();

}  // namespace mneme
