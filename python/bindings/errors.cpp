// bindings/errors.cpp - the error table: ValueError, KeyError, OSError, RuntimeError, with the
// library's own text.
#include "mneme/error.h"

#include "bindings/bindings.h"

namespace mneme::python {

void bind_errors(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InvalidArgument& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const NotFound& error) {
      const nb::object kind = nb::module_::import_("mneme._errors").attr("NotFoundError");
      PyErr_SetString(kind.ptr(), error.what());
    } catch (const IoError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    } catch (const CorruptData& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  });
  static_cast<void>(module);
}

}  // namespace mneme::python
