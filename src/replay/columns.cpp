// replay/columns.cpp - every column is checked before any is written.
#include "replay/columns.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

// Positions in a batch are 32-bit numbers, and rows times columns must not wrap around.
void check_size(std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 31;
  if (size < 1 || size >= kMost)
    throw InvalidArgument(concat("a batch of ", size, " rows; allowed: 1 to ", kMost - 1));
}

void check_windows(std::size_t size, Index length, Index burn_in) {
  constexpr Index kLongest = Index{1} << 31;
  check_size(size);
  if (length < 1 || length > kLongest || burn_in < 0 || burn_in >= length)
    throw InvalidArgument(concat("windows of ", length, " steps of which ", burn_in,
                                 " are burn-in; allowed: 1 to ", kLongest,
                                 " steps, at least one of them after burn-in"));
}

// Checks one column after the other.
class Check {
 public:
  explicit Check(bool needed) : needed_(needed) {}

  void column(std::string_view name, std::size_t given, const void* data, std::size_t rows,
              std::size_t count) const {
    if (given == 0 && !needed_) return;
    if (given != rows * count)
      throw InvalidArgument(concat("the column ", name, " has room for ", given,
                                   " numbers; this batch needs ", rows, " rows of ", count,
                                   needed_
                                       ? "; use the batch as make_batch or make_sequences made it"
                                       : ", or none if the column is not wanted"));
    if (data == nullptr) throw InvalidArgument(concat("column ", name, ": data is null"));
  }
  void column(std::string_view name, const MutableValues& values, std::size_t rows,
              std::size_t count) const {
    column(name, values.size(), values.data(), rows, count);
    if (static_cast<std::size_t>(values.type()) > static_cast<std::size_t>(DType::i64))
      throw InvalidArgument(concat("the column ", name, " asks for an unknown type"));
  }
  template <class T>
  void column(std::string_view name, const std::span<T>& values, std::size_t rows) const {
    column(name, values.size(), values.data(), rows, 1);
  }
  void fields(const std::vector<MutableValues>& fields, const RowLayout& layout,
              std::size_t rows) const {
    const std::size_t known = layout.fields.size() - RowLayout::kExtras;
    if (fields.size() != known && (needed_ || !fields.empty()))
      throw InvalidArgument(concat("the batch has columns for ", fields.size(),
                                   " extra fields; this buffer has ", known,
                                   needed_ ? "" : "; give one each, or none"));
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const FieldPlace& place = layout.fields[RowLayout::kExtras + f];
      column(place.name, fields[f], rows, place.count);
    }
  }

 private:
  bool needed_;
};

}  // namespace

void check_columns(const BatchView& batch, const RowLayout& layout, std::size_t stacked,
                   bool needed) {
  check_size(batch.size);
  const Check check(needed);
  check.column("observation", batch.observation, batch.size, stacked);
  check.column("next_observation", batch.next_observation, batch.size, stacked);
  check.column("action", batch.action, batch.size, layout.fields[RowLayout::kAction].count);
  check.column("reward", batch.reward, batch.size);
  check.column("discount", batch.discount, batch.size);
  check.column("weight", batch.weight, batch.size);
  check.column("id", batch.id, batch.size);
  check.column("stream", batch.stream, batch.size);
  check.column("horizon", batch.horizon, batch.size);
  check.column("age", batch.age, batch.size);
  check.fields(batch.fields, layout, batch.size);
}

void check_columns(const SequenceView& batch, const RowLayout& layout, std::size_t stacked,
                   bool needed) {
  check_windows(batch.size, batch.length, batch.burn_in);
  const Check check(needed);
  const std::size_t steps = batch.size * static_cast<std::size_t>(batch.length);
  check.column("observation", batch.observation, steps, stacked);
  check.column("action", batch.action, steps, layout.fields[RowLayout::kAction].count);
  check.column("last_observation", batch.last_observation, batch.size, stacked);
  check.column("reward", batch.reward, steps);
  check.column("discount", batch.discount, steps);
  check.column("valid", batch.valid, steps);
  check.column("terminated", batch.terminated, batch.size);
  check.column("id", batch.id, batch.size);
  check.column("stream", batch.stream, batch.size);
  check.column("age", batch.age, batch.size);
  check.column("weight", batch.weight, batch.size);
  check.fields(batch.fields, layout, steps);
}

Batch batch_for(std::size_t size, const RowLayout& layout, std::size_t stacked) {
  check_size(size);
  Batch batch;
  batch.size = size;
  batch.observation.resize(size * stacked);
  batch.next_observation.resize(size * stacked);
  batch.action.resize(size * layout.fields[RowLayout::kAction].count);
  for (auto* column : {&batch.reward, &batch.discount, &batch.weight}) column->resize(size);
  batch.id.resize(size);
  batch.stream.resize(size);
  batch.horizon.resize(size);
  batch.age.resize(size);
  for (std::size_t f = RowLayout::kExtras; f < layout.fields.size(); ++f)
    batch.fields.emplace_back(size * layout.fields[f].count);
  return batch;
}

SequenceBatch sequences_for(std::size_t size, Index length, Index burn_in, const RowLayout& layout,
                            std::size_t stacked) {
  check_windows(size, length, burn_in);
  SequenceBatch batch;
  batch.size = size;
  batch.length = length;
  batch.burn_in = burn_in;
  const std::size_t steps = size * static_cast<std::size_t>(length);
  batch.observation.resize(steps * stacked);
  batch.action.resize(steps * layout.fields[RowLayout::kAction].count);
  batch.last_observation.resize(size * stacked);
  batch.reward.resize(steps);
  batch.discount.resize(steps);
  batch.valid.resize(steps);
  batch.terminated.resize(size);
  batch.id.resize(size);
  batch.stream.resize(size);
  batch.age.resize(size);
  batch.weight.resize(size);
  for (std::size_t f = RowLayout::kExtras; f < layout.fields.size(); ++f)
    batch.fields.emplace_back(steps * layout.fields[f].count);
  return batch;
}

void show(Batch& batch, BatchView& view) {
  view.size = batch.size;
  view.observation = batch.observation;
  view.action = batch.action;
  view.next_observation = batch.next_observation;
  view.reward = batch.reward;
  view.discount = batch.discount;
  view.weight = batch.weight;
  view.id = batch.id;
  view.stream = batch.stream;
  view.horizon = batch.horizon;
  view.age = batch.age;
  view.fields.assign(batch.fields.begin(), batch.fields.end());
}

void show(SequenceBatch& batch, SequenceView& view) {
  view.size = batch.size;
  view.length = batch.length;
  view.burn_in = batch.burn_in;
  view.observation = batch.observation;
  view.action = batch.action;
  view.last_observation = batch.last_observation;
  view.reward = batch.reward;
  view.discount = batch.discount;
  view.valid = batch.valid;
  view.terminated = batch.terminated;
  view.id = batch.id;
  view.stream = batch.stream;
  view.age = batch.age;
  view.weight = batch.weight;
  view.fields.assign(batch.fields.begin(), batch.fields.end());
}

BatchView Batch::view() {
  BatchView view;
  show(*this, view);
  return view;
}

SequenceView SequenceBatch::view() {
  SequenceView view;
  show(*this, view);
  return view;
}

}  // namespace mneme
