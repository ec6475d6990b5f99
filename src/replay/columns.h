// replay/columns.h - the columns of batches: memory for them, views of them, and whether they fit.
#pragma once

#include "mneme/batch.h"
#include "storage/row_layout.h"

namespace mneme {

/// Throws InvalidArgument, naming the column, unless every column has room for exactly the rows of
/// the batch or (unless all are `needed`) none. `stacked` numbers make an observation.
void check_columns(const BatchView& batch, const RowLayout& layout, std::size_t stacked,
                   bool needed);
void check_columns(const SequenceView& batch, const RowLayout& layout, std::size_t stacked,
                   bool needed);

Batch batch_for(std::size_t size, const RowLayout& layout, std::size_t stacked);
SequenceBatch sequences_for(std::size_t size, Index length, Index burn_in, const RowLayout& layout,
                            std::size_t stacked);

/// Makes `view` one of this batch; takes no memory from the second time on.
void show(Batch& batch, BatchView& view);
void show(SequenceBatch& batch, SequenceView& view);

}  // namespace mneme
