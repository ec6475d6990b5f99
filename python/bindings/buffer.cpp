// bindings/buffer.cpp - steps in; which thread may do what.
//
// The core lets one thread add at a time; a lock makes that true for any number of Python threads.
// No thread waits for it while holding the interpreter's: a call that cannot have its lock at once
// lets go of the interpreter first. Readers take turns inside the core.
#include "bindings/buffer.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "bindings/views.h"
#include "mneme/error.h"
#include "storage/convert.h"

namespace mneme::python {
namespace {

// Steps with more bytes than this are copied without the interpreter's lock; giving it up and
// taking it again costs as much as copying about this many.
constexpr std::size_t kWorthUnlocking = 16 * 1024;

}  // namespace

Buffer::Buffer(std::shared_ptr<ReplayBuffer> core, nb::dict present)
    : Reader(std::make_shared<SharedCore>(std::move(core)), "", std::move(present)),
      row_bytes_(2 * config().observation.bytes() + config().action.bytes()),
      warned_(2 + config().fields.size()) {}

Buffer::Buffer(const ReplayConfig& config, nb::dict present)
    : Buffer(unlocked([&] { return std::make_shared<ReplayBuffer>(config); }), std::move(present)) {
  commits_ = !config.path.empty();
}

Buffer::Buffer(const std::string& path, From how, nb::dict present)
    : Buffer(unlocked([&] {
               return std::make_shared<ReplayBuffer>(
                   how == From::memory
                       ? ReplayBuffer::load(path)
                       : ReplayBuffer::open(
                             path, how == From::writing ? OpenFor::writing : OpenFor::reading));
             }),
             std::move(present)) {
  commits_ = how == From::writing;
}

void Buffer::check_row(const char* name, const ArrayIn& given, const FieldSpec& spec,
                       bool vector) const {
  if (vector ? given.is_rows(config().streams, spec.shape) : given.is_row(spec.shape)) return;
  throw InvalidArgument(concat(name, " has shape ", given.shape_text(), "; ",
                               vector ? "one step of all streams has " : "one step has ",
                               shape_text(spec.shape, vector ? config().streams : -1)));
}

void Buffer::warn_if_narrowed(const char* name, const ArrayIn& given, DType stored,
                              std::size_t field) {
  if (given.type() != DType::f64 || size_of(stored) >= 8 || given.shape().empty() || warned_[field])
    return;
  warned_[field] = true;
  const std::string message =
      concat(name, " is float64 and stored as ", numpy_name(stored),
             ": every row is converted; pass float32, or store it as float64. This warning appears "
             "once");
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

void Buffer::add(nb::handle observation, nb::handle action, nb::handle reward,
                 nb::handle next_observation, nb::handle terminated, nb::handle truncated,
                 nb::handle stream, nb::handle fields) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const ArrayIn now("observation", observation, config().observation.type);
  const ArrayIn next("next_observation", next_observation, config().observation.type);
  const ArrayIn done("action", action, config().action.type);

  // One step or one of every stream: the observation's shape says which.
  const bool vector = now.is_rows(config().streams, config().observation.shape);
  if (!vector && !now.is_row(config().observation.shape))
    throw InvalidArgument(concat("observation has shape ", now.shape_text(), "; this buffer takes ",
                                 shape_text(config().observation.shape), " for one step or ",
                                 shape_text(config().observation.shape, config().streams),
                                 " for one step of all streams"));
  if (vector && !stream.is_none())
    throw InvalidArgument("a step of all streams has no `stream`; pass one row, or leave it out");
  if (!vector && stream.is_none() && config().streams > 1)
    throw InvalidArgument(concat("one step for a buffer of ", config().streams,
                                 " streams: say which with stream=, or pass a step of all"));
  check_row("next_observation", next, config().observation, vector);
  check_row("action", done, config().action, vector);
  const std::size_t rows = vector ? static_cast<std::size_t>(config().streams) : 1;
  Index chosen = 0;
  if (!stream.is_none() && !nb::try_cast(stream, chosen))
    throw InvalidArgument("stream is a whole number");

  // Rewards and flags: one each.
  const ArrayIn rewards("reward", reward, DType::f32);
  const ArrayIn over("terminated", terminated, DType::u8), cut("truncated", truncated, DType::u8);
  const auto one_each = [&](const char* name, const ArrayIn& given, bool may_be_one) {
    if (given.size() == rows && given.shape().size() <= 1) return;
    if (may_be_one && given.shape().empty()) return;
    throw InvalidArgument(
        concat(name, " has shape ", given.shape_text(), "; pass ",
               vector ? concat("one for each of ", rows, " streams") : "one number"));
  };
  one_each("reward", rewards, false);
  if (rewards.type() != DType::f32 && rewards.type() != DType::f64 && rewards.type() != DType::f16)
    throw InvalidArgument(
        concat("reward is handed in as ", numpy_name(rewards.type()), "; pass floats"));
  for (const auto& [name, given] : {std::pair{"terminated", &over}, std::pair{"truncated", &cut}}) {
    one_each(name, *given, true);
    if (given->type() != DType::u8)
      throw InvalidArgument(
          concat(name, " is handed in as ", numpy_name(given->type()), "; pass booleans"));
  }

  // Extra fields, by name, all of them.
  std::vector<std::unique_ptr<ArrayIn>> extras;
  std::vector<Values> extra_values;
  const std::size_t given_fields = fields.is_none() ? 0 : nb::len(fields);
  if (given_fields > 0 || !config().fields.empty()) {
    for (const NamedField& field : config().fields) {
      PyObject* value =
          fields.is_none() ? nullptr : PyDict_GetItemString(fields.ptr(), field.name.c_str());
      if (value == nullptr)
        throw InvalidArgument(
            concat("field '", field.name, "' is missing; pass ", field.name, "="));
      extras.push_back(std::make_unique<ArrayIn>(field.name.c_str(), value, field.spec.type));
      // A number is a scalar field of one step.
      check_row(field.name.c_str(), *extras.back(), field.spec, vector);
      extra_values.push_back(extras.back()->values());
    }
    if (given_fields > config().fields.size()) {
      std::vector<std::string> known;
      for (const NamedField& field : config().fields) known.push_back(field.name);
      for (const auto& [key, value] : nb::borrow<nb::dict>(fields)) {
        const auto name = nb::cast<std::string>(nb::str(key));
        if (std::find(known.begin(), known.end(), name) == known.end())
          throw InvalidArgument(unknown_name("field", name, known));
      }
    }
  }
  warn_if_narrowed("observation", now, config().observation.type, 0);
  warn_if_narrowed("next_observation", next, config().observation.type, 0);
  warn_if_narrowed("action", done, config().action.type, 1);

  warn_of_cuts(*buffer);

  const auto lock = take(writing_);
  std::optional<nb::gil_scoped_release> released;
  if (rows * row_bytes_ > kWorthUnlocking || commits_) released.emplace();
  if (!vector) {
    float number;
    convert(rewards.data(), rewards.type(), &number, DType::f32, 1);
    buffer->add({.stream = chosen,
                 .observation = now.values(),
                 .action = done.values(),
                 .reward = number,
                 .next_observation = next.values(),
                 .terminated = *static_cast<const std::uint8_t*>(over.data()) != 0,
                 .truncated = *static_cast<const std::uint8_t*>(cut.data()) != 0,
                 .fields = std::move(extra_values)});
    return;
  }
  std::span<const float> all(static_cast<const float*>(rewards.data()), rows);
  if (rewards.type() != DType::f32) {
    rewards_.resize(rows);
    convert(rewards.data(), rewards.type(), rewards_.data(), DType::f32, rows);
    all = rewards_;
  }
  // A single flag stands for all streams; False is the same as none.
  std::vector<std::uint8_t> spread;
  const auto flags = [&](const ArrayIn& given) -> std::span<const std::uint8_t> {
    const auto* data = static_cast<const std::uint8_t*>(given.data());
    if (given.size() == rows) return {data, rows};
    if (*data == 0) return {};
    spread.assign(rows, 1);
    return spread;
  };
  buffer->add_all({.observation = now.values(),
                   .action = done.values(),
                   .reward = all,
                   .next_observation = next.values(),
                   .terminated = flags(over),
                   .truncated = flags(cut),
                   .fields = std::move(extra_values)});
}

void Buffer::extend(nb::handle observation, nb::handle action, nb::handle reward,
                    nb::handle next_observation, nb::handle terminated, nb::handle truncated,
                    nb::handle stream, nb::handle fields) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const ArrayIn now("observation", observation, config().observation.type);
  const ArrayIn next("next_observation", next_observation, config().observation.type);
  const ArrayIn done("action", action, config().action.type);
  const ArrayIn rewards("reward", reward, DType::f32);
  const ArrayIn over("terminated", terminated, DType::u8), cut("truncated", truncated, DType::u8);

