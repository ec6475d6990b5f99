// bindings/numpy_api.h - NumPy arrays over memory of ours, by NumPy's own constructor.
//
// Its C interface is a table of functions behind a capsule, with places that have not moved since
// NumPy 1.7. Two of them are used, so the table is read by hand and the build needs no headers of
// NumPy. A call is several times as fast as numpy.ndarray(...) or an exchange by DLPack.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

namespace mneme::python {

namespace nb = nanobind;

/// A writable C-contiguous array of this shape and type (a numpy.dtype) over `data`, which `owner`
/// keeps alive.
nb::object numpy_array(std::span<const Py_ssize_t> shape, const nb::object& type, void* data,
                       const nb::object& owner);

}  // namespace mneme::python
