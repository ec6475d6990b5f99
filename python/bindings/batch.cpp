// bindings/batch.cpp - columns, their memory, and the Python class.
#include "bindings/batch.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <new>

#include "base/text.h"
#include "bindings/bindings.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kMostFree = 4;  // blocks kept per pool, enough for a loop with prefetch

}  // namespace

BatchSchema::BatchSchema(std::vector<Column> columns) : columns_(std::move(columns)) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  array_type_ = numpy.attr("ndarray");
  for (Column& column : columns_) column.numpy_type = numpy.attr("dtype")(column.type);
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
    bytes += (count * column.row_bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  bytes = std::max<std::size_t>(bytes, kAlignment);
  block.reset(static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{kAlignment})));
}

std::shared_ptr<BatchMemory> BatchPool::take(std::size_t rows) {
  std::unique_ptr<BatchMemory> memory;
  {
    const std::lock_guard lock(mutex_);
    for (auto& free : free_) {
      if (free->rows != rows) continue;
      memory = std::move(free);
      free = std::move(free_.back());
      free_.pop_back();
      break;
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

// numpy.ndarray(shape, dtype, buffer, offset): several times as fast as an exchange by DLPack, and
// NumPy's own types come out.
nb::object Batch::array(std::size_t index) {
  nb::object& array = arrays_[index];
  if (array.is_valid()) return array;
  if (!owner_.is_valid()) {
    const nb::capsule keeper(new std::shared_ptr<BatchMemory>(memory_), [](void* p) noexcept {
      delete static_cast<std::shared_ptr<BatchMemory>*>(p);
    });
    owner_ = nb::cast(
        nb::ndarray<nb::array_api, std::uint8_t>(memory_->block.get(), {memory_->bytes}, keeper));
  }
  const Column& column = schema_->columns()[index];
  nb::object shape = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(column.shape.size()) + 1));
  PyTuple_SetItem(shape.ptr(), 0, PyLong_FromSize_t(memory_->rows));
  for (std::size_t d = 0; d < column.shape.size(); ++d)
    PyTuple_SetItem(shape.ptr(), static_cast<Py_ssize_t>(d) + 1,
                    PyLong_FromSize_t(column.shape[d]));
  nb::object made =
      schema_->array_type()(shape, column.numpy_type, owner_, memory_->offsets[index]);
  array = column.present.is_valid() ? column.present(made) : std::move(made);
  return array;
}

void bind_batch(nb::module_& module) {
  nb::class_<Batch> batch(module, "Batch",
                          "One batch of transitions: a column per field, as NumPy arrays that "
                          "belong to the batch.");
  const std::pair<const char*, const char*> columns[]{
      {"observation", "What the agent saw; with a stack, its frames oldest first."},
      {"action", "What it did."},
      {"reward", "The sum of up to n_step discounted rewards."},
      {"next_observation", "What it saw after the last of those steps: the true one."},
      {"discount", "What multiplies the bootstrap value: discount^horizon, 0 after termination."},
      {"weight", "Importance weight; 1 for samplers without priorities."},
      {"id", "Names the row for update_priorities: stream and sequence number."},
      {"stream", "The environment or task."},
      {"age", "0 is the newest row of its stream."},
      {"horizon", "Rewards summed, at most n_step."}};
  std::size_t index = 0;
  for (const auto& [name, doc] : columns) {
    batch.def_prop_ro(name, [index](Batch& b) { return b.array(index); }, doc);
    ++index;
  }
  batch
      .def("__getattr__",
           [](Batch& b, const std::string& name) {
             try {
               return b.array(name);
             } catch (const NotFound& error) {
               throw nb::attribute_error(error.what());
             }
           })
      .def("__getitem__", [](Batch& b, const std::string& name) { return b.array(name); })
      .def("__len__", &Batch::rows)
      .def("__contains__",
           [](const Batch& b, const std::string& name) {
             for (const Column& column : b.schema()->columns())
               if (column.name == name) return true;
             return false;
           })
      .def(
          "keys",
          [](const Batch& b) {
            nb::list names;
            for (const Column& column : b.schema()->columns()) names.append(text(column.name));
            return names;
          },
          "The names of the columns.")
      .def("__iter__", [](nb::handle self) { return nb::iter(self.attr("keys")()); })
      .def(
          "torch",
          [](nb::handle self, nb::handle device, bool non_blocking) {
            return nb::module_::import_("mneme._frameworks")
                .attr("torch_columns")(self, device, non_blocking);
          },
          nb::arg("device") = nb::none(), nb::arg("non_blocking") = false,
          "The columns as torch tensors: views of this batch, or copies on `device`.")
      .def(
          "jax",
          [](nb::handle self) {
            return nb::module_::import_("mneme._frameworks").attr("jax_columns")(self);
          },
          "The columns as JAX arrays: views of this batch, which must then not be refilled.")
      .def("__reduce__",
           [](nb::handle self) {
             return nb::module_::import_("mneme._frameworks").attr("pickle_columns")(self);
           })
      .def("__repr__", [](nb::handle self) {
        return nb::module_::import_("mneme._frameworks").attr("describe_columns")(self);
      });
}

}  // namespace mneme::python
