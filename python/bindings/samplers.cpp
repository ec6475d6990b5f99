// bindings/samplers.cpp - samplers by their spec strings, and the registry that mneme.samplers is
// made from.
#include "mneme/sampler.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "base/sampler_spec.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

nb::list params_of(std::span<const ParamSpec> params) {
  constexpr const char* kKinds[]{"number", "whole", "choice", "sampler"};
  nb::list all;
  for (const ParamSpec& param : params) {
    nb::dict row;
    row["name"] = text(param.name);
    row["kind"] = kKinds[static_cast<std::size_t>(param.kind)];
    row["help"] = text(param.help);
    if (param.kind == ParamSpec::Kind::choice) {
      const std::vector<std::string> words = choices_of(param);
      row["default"] = words.at(static_cast<std::size_t>(param.fallback));
      row["choices"] = words;
    } else if (param.kind == ParamSpec::Kind::sampler) {
      row["default"] = text(param.choices);
    } else {
      row["default"] = param.fallback;
      row["lowest"] = param.lowest;
      row["highest"] = param.highest;
    }
    all.append(row);
  }
  return all;
}

nb::list registry() {
  nb::list all;
  const auto add = [&](const SamplerInfo& info, bool prioritized) {
    nb::dict row;
    row["name"] = text(info.name);
    row["summary"] = text(info.summary);
    row["prioritized"] = prioritized;
    nb::list params = params_of(info.params);
    if (!prioritized) params.extend(params_of(common_params()));
    row["parameters"] = params;
    nb::list examples;
    for (const std::string_view example : info.examples) examples.append(text(example));
    row["examples"] = examples;
    all.append(row);
  };
  for (const SamplerInfo* info : registered_samplers()) add(*info, info->needs_feedback);
  return all;
}

BufferView view(Index size, Index capacity, double progress) {
  return {.size = size, .capacity = capacity, .progress = progress};
}

}  // namespace

std::string spec_of(nb::handle sampler) {
  if (nb::isinstance<nb::str>(sampler)) return nb::cast<std::string>(sampler);
  if (nb::hasattr(sampler, "spec")) return nb::cast<std::string>(sampler.attr("spec"));
  throw InvalidArgument(
      "a sampler is a spec string such as 'truncated_geometric:alpha=10' or an "
      "object of mneme.samplers");
}

void bind_samplers(nb::module_& module) {
  nb::class_<Sampler>(module, "Sampler", "Draws indices in age order: 0 is the oldest stored.")
      .def_prop_ro("spec", &Sampler::spec, "The spec string that makes this sampler again.")
      .def_prop_ro(
          "name", [](const Sampler& s) { return text(s.info().name); }, "Its name in the registry.")
      .def_prop_rw("batches", &Sampler::batches, &Sampler::set_batches,
                   "Batches drawn so far: the only state there is.")
      .def(
          "sample",
          [](Sampler& sampler, Index size, Index capacity, Index count, std::uint64_t seed,
             double progress) {
            if (count < 1) throw InvalidArgument("count must be at least 1");
            auto drawn = std::make_unique<std::vector<Index>>(static_cast<std::size_t>(count));
            {
              nb::gil_scoped_release unlocked;
              Rng rng(seed);
              sampler.sample(view(size, capacity, progress), rng, *drawn);
            }
            return to_numpy(std::move(drawn));
          },
          nb::arg("size"), nb::arg("capacity"), nb::arg("count"), nb::kw_only(),
          nb::arg("seed") = 0, nb::arg("progress") = 0.0,
          "That many indices, drawn with replacement from a buffer that holds `size` of "
          "`capacity` transitions.")
      .def(
          "invert",
          [](const Sampler& sampler, nb::ndarray<const double, nb::ndim<1>, nb::c_contig> uniforms,
             Index size, Index capacity, double progress) {
            auto found = std::make_unique<std::vector<Index>>(uniforms.size());
            {
              nb::gil_scoped_release unlocked;
              sampler.invert(view(size, capacity, progress), {uniforms.data(), uniforms.size()},
                             *found);
            }
            return to_numpy(std::move(found));
          },
          nb::arg("uniforms"), nb::arg("size"), nb::arg("capacity"), nb::kw_only(),
          nb::arg("progress") = 0.0,
          "The indices that these uniforms in [0, 1), float64, lead to in the next batch: the "
          "inverse of the distribution function.")
      .def(
          "probabilities",
          [](const Sampler& sampler, Index size, Index capacity, double progress) {
            if (size < 1) throw InvalidArgument("size must be at least 1");
            auto p = std::make_unique<std::vector<double>>(static_cast<std::size_t>(size));
            {
              nb::gil_scoped_release unlocked;
              sampler.probabilities(view(size, capacity, progress), 0, *p);
            }
            return to_numpy(std::move(p));
          },
          nb::arg("size"), nb::arg("capacity"), nb::kw_only(), nb::arg("progress") = 0.0,
          "The exact probability of every index, oldest first.");
  module.def(
      "make_sampler", [](nb::handle sampler) { return make_sampler(spec_of(sampler)); },
      nb::arg("sampler"),
      "The sampler that a spec string names. KeyError for an unknown name, ValueError for a value "
      "out of range.");
  module.def("registry", &registry,
             "Every sampler with its parameters, defaults and ranges: what `mneme samplers --json` "
             "prints.");
}

}  // namespace mneme::python
