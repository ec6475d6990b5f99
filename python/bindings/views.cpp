// bindings/views.cpp - names, types and shapes of columns; arrays of the caller as columns.
#include "bindings/views.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "base/text.h"
#include "bindings/arrays.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

// What a field stored as `type` comes out as: itself, 16-bit floats as float32.
DType shown_as(DType type) { return type == DType::f16 || type == DType::bf16 ? DType::f32 : type; }

using Shape = std::vector<Py_ssize_t>;

Shape operator+(Shape first, const Shape& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Column numbers(std::string name, const FieldSpec& spec, Shape shape) {
  const DType type = shown_as(spec.type);
  return {std::move(name), numpy_name(type), type, true, size_of(type), std::move(shape)};
}

Column plain(std::string name, const char* type, std::size_t bytes, Shape shape = {}) {
  return {std::move(name), type, DType::f32, false, bytes, std::move(shape)};
}

Shape shape_of(const FieldSpec& spec) { return Shape(spec.shape.begin(), spec.shape.end()); }

Shape stacked(const ReplayConfig& config, Index stack) {
  return stack > 1 ? Shape{stack} + shape_of(config.observation) : shape_of(config.observation);
}

std::shared_ptr<const BatchSchema> schema_of(std::vector<Column> columns, const nb::dict& present) {
  for (Column& each : columns) {
    const nb::str name(each.name.c_str());
    if (present.contains(name)) each.present = nb::borrow(present[name]);
  }
  return std::make_shared<const BatchSchema>(std::move(columns));
}

template <class T>
void put(std::span<T>& column, void* data, std::size_t count) {
  column = {static_cast<T*>(data), count};
}

template <class View>
void place_field(View& view, std::size_t field, const MutableValues& room) {
  if (view.fields.size() <= field) view.fields.resize(field + 1);
  view.fields[field] = room;
}

// Columns before the extra fields.
constexpr std::size_t usual_columns(const BatchView&) { return 10; }
constexpr std::size_t usual_columns(const SequenceView&) { return 11; }

// "float32" of an array's type.
std::string array_type(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  switch (static_cast<Code>(type.code)) {
    case Code::Float:
      return concat("float", static_cast<int>(type.bits));
    case Code::Bfloat:
      return concat("bfloat", static_cast<int>(type.bits));
    case Code::Int:
      return concat("int", static_cast<int>(type.bits));
    case Code::UInt:
      return concat("uint", static_cast<int>(type.bits));
    case Code::Bool:
      return "bool";
    default:
      return "of another type";
  }
}

}  // namespace

// The order of both is that of bind_batch and of `place`.
std::shared_ptr<const BatchSchema> batch_schema(const ReplayConfig& config, Index stack,
                                                const nb::dict& present) {
  const Shape seen = stacked(config, stack);
  std::vector<Column> columns{numbers("observation", config.observation, seen),
                              numbers("action", config.action, shape_of(config.action)),
                              plain("reward", "float32", 4),
                              numbers("next_observation", config.observation, seen),
                              plain("discount", "float32", 4),
                              plain("weight", "float32", 4),
                              plain("id", "uint64", 8),
                              plain("stream", "int32", 4),
                              plain("age", "int64", 8),
                              plain("horizon", "int32", 4)};
  for (const NamedField& field : config.fields)
    columns.push_back(numbers(field.name, field.spec, shape_of(field.spec)));
  return schema_of(std::move(columns), present);
}

std::shared_ptr<const BatchSchema> sequence_schema(const ReplayConfig& config, Index stack,
                                                   Index steps, const nb::dict& present) {
  const Shape time{steps}, seen = stacked(config, stack);
  std::vector<Column> columns{numbers("observation", config.observation, time + seen),
                              numbers("action", config.action, time + shape_of(config.action)),
                              plain("reward", "float32", 4, time),
                              plain("discount", "float32", 4, time),
                              numbers("last_observation", config.observation, seen),
                              plain("valid", "bool", 1, time),
                              plain("terminated", "bool", 1),
                              plain("weight", "float32", 4),
                              plain("id", "uint64", 8),
                              plain("stream", "int32", 4),
                              plain("age", "int64", 8)};
  for (const NamedField& field : config.fields)
    columns.push_back(numbers(field.name, field.spec, time + shape_of(field.spec)));
  return schema_of(std::move(columns), present);
}

