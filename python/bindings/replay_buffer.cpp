// bindings/replay_buffer.cpp - the Python class over bindings/buffer.h; mneme.ReplayBuffer derives
// from it.
#include "mneme/replay_buffer.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/buffer.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

using Field = std::pair<std::vector<Index>, std::string>;  // shape and storage type

FieldSpec spec(const Field& field) { return {field.first, dtype_of(field.second)}; }

Horizon horizon_of(const std::string& name) {
  if (name != "full" && name != "clip")
    throw InvalidArgument("horizon is '" + name + "'; allowed: full, clip");
  return name == "full" ? Horizon::full : Horizon::clip;
}

ReplayConfig config(const Field& observation, const Field& action, Index capacity, Index streams,
                    nb::handle sampler, const std::string& stream_policy, Index n_step,
                    double discount, const std::string& horizon, Index stack, std::uint64_t seed,
                    const std::vector<std::pair<std::string, Field>>& fields,
                    const std::string& path, Index commit_every, bool diagnostics) {
  ReplayConfig made{.observation = spec(observation),
                    .action = spec(action),
                    .capacity = capacity,
                    .streams = streams,
                    .sampler = spec_of(sampler),
                    .stream_policy = stream_policy,
                    .n_step = n_step,
                    .discount = discount,
                    .horizon = horizon_of(horizon),
                    .stack = stack,
                    .seed = seed,
                    .path = path,
                    .commit_every = commit_every};
  made.diagnostics = diagnostics;
  for (const auto& [name, field] : fields) made.fields.push_back({name, spec(field)});
  return made;
}

}  // namespace

