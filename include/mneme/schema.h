// mneme/schema.h - what a stored row consists of: named fields with shapes and storage types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mneme/index.h"

namespace mneme {

/// How numbers are stored, and the types they can be handed in and asked for.
enum class DType : std::uint8_t { f32, f64, f16, bf16, u8, i32, i64 };

std::size_t size_of(DType type);
std::string_view name_of(DType type);

/// Shape and storage type of one field; `{17}` is 17 floats, `{{84, 84}, DType::u8}` an image, `{}`
/// a scalar.
struct FieldSpec {
  FieldSpec(std::initializer_list<Index> dimensions) : shape(dimensions) {}
  FieldSpec(std::vector<Index> dimensions, DType storage)
      : shape(std::move(dimensions)), type(storage) {}

  std::vector<Index> shape;
  DType type = DType::f32;

  /// Numbers per row: the product of the dimensions, 1 for a scalar.
  Index count() const;
  std::size_t bytes() const { return static_cast<std::size_t>(count()) * size_of(type); }
};

/// A field beyond observation, action and reward.
struct NamedField {
  std::string name;
  FieldSpec spec;
};

namespace detail {

template <class T>
constexpr DType type_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else {
    static_assert(std::is_same_v<T, std::int64_t>, "float, double, uint8_t, int32_t or int64_t");
    return DType::i64;
  }
}

}  // namespace detail

/// Numbers in the caller's memory, with their type. Converts from spans and vectors of float,
/// double, uint8_t, int32_t and int64_t; `raw` takes 16-bit floats.
class Values {
 public:
  Values() = default;
  template <class T>
  Values(std::span<const T> numbers)
      : Values(numbers.data(), numbers.size(), detail::type_of<T>()) {}
  template <class T>
  Values(std::span<T> numbers)
      : Values(numbers.data(), numbers.size(), detail::type_of<std::remove_const_t<T>>()) {}
  template <class T>
  Values(const std::vector<T>& numbers)
      : Values(numbers.data(), numbers.size(), detail::type_of<T>()) {}
  template <class T, std::size_t N>
  Values(const T (&numbers)[N]) : Values(numbers, N, detail::type_of<T>()) {}
  static Values raw(const void* data, std::size_t count, DType type) { return {data, count, type}; }

  const void* data() const { return data_; }
  std::size_t size() const { return size_; }
  DType type() const { return type_; }

 private:
  Values(const void* data, std::size_t size, DType type) : data_(data), size_(size), type_(type) {}

  const void* data_ = nullptr;
  std::size_t size_ = 0;
  DType type_ = DType::f32;
};

/// Room for numbers in the caller's memory, with the type they are to have. Empty: not wanted.
/// Converts from spans and vectors as Values does; `raw` takes 16-bit floats.
class MutableValues {
 public:
  MutableValues() = default;
  template <class T>
  MutableValues(std::span<T> room)
      : MutableValues(room.data(), room.size(), detail::type_of<T>()) {}
  template <class T>
  MutableValues(std::vector<T>& room)
      : MutableValues(room.data(), room.size(), detail::type_of<T>()) {}
  template <class T, std::size_t N>
  MutableValues(T (&room)[N]) : MutableValues(room, N, detail::type_of<T>()) {}
  static MutableValues raw(void* data, std::size_t count, DType type) {
    return {data, count, type};
  }

  void* data() const { return data_; }
  std::size_t size() const { return size_; }
  DType type() const { return type_; }
  bool empty() const { return size_ == 0; }

 private:
  MutableValues(void* data, std::size_t size, DType type) : data_(data), size_(size), type_(type) {}

  void* data_ = nullptr;
  std::size_t size_ = 0;
  DType type_ = DType::f32;
};

}  // namespace mneme
