// bindings/arrays.cpp - the buffer protocol, and Python's own numbers.
#include "bindings/arrays.h"

#include <cstring>
#include <limits>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

// The type behind a struct-module format; none if the core does not have it.
std::optional<DType> type_of_format(const char* format) {
  if (format == nullptr) return DType::u8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
  switch (format[0]) {
    case 'f':
      return DType::f32;
    case 'd':
      return DType::f64;
    case 'e':
      return DType::f16;
    case 'B':
    case '?':
      return DType::u8;
    case 'i':
      return DType::i32;
    case 'l':
      return sizeof(long) == 8 ? DType::i64 : DType::i32;
    case 'q':
      return DType::i64;
    default:
      return std::nullopt;
  }
}

constexpr DType kTypes[]{DType::f32, DType::f64, DType::f16, DType::bf16,
                         DType::u8,  DType::i32, DType::i64};

}  // namespace

const char* numpy_name(DType type) {
  switch (type) {
    case DType::f32:
      return "float32";
    case DType::f64:
      return "float64";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::u8:
      return "uint8";
    case DType::i32:
      return "int32";
    case DType::i64:
      return "int64";
  }
  return "?";
}

DType dtype_of(const std::string& name) {
  std::vector<std::string> known;
  for (const DType type : kTypes) {
    if (name == numpy_name(type)) return type;
    known.emplace_back(numpy_name(type));
  }
  throw InvalidArgument(unknown_name("storage type", name, known));
}

ArrayIn::ArrayIn(const char* name, nb::handle given, DType stored) {
  if (take(given.ptr())) return;
  if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr())) {
    take_number(name, given, stored);
    return;
  }
  kept_ = nb::module_::import_("mneme._arrays").attr("as_array")(name, given, numpy_name(stored));
  if (!take(kept_.ptr()))
    throw InvalidArgument(
        concat(name, " cannot be read; pass a NumPy array of ", numpy_name(stored)));
}

ArrayIn::~ArrayIn() {
  if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

bool ArrayIn::take(PyObject* object) {
  if (!PyObject_CheckBuffer(object)) return false;
  if (PyObject_GetBuffer(object, &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const auto type = type_of_format(view_.format);
  if (!type) {
    PyBuffer_Release(&view_);
    return false;
  }
  type_ = *type;
  data_ = view_.buf;
  size_ = static_cast<std::size_t>(view_.len) / size_of(type_);
  return true;
}

// A Python int or float, as one value of the storage type: what fits is taken, nothing is rounded
// to a whole number or wrapped.
void ArrayIn::take_number(const char* name, nb::handle given, DType stored) {
  const auto put = [this](auto value, DType type) {
    std::memcpy(number_, &value, sizeof value);
    type_ = type;
  };
  const bool whole = stored == DType::u8 || stored == DType::i32 || stored == DType::i64;
  if (!whole) {
    const double value = PyFloat_AsDouble(given.ptr());
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    put(value, DType::f64);
  } else {
    if (PyFloat_Check(given.ptr()))
      throw InvalidArgument(
          concat(name, " is a float but stored as ", numpy_name(stored), "; pass a whole number"));
    const long long value = PyLong_AsLongLong(given.ptr());
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    const long long lowest = stored == DType::u8    ? 0
                             : stored == DType::i32 ? std::numeric_limits<std::int32_t>::min()
                                                    : std::numeric_limits<std::int64_t>::min();
    const long long highest = stored == DType::u8    ? 255
                              : stored == DType::i32 ? std::numeric_limits<std::int32_t>::max()
                                                     : std::numeric_limits<std::int64_t>::max();
    if (value < lowest || value > highest)
      throw InvalidArgument(concat(name, " is ", value, "; stored as ", numpy_name(stored),
                                   " it must be in [", lowest, ", ", highest, "]"));
    if (stored == DType::u8)
      put(static_cast<std::uint8_t>(value), stored);
    else if (stored == DType::i32)
      put(static_cast<std::int32_t>(value), stored);
    else
      put(static_cast<std::int64_t>(value), stored);
  }
  data_ = number_;
  size_ = 1;
}

bool ArrayIn::is_row(const std::vector<Index>& row) const {
  if (static_cast<std::size_t>(view_.ndim) != row.size()) return false;
  for (std::size_t d = 0; d < row.size(); ++d)
    if (view_.shape[d] != row[d]) return false;
  return true;
}

bool ArrayIn::is_rows(Index leading, const std::vector<Index>& row) const {
  if (static_cast<std::size_t>(view_.ndim) != row.size() + 1 || view_.shape[0] != leading)
    return false;
  for (std::size_t d = 0; d < row.size(); ++d)
    if (view_.shape[d + 1] != row[d]) return false;
  return true;
}

std::string ArrayIn::shape_text() const {
  const std::vector<Index> shape(view_.shape, view_.shape + view_.ndim);
  return python::shape_text(shape);
}

std::string shape_text(std::span<const Index> shape, Index leading) {
  std::string text = "(";
  std::size_t count = 0;
  const auto put = [&](Index size) {
    if (count++ > 0) text += ", ";
    text += std::to_string(size);
  };
  if (leading >= 0) put(leading);
  for (const Index size : shape) put(size);
  return text + (count == 1 ? ",)" : ")");
}

}  // namespace mneme::python