  // Time alone, or time x streams: the observation's shape says which.
  const std::size_t inner = config().observation.shape.size();
  const std::span<const Py_ssize_t> shape = now.shape();
  const auto streams = static_cast<Py_ssize_t>(config().streams);
  const bool vector = shape.size() == inner + 2 && shape[1] == streams;
  if ((shape.size() != inner + 1 && !vector) || shape.empty())
    throw InvalidArgument(concat("observation has shape ", now.shape_text(),
                                 "; pass time x shape of one row, or time x ", streams,
                                 " streams x shape of one row"));
  if (vector && !stream.is_none())
    throw InvalidArgument(
        "steps of all streams have no `stream`; pass one stream, or leave it out");
  if (!vector && stream.is_none() && config().streams > 1)
    throw InvalidArgument(concat("steps of one stream for a buffer of ", config().streams,
                                 " streams: say which with stream="));
  Index chosen = 0;
  if (!stream.is_none() && !nb::try_cast(stream, chosen))
    throw InvalidArgument("stream must be a whole number");
  const auto steps = static_cast<std::size_t>(shape[0]);
  const std::size_t each = vector ? static_cast<std::size_t>(streams) : 1, rows = steps * each;

  const auto check = [&](const char* name, const ArrayIn& given, const std::vector<Index>& row) {
    std::vector<Index> wanted{static_cast<Index>(steps)};
    if (vector) wanted.push_back(config().streams);
    wanted.insert(wanted.end(), row.begin(), row.end());
    if (given.is_row(wanted)) return;
    throw InvalidArgument(
        concat(name, " has shape ", given.shape_text(), "; expected ", python::shape_text(wanted)));
  };
  check("observation", now, config().observation.shape);
  check("next_observation", next, config().observation.shape);
  check("action", done, config().action.shape);
  check("reward", rewards, {});
  if (rewards.type() != DType::f32 && rewards.type() != DType::f64 && rewards.type() != DType::f16)
    throw InvalidArgument(
        concat("reward is handed in as ", numpy_name(rewards.type()), "; pass floats"));
  for (const auto& [name, given] : {std::pair{"terminated", &over}, std::pair{"truncated", &cut}}) {
    if (!given->shape().empty()) check(name, *given, {});
    if (given->type() != DType::u8)
      throw InvalidArgument(
          concat(name, " is handed in as ", numpy_name(given->type()), "; pass booleans"));
  }
  std::vector<std::unique_ptr<ArrayIn>> extras;
  for (const NamedField& field : config().fields) {
    PyObject* value =
        fields.is_none() ? nullptr : PyDict_GetItemString(fields.ptr(), field.name.c_str());
    if (value == nullptr)
      throw InvalidArgument(concat("field '", field.name, "' is missing; pass ", field.name, "="));
    extras.push_back(std::make_unique<ArrayIn>(field.name.c_str(), value, field.spec.type));
    check(field.name.c_str(), *extras.back(), field.spec.shape);
  }
  if (!fields.is_none() && nb::len(fields) > config().fields.size()) {
    std::vector<std::string> known;
    for (const NamedField& field : config().fields) known.push_back(field.name);
    for (const auto& [key, value] : nb::borrow<nb::dict>(fields)) {
      const auto name = nb::cast<std::string>(nb::str(key));
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InvalidArgument(unknown_name("field", name, known));
    }
  }
  warn_if_narrowed("observation", now, config().observation.type, 0);
  warn_if_narrowed("next_observation", next, config().observation.type, 0);
  warn_if_narrowed("action", done, config().action.type, 1);

