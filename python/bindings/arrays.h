// bindings/arrays.h - numbers from Python into the core and back, without copies where that is
// possible.
//
// What a contiguous NumPy array (or anything with a buffer) holds is read in place. Everything
// else - lists, tensors, strided arrays - goes through mneme._arrays, which makes one array of it
// or says in words why not.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mneme/schema.h"

namespace mneme::python {

namespace nb = nanobind;

/// One argument with numbers in it, alive as long as this object.
class ArrayIn {
 public:
  /// `name` is for messages and must outlive this; a Python number becomes one value of type
  /// `stored`. Throws a Python exception that names the argument.
  ArrayIn(const char* name, nb::handle given, DType stored);
  ~ArrayIn();
  ArrayIn(const ArrayIn&) = delete;
  ArrayIn& operator=(const ArrayIn&) = delete;

  const void* data() const { return data_; }
  std::size_t size() const { return size_; }
  DType type() const { return type_; }
  std::span<const Py_ssize_t> shape() const {
    return {view_.shape, static_cast<std::size_t>(view_.ndim)};
  }
  /// Whether the shape is `row`, or `leading` rows of it.
  bool is_row(const std::vector<Index>& row) const;
  bool is_rows(Index leading, const std::vector<Index>& row) const;
  Values values() const { return Values::raw(data_, size_, type_); }
  std::string shape_text() const;

 private:
  bool take(PyObject* object);
  void take_number(const char* name, nb::handle given, DType stored);

  Py_buffer view_{};
  nb::object kept_;
  alignas(8) unsigned char number_[8]{};
  const void* data_ = nullptr;
  std::size_t size_ = 0;
  DType type_ = DType::f32;
};

/// "(4, 17)".
std::string shape_text(std::span<const Index> shape, Index leading = -1);

/// The name NumPy has for a type, and back. Throws InvalidArgument with the known names.
const char* numpy_name(DType type);
DType dtype_of(const std::string& name);

/// A NumPy array that owns the vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::unique_ptr<std::vector<T>> numbers) {
  std::vector<T>* raw = numbers.release();
  const nb::capsule owner(raw, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {raw->data(), {raw->size()}, owner};
}

}  // namespace mneme::python