void bind_replay_buffer(nb::module_& module) {
  nb::class_<Buffer, Reader>(module, "ReplayBuffer", "The core's buffer; use mneme.ReplayBuffer.")
      .def(
          "__init__",
          [](Buffer* self, const Field& observation, const Field& action, Index capacity,
             Index streams, nb::handle sampler, const std::string& stream_policy, Index n_step,
             double discount, const std::string& horizon, Index stack, std::uint64_t seed,
             const std::vector<std::pair<std::string, Field>>& fields, const std::string& path,
             Index commit_every, bool diagnostics, nb::dict present) {
            new (self) Buffer(
                config(observation, action, capacity, streams, sampler, stream_policy, n_step,
                       discount, horizon, stack, seed, fields, path, commit_every, diagnostics),
                std::move(present));
          },
          nb::arg("observation"), nb::arg("action"), nb::arg("capacity"), nb::arg("streams"),
          nb::arg("sampler"), nb::arg("stream_policy"), nb::arg("n_step"), nb::arg("discount"),
          nb::arg("horizon"), nb::arg("stack"), nb::arg("seed"), nb::arg("fields"), nb::arg("path"),
          nb::arg("commit_every"), nb::arg("diagnostics"), nb::arg("present"))
      .def(
          "__init__",
          [](Buffer* self, const std::string& path, const std::string& how, nb::dict present) {
            const Buffer::From from = how == "memory"    ? Buffer::From::memory
                                      : how == "reading" ? Buffer::From::reading
                                                         : Buffer::From::writing;
            new (self) Buffer(path, from, std::move(present));
          },
          nb::arg("path"), nb::arg("how"), nb::arg("present"))
      .def("add", &Buffer::add, nb::arg("observation").none(), nb::arg("action").none(),
           nb::arg("reward").none(), nb::arg("next_observation").none(),
           nb::arg("terminated").none() = false, nb::arg("truncated").none() = false,
           nb::arg("stream") = nb::none(), nb::kw_only(), nb::arg("fields") = nb::none(),
           nb::sig("def add(self, observation: typing.Any, action: typing.Any, reward: typing.Any, "
                   "next_observation: typing.Any, terminated: typing.Any = False, truncated: "
                   "typing.Any = False, stream: int | None = None, *, fields: dict[str, "
                   "typing.Any] | None = None) -> None"),
           "Stores one step, or one step of every stream: the observation's shape says which. "
           "`next_observation` is the true one, also at an episode's end.")
      // The same with extra fields by name. Tried second: collecting them costs a dict.
      .def(
          "add",
          [](Buffer& self, nb::handle observation, nb::handle action, nb::handle reward,
             nb::handle next_observation, nb::handle terminated, nb::handle truncated,
             nb::handle stream, const nb::kwargs& fields) {
            self.add(observation, action, reward, next_observation, terminated, truncated, stream,
                     fields);
          },
          nb::arg("observation").none(), nb::arg("action").none(), nb::arg("reward").none(),
          nb::arg("next_observation").none(), nb::arg("terminated").none() = false,
          nb::arg("truncated").none() = false, nb::arg("stream") = nb::none(), nb::arg("fields"),
          nb::sig("def add(self, observation: typing.Any, action: typing.Any, reward: typing.Any, "
                  "next_observation: typing.Any, terminated: typing.Any = False, truncated: "
                  "typing.Any = False, stream: int | None = None, **fields: typing.Any) -> None"))
      .def(
          "extend",
          [](Buffer& self, nb::handle observation, nb::handle action, nb::handle reward,
             nb::handle next_observation, nb::handle terminated, nb::handle truncated,
             nb::handle stream, const nb::kwargs& fields) {
            self.extend(observation, action, reward, next_observation, terminated, truncated,
                        stream, fields);
          },
          nb::arg("observation"), nb::arg("action"), nb::arg("reward"), nb::arg("next_observation"),
          nb::arg("terminated") = false, nb::arg("truncated") = false,
          nb::arg("stream") = nb::none(), nb::arg("fields"),
          nb::sig(
              "def extend(self, observation: typing.Any, action: typing.Any, reward: typing.Any, "
              "next_observation: typing.Any, terminated: typing.Any = False, truncated: "
              "typing.Any = False, stream: int | None = None, **fields: typing.Any) -> None"),
          "Stores consecutive steps at once: arrays of time x row, or of time x streams x row. All "
          "of them are checked before the first is stored.")
      .def("_read", &Buffer::read, nb::arg("stream"), nb::arg("first"), nb::arg("count"),
           nb::arg("out"), nb::arg("ends"))
      .def("_gather", &Buffer::gather, nb::arg("ids"), nb::arg("out"), nb::arg("found"))
      .def("_trust_flags", &Buffer::trust_flags, nb::arg("trust"))
      .def("_abandon", &Buffer::abandon)
      .def("_config",
           [](const Buffer& b) {
             const ReplayConfig& c = b.config();
             const auto field = [](const FieldSpec& spec) {
               nb::list shape;
               for (const Index size : spec.shape) shape.append(size);
               return nb::make_tuple(shape, numpy_name(spec.type));
             };
             nb::dict made, fields;
             for (const NamedField& each : c.fields) fields[text(each.name)] = field(each.spec);
             made["observation"] = field(c.observation);
             made["action"] = field(c.action);
             made["capacity"] = c.capacity;
             made["streams"] = c.streams;
             made["sampler"] = text(c.sampler);
             made["stream_policy"] = text(c.stream_policy);
             made["n_step"] = c.n_step;
             made["discount"] = c.discount;
             made["horizon"] = c.horizon == Horizon::full ? "full" : "clip";
             made["stack"] = c.stack;
             made["fields"] = fields;
             made["commit_every"] = c.commit_every;
             made["diagnostics"] = c.diagnostics;
             return made;
           })
      .def_prop_ro("added", nb::overload_cast<>(&Buffer::added, nb::const_),
                   "Transitions ever stored, in all streams; those overwritten since included.")
      .def("added_to", nb::overload_cast<Index>(&Buffer::added, nb::const_), nb::arg("stream"),
           "Transitions ever stored in one stream.")
      .def("cut", &Buffer::cut, nb::arg("stream") = 0,
           "Says that a stream was reset: what comes next does not follow from its newest row.")
      .def(
          "add_reader",
          [](Buffer& self, const std::string& name, nb::handle sampler,
             const std::string& stream_policy, Index n_step, double discount,
             const std::string& horizon, Index stack, std::uint64_t seed, bool diagnostics) {
            return self.add_reader(name, {.sampler = spec_of(sampler),
                                          .stream_policy = stream_policy,
                                          .n_step = n_step,
                                          .discount = discount,
                                          .horizon = horizon_of(horizon),
                                          .stack = stack,
                                          .seed = seed,
                                          .diagnostics = diagnostics});
          },
          nb::arg("name"), nb::arg("sampler") = "uniform", nb::kw_only(),
          nb::arg("stream_policy") = "uniform", nb::arg("n_step") = 1, nb::arg("discount") = 0.99,
          nb::arg("horizon") = "full", nb::arg("stack") = 1, nb::arg("seed") = 0,
          nb::arg("diagnostics") = true,
          nb::sig("def add_reader(self, name: str, sampler: typing.Any = 'uniform', *, "
                  "stream_policy: str = 'uniform', n_step: int = 1, discount: float = 0.99, "
                  "horizon: str = 'full', stack: int = 1, seed: int = 0, diagnostics: bool = True) "
                  "-> Reader"),
          "Another Reader of the same rows, for instance \"actor\" beside the critic's: with a "
          "sampler, priorities, windows and generators of its own. Its name is part of its seed. "
          "Saved and opened with the buffer.")
      .def("reader", &Buffer::find_reader, nb::arg("name") = "",
           "A reader by its name, also after open and load; the buffer's own without one.")
      .def("size", nb::overload_cast<Index>(&Buffer::size, nb::const_), nb::arg("stream"),
           "Transitions stored in one stream.")
      .def("__len__", nb::overload_cast<>(&Buffer::size, nb::const_))
      .def_prop_ro("cuts", &Buffer::cuts,
                   "Times a stream was found to be reset without notice, or declared cut.")
      .def("commit", &Buffer::commit,
           "Buffers with a path: what is stored now survives the end of the process and of the "
           "machine.")
      .def(
          "save", &Buffer::save, nb::arg("path"),
          "A copy in a directory, for mneme.open or mneme.load; only what is new is written again.")
      .def("close", &Buffer::close,
           "Commits, if it has a path, and gives the memory back; every later call raises "
           "ValueError.")
      .def_prop_ro("closed", &Buffer::closed)
      .def_prop_ro(
          "capacity", [](const Buffer& b) { return b.config().capacity; },
          "Transitions per stream.")
      .def_prop_ro(
          "streams", [](const Buffer& b) { return b.config().streams; }, "Environments or tasks.")
      .def_prop_ro(
          "path",
          [](const Buffer& b) -> nb::object {
            if (b.config().path.empty()) return nb::none();
            return text(b.config().path);
          },
          nb::for_getter(nb::sig("def path(self, /) -> str | None")),
          "The directory it lives in; None in memory.");
}

}  // namespace mneme::python