void place(BatchView& view, std::size_t index, void* data, std::size_t count, DType type) {
  const MutableValues room = MutableValues::raw(data, count, type);
  switch (index) {
    case 0:
      view.observation = room;
      return;
    case 1:
      view.action = room;
      return;
    case 2:
      return put(view.reward, data, count);
    case 3:
      view.next_observation = room;
      return;
    case 4:
      return put(view.discount, data, count);
    case 5:
      return put(view.weight, data, count);
    case 6:
      return put(view.id, data, count);
    case 7:
      return put(view.stream, data, count);
    case 8:
      return put(view.age, data, count);
    case 9:
      return put(view.horizon, data, count);
    default:
      place_field(view, index - usual_columns(view), room);
  }
}

void place(SequenceView& view, std::size_t index, void* data, std::size_t count, DType type) {
  const MutableValues room = MutableValues::raw(data, count, type);
  switch (index) {
    case 0:
      view.observation = room;
      return;
    case 1:
      view.action = room;
      return;
    case 2:
      return put(view.reward, data, count);
    case 3:
      return put(view.discount, data, count);
    case 4:
      view.last_observation = room;
      return;
    case 5:
      return put(view.valid, data, count);
    case 6:
      return put(view.terminated, data, count);
    case 7:
      return put(view.weight, data, count);
    case 8:
      return put(view.id, data, count);
    case 9:
      return put(view.stream, data, count);
    case 10:
      return put(view.age, data, count);
    default:
      place_field(view, index - usual_columns(view), room);
  }
}

template <class View>
View view_of(View view, const BatchSchema& schema, nb::dict out, std::vector<nb::object>& kept) {
  using Array = nb::ndarray<nb::c_contig, nb::device::cpu>;
  for (const auto& [key, value] : out) {
    const auto name = nb::cast<std::string>(nb::str(key));
    const std::size_t index = schema.index_of(name);
    const Column& column = schema.columns()[index];
    std::vector<Index> wanted{static_cast<Index>(view.size)};
    wanted.insert(wanted.end(), column.shape.begin(), column.shape.end());
    Array array;
    // No conversion: it would fill a copy that the caller never sees.
    if (column.present.is_valid() || !nb::try_cast(value, array, false))
      throw InvalidArgument(concat("out['", name,
                                   "'] cannot be written in place: pass a contiguous, "
                                   "writable array or tensor on the CPU of shape ",
                                   shape_text(wanted)));
    bool fits = array.ndim() == wanted.size();
    for (std::size_t d = 0; fits && d < wanted.size(); ++d)
      fits = array.shape(d) == static_cast<std::size_t>(wanted[d]);
    const std::string type = array_type(array.dtype());
    if (!fits || (!column.any_type && type != column.type))
      throw InvalidArgument(concat(
          "out['", name, "'] is ", type, " and does not fit; it must have shape ",
          shape_text(wanted), column.any_type ? std::string() : concat(" and be ", column.type)));
    place(view, index, array.data(), array.size(),
          column.any_type ? dtype_of(type) : column.stored);
    kept.push_back(nb::borrow(value));
  }
  // None of the extra fields, or a place for each.
  const std::size_t fields = schema.columns().size() - usual_columns(view);
  if (!view.fields.empty()) view.fields.resize(fields);
  return view;
}

template BatchView view_of(BatchView, const BatchSchema&, nb::dict, std::vector<nb::object>&);
template SequenceView view_of(SequenceView, const BatchSchema&, nb::dict, std::vector<nb::object>&);

}  // namespace mneme::python
