// bindings/batch.h - what `sample` returns: one block of memory with a column per field, shown as
// NumPy arrays.
//
// A batch owns its memory: no later call of `sample` changes it. When the batch and every array
// made from it are gone, the block goes back to its pool and the next batch of that size uses it
// again, so that a training loop works in the same few blocks. Columns start at multiples of 64
// bytes, which lets JAX take them as they are.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mneme/schema.h"

namespace mneme::python {

namespace nb = nanobind;

/// One field of a batch.
struct Column {
  std::string name;
  const char* type;                    // as NumPy calls it
  DType stored;                        // as the core does, where `any_type`
  bool any_type;                       // comes out in any type that `out` has
  std::size_t item_bytes;              // of one number
  std::vector<Py_ssize_t> shape = {};  // of one row
  nb::object present = {};             // called on the array before it is handed out, if set
  nb::object numpy_type = {};
  std::size_t count = 1;  // numbers in a row
};

class BatchSchema {
 public:
  explicit BatchSchema(std::vector<Column> columns);
  const std::vector<Column>& columns() const { return columns_; }
  /// Throws KeyError with the known names.
  std::size_t index_of(std::string_view name) const;

 private:
  std::vector<Column> columns_;
};

/// The memory of one batch.
struct BatchMemory {
  BatchMemory(const BatchSchema& schema, std::size_t count);
  std::byte* column(std::size_t index) { return block.get() + offsets[index]; }

  std::size_t rows, bytes = 0;
  std::vector<std::size_t> offsets;
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::unique_ptr<std::byte[], Free> block;
};

/// Blocks that are free again. Any thread.
class BatchPool : public std::enable_shared_from_this<BatchPool> {
 public:
  explicit BatchPool(std::shared_ptr<const BatchSchema> schema) : schema_(std::move(schema)) {}
  std::shared_ptr<BatchMemory> take(std::size_t rows);
  const std::shared_ptr<const BatchSchema>& schema() const { return schema_; }

 private:
  void give_back(std::unique_ptr<BatchMemory> memory) noexcept;

  std::shared_ptr<const BatchSchema> schema_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BatchMemory>> free_;
};

/// The Python object.
class Batch {
 public:
  Batch(std::shared_ptr<const BatchSchema> schema, std::shared_ptr<BatchMemory> memory)
      : schema_(std::move(schema)),
        memory_(std::move(memory)),
        arrays_(schema_->columns().size()) {}

  std::size_t rows() const { return memory_->rows; }
  const std::shared_ptr<const BatchSchema>& schema() const { return schema_; }
  BatchMemory& memory() { return *memory_; }
  /// The array of a column, made when first asked for.
  nb::object array(std::size_t index);
  nb::object array(std::string_view name) { return array(schema_->index_of(name)); }

 private:
  std::shared_ptr<const BatchSchema> schema_;
  std::shared_ptr<BatchMemory> memory_;
  nb::object owner_;  // what keeps the memory for the arrays
  std::vector<nb::object> arrays_;
};

/// The same for windows, with columns of their own.
class SequenceBatch : public Batch {
  using Batch::Batch;
};

}  // namespace mneme::python