  // All of it is looked at before anything is stored.
  std::vector<float> narrowed;
  const auto* numbers = static_cast<const float*>(rewards.data());
  if (rewards.type() != DType::f32) {
    narrowed.resize(rows);
    convert(rewards.data(), rewards.type(), narrowed.data(), DType::f32, rows);
    numbers = narrowed.data();
  }
  for (std::size_t k = 0; k < rows; ++k)
    if (!std::isfinite(numbers[k]))
      throw InvalidArgument(
          concat("reward ", k, " is ", numbers[k], "; it must be finite. Nothing was stored"));

  {
    const auto lock = take(writing_);
    const nb::gil_scoped_release released;
    const auto part = [&](const ArrayIn& given, std::size_t t) {
      const std::size_t count = given.size() / steps;
      return Values::raw(
          static_cast<const std::byte*>(given.data()) + t * count * size_of(given.type()), count,
          given.type());
    };
    const std::vector<std::uint8_t> all_ones(each, 1);
    const auto flags = [&](const ArrayIn& given, std::size_t t) -> std::span<const std::uint8_t> {
      const auto* data = static_cast<const std::uint8_t*>(given.data());
      if (!given.shape().empty()) return {data + t * each, each};
      if (*data == 0) return {};
      return all_ones;
    };
    for (std::size_t t = 0; t < steps; ++t) {
      std::vector<Values> values;
      for (const auto& extra : extras) values.push_back(part(*extra, t));
      const auto ends = flags(over, t), limits = flags(cut, t);
      if (vector)
        buffer->add_all({.observation = part(now, t),
                         .action = part(done, t),
                         .reward = {numbers + t * each, each},
                         .next_observation = part(next, t),
                         .terminated = ends,
                         .truncated = limits,
                         .fields = std::move(values)});
      else
        buffer->add({.stream = chosen,
                     .observation = part(now, t),
                     .action = part(done, t),
                     .reward = numbers[t],
                     .next_observation = part(next, t),
                     .terminated = !ends.empty() && ends[0] != 0,
                     .truncated = !limits.empty() && limits[0] != 0,
                     .fields = std::move(values)});
    }
  }
  warn_of_cuts(*buffer);
}

