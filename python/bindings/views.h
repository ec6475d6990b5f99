// bindings/views.h - the columns of batches and of windows: what they are, and the core's views of
// them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "bindings/batch.h"
#include "mneme/replay_buffer.h"

namespace mneme::python {

namespace nb = nanobind;

/// `present`: column name -> function that turns its array into what the user sees.
std::shared_ptr<const BatchSchema> batch_schema(const ReplayConfig& config, Index stack,
                                                const nb::dict& present);
/// `steps`: burn-in included.
std::shared_ptr<const BatchSchema> sequence_schema(const ReplayConfig& config, Index stack,
                                                   Index steps, const nb::dict& present);

/// Column `index` of the schema becomes `count` numbers at `data`.
void place(BatchView& view, std::size_t index, void* data, std::size_t count, DType type);
void place(SequenceView& view, std::size_t index, void* data, std::size_t count, DType type);

/// All columns of the memory; `view` has its sizes already.
template <class View>
View view_of(View view, const BatchSchema& schema, BatchMemory& memory) {
  const std::vector<Column>& columns = schema.columns();
  for (std::size_t c = 0; c < columns.size(); ++c)
    place(view, c, memory.column(c), memory.rows * columns[c].count, columns[c].stored);
  return view;
}

/// The columns in a dict of arrays and tensors of the caller's; all of them are looked at before
/// anything is drawn. `kept` keeps them alive.
template <class View>
View view_of(View view, const BatchSchema& schema, nb::dict out, std::vector<nb::object>& kept);

}  // namespace mneme::python
