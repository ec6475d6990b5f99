// bindings/reader.cpp - batches and windows out, feedback in; the Python class `Reader`.
#include "bindings/reader.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "base/text.h"
#include "bindings/arrays.h"
#include "bindings/bindings.h"
#include "bindings/views.h"
#include "mneme/error.h"
#include "mneme/sampler.h"
#include "storage/convert.h"

namespace mneme::python {
namespace {

constexpr int kBatchesWithoutFeedback = 200;

void check_rows(Index rows) {
  if (rows < 1) throw InvalidArgument(concat("batch_size must be at least 1, got ", rows));
}

// Draws into memory of its own, an earlier batch or a dict of arrays. `empty` has its sizes.
template <class Made, class View>
nb::object draw(ReplayReader reader, BatchPool& pool, View empty, nb::handle out) {
  if (out.is_none()) {
    std::shared_ptr<BatchMemory> memory;
    {
      nb::gil_scoped_release released;
      memory = pool.take(empty.size);
      reader.sample(view_of(std::move(empty), *pool.schema(), *memory));
    }
    return nb::cast(Made(pool.schema(), std::move(memory)));
  }
  std::vector<nb::object> kept;
  View view;
  if (nb::isinstance<Made>(out)) {
    Made& batch = nb::cast<Made&>(out);
    if (batch.schema() != pool.schema() || batch.rows() != empty.size)
      throw InvalidArgument(concat("out is a batch of ", batch.rows(), " rows",
                                   batch.schema() == pool.schema() ? "" : " of another buffer",
                                   "; pass one that this buffer sampled with ", empty.size));
    view = view_of(std::move(empty), *pool.schema(), batch.memory());
  } else if (nb::isinstance<nb::dict>(out)) {
    view = view_of(std::move(empty), *pool.schema(), nb::borrow<nb::dict>(out), kept);
  } else {
    throw InvalidArgument("out is a batch of this buffer, or a dict of arrays by column name");
  }
  {
    nb::gil_scoped_release released;
    reader.sample(view);
  }
  return nb::borrow(out);
}

}  // namespace

Reader::Reader(std::shared_ptr<SharedCore> shared, std::string name, nb::dict present)
    : shared_(std::move(shared)),
      name_(std::move(name)),
      present_(std::move(present)),
      config_(std::make_shared<const ReplayConfig>(core()->config())),
      sampling_(reader().config()),
      pool_(std::make_shared<BatchPool>(batch_schema(*config_, sampling_.stack, present_))) {
  if (sampler_info(sampling_.sampler).needs_feedback && core()->added() == 0)
    batches_left_ = kBatchesWithoutFeedback;
}

void Reader::warn_without_feedback() {
  if (batches_left_ == 0 || --batches_left_ > 0) return;
  const std::string message =
      concat(kBatchesWithoutFeedback, " batches were drawn with the sampler ", sampling_.sampler,
             " and no TD errors came back: all rows have the priority they began with. Call ",
             "update_priorities(batch.id, td_errors), or choose another sampler. ",
             "This warning appears once");
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

nb::object Reader::sample(Index rows, nb::handle out) {
  ReplayReader from = reader();
  check_rows(rows);
  warn_without_feedback();
  return draw<Batch>(std::move(from), *pool_, BatchView{.size = static_cast<std::size_t>(rows)},
                     out);
}

const std::shared_ptr<BatchPool>& Reader::sequences(Index length, Index burn_in) {
  std::shared_ptr<BatchPool>& pool = sequences_[{length, burn_in}];
  if (!pool)
    pool = std::make_shared<BatchPool>(
        sequence_schema(*config_, sampling_.stack, burn_in + length, present_));
  return pool;
}

nb::object Reader::sample_sequences(Index rows, Index length, Index burn_in, nb::handle out) {
  ReplayReader from = reader();
  check_rows(rows);
  // The core says whether such windows can be.
  if (!sequences_.contains({length, burn_in})) from.make_sequences(1, length, burn_in);
  return draw<SequenceBatch>(
      std::move(from), *sequences(length, burn_in),
      SequenceView{
          .size = static_cast<std::size_t>(rows), .length = burn_in + length, .burn_in = burn_in},
      out);
}

std::unique_ptr<Batches> Reader::batches(Index rows, Index ahead) {
  const ReplayReader from = reader();
  check_rows(rows);
  if (ahead < 1 || ahead > 4096)
    throw InvalidArgument(concat("ahead is ", ahead, " batches; allowed: 1 to 4096"));
  return std::make_unique<Batches>(shared_, from, pool_, static_cast<std::size_t>(rows),
                                   static_cast<std::size_t>(ahead));
}

FeedbackReport Reader::update_priorities(nb::handle ids, nb::handle td_errors) {
  ReplayReader to = reader();
  batches_left_ = 0;
  using Ids = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  Ids rows;
  nb::object made;  // what rows may point into
  if (!nb::try_cast(ids, rows, false)) {
    made = nb::module_::import_("mneme._arrays").attr("as_ids")(ids);
    rows = nb::cast<Ids>(made, false);
  }
  const ArrayIn errors("td_errors", td_errors, DType::f32);
  if (errors.shape().size() > 1 && errors.size() != static_cast<std::size_t>(errors.shape()[0]))
    throw InvalidArgument(
        concat("td_errors has shape ", errors.shape_text(), "; pass one for each row of a batch"));
  std::vector<float> narrowed;
  std::span<const float> values(static_cast<const float*>(errors.data()), errors.size());
  if (errors.type() != DType::f32) {
    narrowed.resize(errors.size());
    convert(errors.data(), errors.type(), narrowed.data(), DType::f32, errors.size());
    values = narrowed;
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw InvalidArgument(concat("td_errors[", k, "] is ", values[k],
                                   "; priorities come from finite numbers. Nothing was changed"));
  nb::gil_scoped_release released;
  return to.update_priorities({rows.data(), rows.size()}, values);
}

void Reader::set_progress(double progress) { reader().set_progress(progress); }

LiveDiagnostics Reader::diagnostics() const {
  const ReplayReader from = reader();
  nb::gil_scoped_release released;
  return from.diagnostics();
}

void Reader::reset_diagnostics() {
  ReplayReader from = reader();
  nb::gil_scoped_release released;
  from.reset_diagnostics();
}

Batches::Batches(std::shared_ptr<SharedCore> shared, const ReplayReader& reader,
                 std::shared_ptr<BatchPool> pool, std::size_t rows, std::size_t ahead)
    : shared_(std::move(shared)),
      pool_(std::move(pool)),
      rows_(rows),
      ahead_(std::make_shared<Ahead>()) {
  std::vector<BatchView> views;
  for (std::size_t k = 0; k <= ahead; ++k) {
    memory_.push_back(pool_->take(rows));
    views.push_back(view_of(BatchView{.size = rows}, *pool_->schema(), *memory_.back()));
  }
  ahead_->prefetcher = std::make_unique<Prefetcher>(reader, std::move(views));
  shared_->watch(ahead_);
}

Batches::~Batches() {
  // The thread of a forked process's parent is not here to be ended.
  if (shared_->forked()) {
    static_cast<void>(ahead_->prefetcher.release());
    return;
  }
  nb::gil_scoped_release released;
  const std::lock_guard lock(ahead_->mutex);
  ahead_->prefetcher.reset();
}

nb::object Batches::next() {
  shared_->core();
  std::shared_ptr<BatchMemory> drawn;
  {
    const auto lock = take(ahead_->mutex);
    if (!ahead_->prefetcher) throw InvalidArgument("this buffer is closed");
    nb::gil_scoped_release released;
    std::shared_ptr<BatchMemory> fresh = pool_->take(rows_);
    const BatchView got =
        ahead_->prefetcher->exchange(view_of(BatchView{.size = rows_}, *pool_->schema(), *fresh));
    // Which of ours that is: observations are in the first column, at the block's beginning.
    for (std::shared_ptr<BatchMemory>& memory : memory_) {
      if (memory->block.get() != got.observation.data()) continue;
      drawn = std::move(memory);
      memory = std::move(fresh);
      break;
    }
  }
  return nb::cast(Batch(pool_->schema(), std::move(drawn)));
}

namespace {

void bind_reports(nb::module_& module) {
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
}

}  // namespace

void bind_reader(nb::module_& module) {
  bind_reports(module);
  nb::class_<Batches>(module, "Batches",
                      "Batches without end, drawn ahead by a thread of their own.")
      .def(
          "__iter__", [](nb::handle self) { return nb::borrow(self); },
          nb::sig("def __iter__(self) -> Batches"))
      .def("__next__", &Batches::next, nb::sig("def __next__(self) -> Batch"));
  nb::class_<Reader>(module, "Reader",
                     "One way of drawing from a buffer, with a sampler, priorities, generators and "
                     "diagnostics of its own; see ReplayBuffer.add_reader.")
      .def("sample", &Reader::sample, nb::arg("batch_size"), nb::arg("out") = nb::none(),
           nb::sig("def sample(self, batch_size: int, out: typing.Any = None) -> Batch"),
           "A batch of that many transitions, in memory of its own; or into `out`: an earlier "
           "batch, or a dict of arrays and tensors by column name.")
      .def("sample", &Reader::sample, nb::arg("batch"), nb::arg("out") = nb::none(),
           nb::sig("def sample(self, batch: int, out: typing.Any = None) -> Batch"))
      .def(
          "sample_sequences", &Reader::sample_sequences, nb::arg("batch_size"), nb::arg("length"),
          nb::arg("burn_in") = 0, nb::arg("out") = nb::none(),
          nb::sig("def sample_sequences(self, batch_size: int, length: int, burn_in: int = 0, out: "
                  "typing.Any = None) -> SequenceBatch"),
          "A SequenceBatch of that many windows: `length` consecutive steps of one episode after "
          "up to `burn_in` earlier ones. The sampler picks the first step after burn-in. `out` as "
          "for sample.")
      .def("sample_sequences", &Reader::sample_sequences, nb::arg("batch"), nb::arg("length"),
           nb::arg("burn_in") = 0, nb::arg("out") = nb::none(),
           nb::sig("def sample_sequences(self, batch: int, length: int, burn_in: int = 0, out: "
                   "typing.Any = None) -> SequenceBatch"))
      .def("batches", &Reader::batches, nb::arg("batch_size"), nb::arg("ahead") = 2,
           "Batches without end, up to `ahead` of them drawn in advance by a thread of their own: "
           "those that sample would return, in the same order, but a batch may be that many "
           "batches older than it could be. commit() and save() take back what was drawn ahead. "
           "Do not call sample meanwhile; update_priorities is fine. The thread ends with the "
           "loop.")
      .def("batches", &Reader::batches, nb::arg("batch"), nb::arg("ahead") = 2)
      .def("update_priorities", &Reader::update_priorities, nb::arg("ids").none(),
           nb::arg("td_errors").none(),
           nb::sig("def update_priorities(self, ids: typing.Any, td_errors: typing.Any) -> "
                   "FeedbackReport"),
           "Tells a prioritized sampler what the learner found for the rows of a batch.")
      .def("set_progress", &Reader::set_progress, nb::arg("progress"),
           "Share of the run that is done, in [0, 1]: for beta and eta schedules.")
      .def("diagnostics", &Reader::diagnostics,
           "What has been drawn since the reader was made or the last reset_diagnostics().")
      .def("reset_diagnostics", &Reader::reset_diagnostics)
      .def_prop_ro("name", &Reader::name, "\"\" for the buffer's own.")
      .def_prop_ro("sampler", [](const Reader& r) { return r.sampling().sampler; })
      .def_prop_ro("stream_policy", [](const Reader& r) { return r.sampling().stream_policy; })
      .def_prop_ro("n_step", [](const Reader& r) { return r.sampling().n_step; })
      .def_prop_ro("discount", [](const Reader& r) { return r.sampling().discount; })
      .def("__repr__",
           [](const Reader& r) {
             return concat("<mneme.Reader '", r.name(), "', ", r.sampling().sampler, ">");
           })
      .def("__reduce__", [](const Reader&) -> nb::tuple {
        throw nb::type_error(
            "a Reader is part of its buffer and not pickled or copied: save the buffer, and ask "
            "the loaded one for reader(name)");
      });
}

}  // namespace mneme::python