void Buffer::read(Index stream, Index first, Index count, nb::dict out, nb::handle ends) const {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  if (count < 1) throw InvalidArgument(concat("rows must be at least 1, got ", count));
  std::vector<nb::object> kept;
  const auto schema = batch_schema(config(), 1, nb::dict());
  const BatchView view =
      view_of(BatchView{.size = static_cast<std::size_t>(count)}, *schema, std::move(out), kept);
  const auto flags = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig>>(ends);
  const nb::gil_scoped_release released;
  buffer->read(stream, first, view, {flags.data(), flags.size()});
}

namespace {

// Row k of a column of many.
MutableValues row_of(const MutableValues& column, std::size_t k, std::size_t rows) {
  if (column.size() == 0) return column;
  const std::size_t each = column.size() / rows;
  return MutableValues::raw(
      static_cast<std::byte*>(column.data()) + k * each * size_of(column.type()), each,
      column.type());
}

template <class T>
std::span<T> row_of(std::span<T> column, std::size_t k) {
  return column.empty() ? column : column.subspan(k, 1);
}

// One row by its stream and sequence number; false if it has been overwritten.
bool read_row(const ReplayBuffer& buffer, std::uint64_t id, BatchView row) {
  std::uint64_t seen = 0;
  const Index stream = ReplayBuffer::stream_of(id);
  const std::uint64_t sequence = ReplayBuffer::sequence_of(id);
  row.id = {&seen, 1};
  // A writer may move the oldest row between two looks: the id says which row was read.
  for (int attempt = 0; attempt < 64; ++attempt) {
    const std::uint64_t added = buffer.added(stream);
    const std::uint64_t oldest = added - static_cast<std::uint64_t>(buffer.size(stream));
    if (sequence >= added)
      throw InvalidArgument(concat("id ", id, " names no row that was ever stored"));
    if (sequence < oldest) return false;
    try {
      buffer.read(stream, static_cast<Index>(sequence - oldest), row);
    } catch (const IoError&) {
      continue;
    } catch (const InvalidArgument&) {
      if (attempt == 63) throw;
      continue;
    }
    if (seen == id) return true;
  }
  return false;
}

}  // namespace

