// bindings/bindings.h - what module.cpp puts together: one function per subject, and what they
// share.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace mneme::python {

namespace nb = nanobind;

/// The error table: InvalidArgument, NotFound, IoError and CorruptData, as Python knows them.
void bind_errors(nb::module_& module);
void bind_samplers(nb::module_& module);
void bind_diagnostics(nb::module_& module);
void bind_stats(nb::module_& module);
void bind_batch(nb::module_& module);
void bind_reader(nb::module_& module);
void bind_replay_buffer(nb::module_& module);
void bind_rate_limiter(nb::module_& module);

/// For arguments that take a sampler by its spec string or as an object that writes one.
std::string spec_of(nb::handle sampler);

inline nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

}  // namespace mneme::python
