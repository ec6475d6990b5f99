// bindings/module.cpp - the module mneme._core. Bindings translate: arrays in and out without
// copies, the interpreter's lock released around work, errors mapped. Decisions are the core's.
#include "bindings/bindings.h"

NB_MODULE(_core, module) {
  using namespace mneme::python;
  module.doc() = "The C++ core of mneme. Import mneme instead.";
  nb::set_leak_warnings(false);  // the library never prints; tests/test_leaks.py watches
  module.attr("__version__") = MNEME_VERSION;
  bind_errors(module);
  bind_samplers(module);
  bind_diagnostics(module);
  bind_stats(module);
  bind_batch(module);
  bind_reader(module);
  bind_replay_buffer(module);
  bind_rate_limiter(module);
}