void Buffer::gather(nb::handle ids, nb::dict out, nb::handle found) const {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const auto wanted = nb::cast<nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig>>(ids);
  const auto flags = nb::cast<nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig>>(found);
  if (flags.size() != wanted.size())
    throw InvalidArgument(concat("found has room for ", flags.size(), " of ", wanted.size()));
  std::vector<nb::object> kept;
  const auto schema = batch_schema(config(), 1, nb::dict());
  const std::size_t rows = wanted.size();
  const BatchView all = view_of(BatchView{.size = rows}, *schema, std::move(out), kept);
  const nb::gil_scoped_release released;
  BatchView row{.size = 1};
  row.fields.resize(all.fields.size());
  for (std::size_t k = 0; k < rows; ++k) {
    row.observation = row_of(all.observation, k, rows);
    row.action = row_of(all.action, k, rows);
    row.next_observation = row_of(all.next_observation, k, rows);
    row.reward = row_of(all.reward, k);
    row.discount = row_of(all.discount, k);
    row.stream = row_of(all.stream, k);
    row.age = row_of(all.age, k);
    for (std::size_t f = 0; f < all.fields.size(); ++f)
      row.fields[f] = row_of(all.fields[f], k, rows);
    flags.data()[k] = read_row(*buffer, wanted.data()[k], row) ? 1 : 0;
  }
}

void Buffer::warn_of_cuts(ReplayBuffer& buffer) {
  if (next_look_ == 0 || sampling().n_step == 1) return;
  const std::uint64_t rows = buffer.added();
  if (rows < next_look_) return;
  next_look_ = 2 * rows;
  const std::uint64_t cuts = buffer.cuts();
  const std::uint64_t found = cuts - std::min(cuts, declared_);
  if (2 * found < rows) return;
  next_look_ = 0;
  const std::string message = concat(
      found, " of ", rows,
      " rows do not begin with the next_observation of the row before, so that ",
      "windows of n_step=", sampling().n_step, " steps end after one. Pass the same numbers in ",
      "both places, or trust_flags=True if the environment changes what it shows. ",
      "This warning appears once");
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

void Buffer::cut(Index stream) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const auto lock = take(writing_);
  const std::uint64_t before = buffer->cuts();
  buffer->cut(stream);
  declared_ += buffer->cuts() - before;
}

std::unique_ptr<Reader> Buffer::add_reader(const std::string& name, const SamplingConfig& config) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  unlocked([&] { return buffer->add_reader(name, config); });
  return std::make_unique<Reader>(shared(), name, present());
}

std::unique_ptr<Reader> Buffer::find_reader(const std::string& name) const {
  return std::make_unique<Reader>(shared(), name, present());
}

void Buffer::commit() {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  nb::gil_scoped_release released;
  buffer->commit();
}

void Buffer::save(const std::string& path) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  nb::gil_scoped_release released;
  buffer->save(path);
}

void Buffer::close() {
  if (closed()) return;
  if (commits_ && !shared()->forked()) commit();
  shared()->close();
}

}  // namespace mneme::python
