// bindings/numpy_api.cpp - the table, looked up once.
#include "bindings/numpy_api.h"

namespace mneme::python {
namespace {

// NPY_ARRAY_CARRAY: C-contiguous, aligned, writable.
constexpr int kFlags = 0x0001 | 0x0100 | 0x0400;

struct Table {
  PyTypeObject* array_type;
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject*, int, const Py_ssize_t*, const Py_ssize_t*,
                              void*, int, PyObject*);
  int (*set_base_object)(PyObject*, PyObject*);
};

Table look_up() {
  nb::object module;
  try {
    module = nb::module_::import_("numpy._core._multiarray_umath");
  } catch (nb::python_error&) {  // before NumPy 2
    module = nb::module_::import_("numpy.core._multiarray_umath");
  }
  const nb::object capsule = module.attr("_ARRAY_API");
  auto* const* entries = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (entries == nullptr) throw nb::python_error();
  Table table;
  table.array_type = static_cast<PyTypeObject*>(entries[2]);
  table.new_from_descr = reinterpret_cast<decltype(table.new_from_descr)>(entries[94]);
  table.set_base_object = reinterpret_cast<decltype(table.set_base_object)>(entries[282]);
  return table;
}

}  // namespace

nb::object numpy_array(std::span<const Py_ssize_t> shape, const nb::object& type, void* data,
                       const nb::object& owner) {
  static const Table table = look_up();
  // Both calls take over the reference that they are given.
  nb::object array = nb::steal(table.new_from_descr(
      table.array_type, nb::object(type).release().ptr(), static_cast<int>(shape.size()),
      shape.data(), nullptr, data, kFlags, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  if (table.set_base_object(array.ptr(), nb::object(owner).release().ptr()) != 0)
    throw nb::python_error();
  return array;
}

}  // namespace mneme::python
