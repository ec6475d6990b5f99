// bindings/replay_buffer.cpp - the Python class over bindings/buffer.h; mneme.ReplayBuffer derives
// from it.
#include "mneme/replay_buffer.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/buffer.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

using Field = std::pair<std::vector<Index>, std::string>;  // shape and storage type

FieldSpec spec(const Field& field) { return {field.first, dtype_of(field.second)}; }

ReplayConfig config(const Field& observation, const Field& action, Index capacity, Index streams,
                    nb::handle sampler, const std::string& stream_policy, Index n_step,
                    double discount, const std::string& horizon, Index stack, std::uint64_t seed,
                    const std::vector<std::pair<std::string, Field>>& fields,
                    const std::string& path, Index commit_every, bool diagnostics) {
  if (horizon != "full" && horizon != "clip")
    throw InvalidArgument("horizon is '" + horizon + "'; allowed: full, clip");
  ReplayConfig made{.observation = spec(observation),
                    .action = spec(action),
                    .capacity = capacity,
                    .streams = streams,
                    .sampler = spec_of(sampler),
                    .stream_policy = stream_policy,
                    .n_step = n_step,
                    .discount = discount,
                    .horizon = horizon == "full" ? Horizon::full : Horizon::clip,
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
  nb::class_<FeedbackReport>(module, "FeedbackReport", "What became of a batch of TD errors.")
      .def_ro("applied", &FeedbackReport::applied)
      .def_ro("refused", &FeedbackReport::refused, "NaN or infinite.")
      .def_ro("stale", &FeedbackReport::stale, "The row has been overwritten meanwhile.")
      .def_ro("ignored", &FeedbackReport::ignored, "The sampler takes no feedback.");

  nb::class_<LiveDiagnostics>(
      module, "LiveDiagnostics",
      "What sampling really did to the data, counted over the batches drawn; "
      "NaN while there is nothing to count.")
      .def_ro("batches", &LiveDiagnostics::batches)
      .def_ro("draws", &LiveDiagnostics::draws)
      .def_ro("rows_added", &LiveDiagnostics::rows_added)
      .def_ro("replay_volume", &LiveDiagnostics::replay_volume, "Draws per row added.")
      .def_ro("draws_by_age", &LiveDiagnostics::draws_by_age)
      .def_ro("mean_age", &LiveDiagnostics::mean_age, "0 is the newest of its stream.")
      .def_ro("expected_recency", &LiveDiagnostics::expected_recency)
      .def_ro("reference_recency", &LiveDiagnostics::reference_recency)
      .def_ro("age_histogram", &LiveDiagnostics::age_histogram, "See first_of_bin.")
      .def_ro("sampling_entropy", &LiveDiagnostics::sampling_entropy, "Nats.")
      .def_ro("tracked_share", &LiveDiagnostics::tracked_share)
      .def_ro("rows_evicted", &LiveDiagnostics::rows_evicted)
      .def_ro("replays_per_row", &LiveDiagnostics::replays_per_row, "Of rows evicted since.")
      .def_ro("never_replayed", &LiveDiagnostics::never_replayed, "Share of them never drawn.")
      .def_ro("replay_histogram", &LiveDiagnostics::replay_histogram, "See first_of_bin.")
      .def_ro("batches_searched", &LiveDiagnostics::batches_searched)
      .def_ro("unique_share", &LiveDiagnostics::unique_share, "Distinct rows / draws in a batch.")
      .def_ro("feedback_applied", &LiveDiagnostics::feedback_applied)
      .def_ro("feedback_stale", &LiveDiagnostics::feedback_stale)
      .def_ro("feedback_refused", &LiveDiagnostics::feedback_refused)
      .def_ro("cuts", &LiveDiagnostics::cuts);
  module.def("first_of_bin", &first_of_bin, nb::arg("bin"),
             "The first age, or number of replays, in a bin of the histograms.");

  nb::class_<Buffer>(module, "ReplayBuffer", "The core's buffer; use mneme.ReplayBuffer.")
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
          nb::arg("truncated").none() = false, nb::arg("stream") = nb::none(), nb::arg("fields"))
      .def("sample", &Buffer::sample, nb::arg("batch"), nb::arg("out") = nb::none(),
           "A batch of that many transitions, in memory of its own; or into `out`: an earlier "
           "batch, "
           "or a dict of arrays and tensors by column name.")
      .def("update_priorities", &Buffer::update_priorities, nb::arg("ids").none(),
           nb::arg("td_errors").none(),
           "Tells a prioritized sampler what the learner found for the rows of a batch.")
      .def("cut", &Buffer::cut, nb::arg("stream") = 0,
           "Says that a stream broke off: what comes next does not follow from its newest row.")
      .def("set_progress", &Buffer::set_progress, nb::arg("progress"),
           "Share of the run that is done, in [0, 1]: for beta and eta schedules.")
      .def("size", nb::overload_cast<Index>(&Buffer::size, nb::const_), nb::arg("stream"),
           "Transitions stored in one stream.")
      .def("__len__", nb::overload_cast<>(&Buffer::size, nb::const_))
      .def_prop_ro("cuts", &Buffer::cuts, "Times a stream was found to have broken off.")
      .def("diagnostics", &Buffer::diagnostics,
           "What has been drawn since the buffer was made or the last reset_diagnostics().")
      .def("reset_diagnostics", &Buffer::reset_diagnostics)
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
          "The directory it lives in; None in memory.")
      .def_prop_ro("sampler", [](const Buffer& b) { return b.config().sampler; })
      .def_prop_ro("stream_policy", [](const Buffer& b) { return b.config().stream_policy; })
      .def_prop_ro("n_step", [](const Buffer& b) { return b.config().n_step; })
      .def_prop_ro("discount", [](const Buffer& b) { return b.config().discount; });
}

}  // namespace mneme::python
