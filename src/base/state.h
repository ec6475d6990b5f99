// base/state.h - where a part writes its state and reads it back.
//
// The owner of the file decides where the bytes go, their checksum and their version; a part only
// puts numbers one after the other, in the byte order of the machine (every machine mneme runs on
// is little-endian).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "mneme/error.h"

namespace mneme {

class StateWriter {
 public:
  virtual ~StateWriter() = default;
  virtual void write(const void* data, std::size_t bytes) = 0;

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    write(&value, sizeof value);
  }
  template <class T>
  void put_all(std::span<const T> values) {
    write(values.data(), values.size_bytes());
  }
};

class StateReader {
 public:
  virtual ~StateReader() = default;

  /// Throws CorruptData if fewer bytes are left.
  virtual void read(void* data, std::size_t bytes) = 0;

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    read(&value, sizeof value);
    return value;
  }
  template <class T>
  void get_all(std::span<T> values) {
    read(values.data(), values.size_bytes());
  }
};

inline void put_text(StateWriter& out, const std::string& text) {
  out.put(static_cast<std::uint64_t>(text.size()));
  out.write(text.data(), text.size());
}
/// Throws CorruptData also for a length that no name or setting has.
inline std::string get_text(StateReader& in) {
  const auto length = in.get<std::uint64_t>();
  if (length > 1U << 20) throw CorruptData("the saved state has a name of impossible length");
  std::string text(static_cast<std::size_t>(length), '\0');
  in.read(text.data(), text.size());
  return text;
}

/// State in memory.
class ByteWriter final : public StateWriter {
 public:
  void write(const void* data, std::size_t bytes) override {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes);
    if (bytes > 0) std::memcpy(bytes_.data() + at, data, bytes);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class ByteReader final : public StateReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}
  std::size_t left() const { return left_.size(); }
  /// `bytes`, if so many are left: look before memory is taken for them.
  std::size_t claim(std::uint64_t bytes) const {
    if (bytes > left_.size()) throw CorruptData("the saved state ends too early");
    return static_cast<std::size_t>(bytes);
  }
  void read(void* data, std::size_t bytes) override {
    claim(bytes);
    if (bytes > 0) std::memcpy(data, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace mneme
