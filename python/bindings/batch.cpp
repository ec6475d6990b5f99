// bindings/batch.cpp - columns, their memory, and the Python class.
#include "bindings/batch.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/text.h"
#include "bindings/bindings.h"
#include "bindings/numpy_api.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostFree = 4;  // blocks kept per pool, enough for a loop with prefetch

}  // namespace

BatchSchema::BatchSchema(std::vector<Column> columns) : columns_(std::move(columns)) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  for (Column& column : columns_) {
    column.numpy_type = numpy.attr("dtype")(column.type);
    for (const Py_ssize_t size : column.shape) column.count *= static_cast<std::size_t>(size);
  }
}

std::size_t BatchSchema::index_of(std::string_view name) const {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].name == name) return c;
  std::vector<std::string> known;
  for (const Column& column : columns_) known.push_back(column.name);
  throw NotFound(unknown_name("column of the batch", name, known));
}

void BatchMemory::Free::operator()(std::byte* bytes) const {
  ::operator delete[](bytes, std::align_val_t{kAlignment});
}

BatchMemory::BatchMemory(const BatchSchema& schema, std::size_t count) : rows(count) {
  for (const Column& column : schema.columns()) {
    offsets.push_back(bytes);
    bytes += (count * column.count * column.item_bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  bytes = std::max<std::size_t>(bytes, kAlignment);
  block.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
}

std::shared_ptr<BatchMemory> BatchPool::take(std::size_t rows) {
  std::unique_ptr<BatchMemory> memory;
  {
    const std::lock_guard lock(mutex_);
    // The last one that was given back: caches may still have it.
    const auto found = std::find_if(free_.rbegin(), free_.rend(),
                                    [&](const auto& free) { return free->rows == rows; });
    if (found != free_.rend()) {
      memory = std::move(*found);
      free_.erase(std::next(found).base());
    }
  }
  if (!memory) memory = std::make_unique<BatchMemory>(*schema_, rows);
  // The pool may be gone when the last array is.
  return {memory.release(), [pool = weak_from_this()](BatchMemory* used) {
            std::unique_ptr<BatchMemory> owned(used);
            if (const auto alive = pool.lock()) alive->give_back(std::move(owned));
          }};
}

void BatchPool::give_back(std::unique_ptr<BatchMemory> memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.size() == kMostFree) free_.erase(free_.begin());
  free_.push_back(std::move(memory));
}

nb::object Batch::array(std::size_t index) {
  nb::object& array = arrays_[index];
  if (array.is_valid()) return array;
  if (!owner_.is_valid()) {
    owner_ = nb::capsule(new std::shared_ptr<BatchMemory>(memory_), [](void* p) noexcept {
      delete static_cast<std::shared_ptr<BatchMemory>*>(p);
    });
  }
  const Column& column = schema_->columns()[index];
  std::array<Py_ssize_t, 65> shape;  // more dimensions than NumPy has
  const std::size_t dimensions = std::min(column.shape.size(), shape.size() - 1) + 1;
  shape[0] = static_cast<Py_ssize_t>(memory_->rows);
  std::copy_n(column.shape.begin(), dimensions - 1, shape.begin() + 1);
  nb::object made = numpy_array(std::span(shape).first(dimensions), column.numpy_type,
                                memory_->column(index), owner_);
  array = column.present.is_valid() ? column.present(made) : std::move(made);
  return array;
}

namespace {

// Name, type of its array as the stubs show it, meaning.
struct ColumnDoc {
  const char *name, *type, *doc;
};
using ColumnDocs = std::vector<ColumnDoc>;

constexpr const char* kAny = "typing.Any";  // also a dict of arrays, where observations are dicts
constexpr const char* kFloats = "numpy.typing.NDArray[numpy.float32]";
constexpr const char* kInts = "numpy.typing.NDArray[numpy.int32]";
constexpr const char* kLongs = "numpy.typing.NDArray[numpy.int64]";
constexpr const char* kIds = "numpy.typing.NDArray[numpy.uint64]";
constexpr const char* kFlags = "numpy.typing.NDArray[numpy.bool_]";

// What both kinds have; `columns` in the order of their schema.
template <class Kind>
void bind_columns(nb::class_<Kind>& kind, const ColumnDocs& columns) {
  std::size_t index = 0;
  for (const auto& [name, type, doc] : columns) {
    kind.def_prop_ro(
        name, [index](Kind& b) { return b.array(index); },
        nb::for_getter(nb::sig(concat("def ", name, "(self, /) -> ", type).c_str())), doc);
    ++index;
  }
  kind.def(
          "__getattr__",
          [](Kind& b, const std::string& name) {
            try {
              return b.array(name);
            } catch (const NotFound& error) {
              throw nb::attribute_error(error.what());
            }
          },
          nb::sig("def __getattr__(self, name: str, /) -> typing.Any"))
      .def(
          "__getitem__", [](Kind& b, const std::string& name) { return b.array(name); },
          nb::sig("def __getitem__(self, name: str, /) -> typing.Any"))
      .def("__len__", &Kind::rows)
      .def("__contains__",
           [](const Kind& b, const std::string& name) {
             for (const Column& column : b.schema()->columns())
               if (column.name == name) return true;
             return false;
           })
      .def(
          "keys",
          [](const Kind& b) {
            nb::list names;
            for (const Column& column : b.schema()->columns()) names.append(text(column.name));
            return names;
          },
          nb::sig("def keys(self) -> list[str]"), "The names of the columns.")
      .def(
          "items",
          [](Kind& b) {
            nb::list pairs;
            for (std::size_t c = 0; c < b.schema()->columns().size(); ++c)
              pairs.append(nb::make_tuple(text(b.schema()->columns()[c].name), b.array(c)));
            return pairs;
          },
          nb::sig("def items(self) -> list[tuple[str, typing.Any]]"), "Names and columns.")
      .def(
          "values",
          [](Kind& b) {
            nb::list arrays;
            for (std::size_t c = 0; c < b.schema()->columns().size(); ++c)
              arrays.append(b.array(c));
            return arrays;
          },
          nb::sig("def values(self) -> list[typing.Any]"), "The columns.")
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(self.attr("keys")()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def(
          "torch",
          [](nb::handle self, nb::handle device, bool non_blocking) {
            return nb::module_::import_("mneme._frameworks")
                .attr("torch_columns")(self, device, non_blocking);
          },
          nb::arg("device") = nb::none(), nb::arg("non_blocking") = false,
          nb::sig("def torch(self, device: typing.Any = None, non_blocking: bool = False) -> "
                  "typing.Any"),
          "The columns as torch tensors: views of this batch, or copies on `device`.")
      .def(
          "to",
          [](nb::handle self, nb::handle device, bool non_blocking) {
            return nb::module_::import_("mneme._frameworks")
                .attr("torch_columns")(self, device, non_blocking);
          },
          nb::arg("device"), nb::arg("non_blocking") = false,
          nb::sig("def to(self, device: typing.Any, non_blocking: bool = False) -> typing.Any"),
          "The same as torch(device).")
      .def(
          "jax",
          [](nb::handle self) {
            return nb::module_::import_("mneme._frameworks").attr("jax_columns")(self);
          },
          nb::sig("def jax(self) -> typing.Any"),
          "The columns as JAX arrays: views of this batch, which must then not be refilled.")
      .def(
          "__reduce__",
          [](nb::handle self) {
            return nb::module_::import_("mneme._frameworks").attr("pickle_columns")(self);
          },
          nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__repr__",
          [](nb::handle self) {
            return nb::module_::import_("mneme._frameworks").attr("describe_columns")(self);
          },
          nb::sig("def __repr__(self) -> str"))
      .def(
          "_repr_html_",
          [](nb::handle self) {
            return nb::module_::import_("mneme._frameworks").attr("columns_as_html")(self);
          },
          nb::sig("def _repr_html_(self) -> str"));
}

}  // namespace

void bind_batch(nb::module_& module) {
  nb::class_<Batch> batch(module, "Batch",
                          "One batch of transitions: a column per field, as NumPy arrays that "
                          "belong to the batch.");
  bind_columns(
      batch,
      {{"observation", kAny, "What the agent saw; with a stack, its frames oldest first."},
       {"action", kAny, "What it did."},
       {"reward", kFloats, "The sum of up to n_step discounted rewards."},
       {"next_observation", kAny, "What it saw after the last of those steps: the true one."},
       {"discount", kFloats,
        "What multiplies the bootstrap value: discount^horizon, 0 after termination."},
       {"weight", kFloats, "Importance weight; 1 for samplers without priorities."},
       {"id", kIds, "Names the row for update_priorities: stream and sequence number."},
       {"stream", kInts, "The environment or task."},
       {"age", kLongs, "0 is the newest row of its stream."},
       {"horizon", kInts, "Rewards summed, at most n_step."}});
  nb::class_<SequenceBatch> sequences(
      module, "SequenceBatch",
      "One batch of windows: burn_in + length consecutive steps of one episode each. What lies "
      "before the episode's start or after its end is 0 and not `valid`.");
  bind_columns(
      sequences,
      {{"observation", kAny, "Batch x steps x shape; burn-in first."},
       {"action", kAny, "Batch x steps x shape."},
       {"reward", kFloats, "Batch x steps, of single steps."},
       {"discount", kFloats,
        "Batch x steps: what multiplies the value after the step; 0 after "
        "termination."},
       {"last_observation", kAny, "The one after the last valid step: batch x shape."},
       {"valid", kFlags, "Batch x steps: whether the step is part of the episode."},
       {"terminated", kFlags, "Per window: whether its last valid step ended the episode."},
       {"weight", kFloats, "Importance weight per window; 1 for samplers without priorities."},
       {"id", kIds, "Of the first step after burn-in, for update_priorities."},
       {"stream", kInts, "The environment or task."},
       {"age", kLongs, "Of the first step after burn-in; 0 is the newest row of its stream."}});
}

}  // namespace mneme::python
