// bindings/buffer.cpp - steps in, batches out; which thread may do what.
//
// The core lets one thread add at a time; a lock makes that true for any number of Python threads.
// Nobody waits for it while holding the interpreter's: a call that cannot have its lock at once
// lets go of the interpreter first. Readers take turns inside the core.
#include "bindings/buffer.h"

#include <nanobind/stl/string.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"
#include "storage/convert.h"

namespace mneme::python {
namespace {

// How many forks lie between the first process and this one.
std::atomic<unsigned long> fork_count{0};
const int fork_watched = pthread_atfork(nullptr, nullptr, [] { ++fork_count; });

// The lock, taken without holding the interpreter's if there is any waiting to do.
std::unique_lock<std::mutex> take(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) {
    nb::gil_scoped_release released;
    lock.lock();
  }
  return lock;
}

// What `work` returns, done without the interpreter's lock.
template <class Work>
auto unlocked(const Work& work) {
  nb::gil_scoped_release released;
  return work();
}

// Steps with more bytes than this are copied without the interpreter's lock; giving it up and
// taking it again costs as much as copying about this many.
constexpr std::size_t kWorthUnlocking = 16 * 1024;

// What a field stored as `type` comes out as: itself, 16-bit floats as float32.
DType shown_as(DType type) { return type == DType::f16 || type == DType::bf16 ? DType::f32 : type; }

Column column(std::string name, DType type, std::vector<std::size_t> shape = {}) {
  return {std::move(name), numpy_name(type), size_of(type), std::move(shape)};
}

// "float32" of an array's type.
std::string array_type(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const auto kind = [&] {
    switch (static_cast<Code>(type.code)) {
      case Code::Float:
        return "float";
      case Code::Bfloat:
        return "bfloat";
      case Code::Int:
        return "int";
      case Code::UInt:
        return "uint";
      default:
        return "other";
    }
  }();
  return concat(kind, static_cast<int>(type.bits));
}

std::shared_ptr<const BatchSchema> schema_of(const ReplayConfig& config, const nb::dict& present) {
  const auto row = [](const FieldSpec& spec) {
    return std::vector<std::size_t>(spec.shape.begin(), spec.shape.end());
  };
  std::vector<std::size_t> stacked = row(config.observation);
  if (config.stack > 1) stacked.insert(stacked.begin(), static_cast<std::size_t>(config.stack));
  // The order is that of bind_batch.
  std::vector<Column> columns{
      column("observation", shown_as(config.observation.type), stacked),
      column("action", shown_as(config.action.type), row(config.action)),
      column("reward", DType::f32),
      column("next_observation", shown_as(config.observation.type), stacked),
      column("discount", DType::f32),
      column("weight", DType::f32),
      {"id", "uint64", 8, {}},
      column("stream", DType::i32),
      column("age", DType::i64),
      column("horizon", DType::i32)};
  for (const NamedField& field : config.fields)
    columns.push_back(column(field.name, shown_as(field.spec.type), row(field.spec)));
  for (Column& each : columns) {
    const nb::str name(each.name.c_str());
    if (present.contains(name)) each.present = nb::borrow(present[name]);
  }
  return std::make_shared<const BatchSchema>(std::move(columns));
}

}  // namespace

Buffer::Buffer(std::shared_ptr<ReplayBuffer> core, nb::dict present)
    : config_(core->config()),
      core_(std::move(core)),
      pool_(std::make_shared<BatchPool>(schema_of(config_, present))),
      row_bytes_(2 * config_.observation.bytes() + config_.action.bytes()),
      process_(fork_count),
      warned_(2 + config_.fields.size()) {
  static_cast<void>(fork_watched);
}

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

const std::shared_ptr<ReplayBuffer>& Buffer::core() const {
  if (!core_) throw InvalidArgument("this buffer is closed");
  if (process_ != fork_count) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this buffer was made before a fork and belongs to the parent process: both "
                    "would draw the same batches and see different rows; make the buffer in the "
                    "process that uses it");
    throw nb::python_error();
  }
  return core_;
}

void Buffer::check_row(const char* name, const ArrayIn& given, const FieldSpec& spec,
                       bool vector) const {
  if (vector ? given.is_rows(config_.streams, spec.shape) : given.is_row(spec.shape)) return;
  throw InvalidArgument(concat(name, " has shape ", given.shape_text(), "; ",
                               vector ? "one step of all streams has " : "one step has ",
                               shape_text(spec.shape, vector ? config_.streams : -1)));
}

void Buffer::warn_if_narrowed(const char* name, const ArrayIn& given, DType stored,
                              std::size_t field) {
  if (given.type() != DType::f64 || size_of(stored) >= 8 || given.shape().empty() || warned_[field])
    return;
  warned_[field] = true;
  const std::string message =
      concat(name, " is float64 and stored as ", numpy_name(stored),
             ": every row is converted; pass float32, or store it as float64. Said once.");
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

void Buffer::add(nb::handle observation, nb::handle action, nb::handle reward,
                 nb::handle next_observation, nb::handle terminated, nb::handle truncated,
                 nb::handle stream, nb::handle fields) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const ArrayIn now("observation", observation, config_.observation.type);
  const ArrayIn next("next_observation", next_observation, config_.observation.type);
  const ArrayIn done("action", action, config_.action.type);

  // One step or one of every stream: the observation's shape says which.
  const bool vector = now.is_rows(config_.streams, config_.observation.shape);
  if (!vector && !now.is_row(config_.observation.shape))
    throw InvalidArgument(concat("observation has shape ", now.shape_text(), "; this buffer takes ",
                                 shape_text(config_.observation.shape), " for one step or ",
                                 shape_text(config_.observation.shape, config_.streams),
                                 " for one step of all streams"));
  if (vector && !stream.is_none())
    throw InvalidArgument("a step of all streams has no `stream`; pass one row, or leave it out");
  if (!vector && stream.is_none() && config_.streams > 1)
    throw InvalidArgument(concat("one step for a buffer of ", config_.streams,
                                 " streams: say which with stream=, or pass a step of all"));
  check_row("next_observation", next, config_.observation, vector);
  check_row("action", done, config_.action, vector);
  const std::size_t rows = vector ? static_cast<std::size_t>(config_.streams) : 1;
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
  if (given_fields > 0 || !config_.fields.empty()) {
    for (const NamedField& field : config_.fields) {
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
    if (given_fields > config_.fields.size()) {
      std::vector<std::string> known;
      for (const NamedField& field : config_.fields) known.push_back(field.name);
      for (const auto& [key, value] : nb::borrow<nb::dict>(fields)) {
        const auto name = nb::cast<std::string>(nb::str(key));
        if (std::find(known.begin(), known.end(), name) == known.end())
          throw InvalidArgument(unknown_name("field", name, known));
      }
    }
  }
  warn_if_narrowed("observation", now, config_.observation.type, 0);
  warn_if_narrowed("next_observation", next, config_.observation.type, 0);
  warn_if_narrowed("action", done, config_.action.type, 1);

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

BatchView Buffer::view_of(BatchMemory& memory) const {
  const std::size_t rows = memory.rows;
  std::size_t index = 0;
  const auto numbers = [&](const FieldSpec& spec, Index frames) {
    return MutableValues::raw(memory.column(index++),
                              rows * static_cast<std::size_t>(spec.count() * frames),
                              shown_as(spec.type));
  };
  const auto plain = [&]<class T>(std::span<T>& column) {
    column = {reinterpret_cast<T*>(memory.column(index++)), rows};
  };
  BatchView view{.size = rows};
  view.observation = numbers(config_.observation, config_.stack);
  view.action = numbers(config_.action, 1);
  plain(view.reward);
  view.next_observation = numbers(config_.observation, config_.stack);
  plain(view.discount);
  plain(view.weight);
  plain(view.id);
  plain(view.stream);
  plain(view.age);
  plain(view.horizon);
  for (const NamedField& field : config_.fields) view.fields.push_back(numbers(field.spec, 1));
  return view;
}

// A dict of arrays and tensors of the caller's; all of them are looked at before anything is drawn.
BatchView Buffer::view_of(nb::dict out, Index rows, std::vector<nb::object>& kept) const {
  using Array = nb::ndarray<nb::c_contig, nb::device::cpu>;
  const BatchSchema& schema = *pool_->schema();
  BatchView view{.size = static_cast<std::size_t>(rows)};
  for (const auto& [key, value] : out) {
    const auto name = nb::cast<std::string>(nb::str(key));
    const std::size_t index = schema.index_of(name);
    const Column& column = schema.columns()[index];
    std::vector<Index> wanted{rows};
    wanted.insert(wanted.end(), column.shape.begin(), column.shape.end());
    Array array;
    // No conversion: it would fill a copy that nobody sees.
    if (column.present.is_valid() || !nb::try_cast(value, array, false))
      throw InvalidArgument(concat("out['", name,
                                   "'] cannot be written in place: pass a contiguous, "
                                   "writable array or tensor on the CPU of shape ",
                                   shape_text(wanted)));
    bool fits = array.ndim() == wanted.size();
    for (std::size_t d = 0; fits && d < wanted.size(); ++d)
      fits = array.shape(d) == static_cast<std::size_t>(wanted[d]);
    const std::string type = array_type(array.dtype());
    const bool numbers = index < 2 || index == 3 || index > 9;  // what has a storage type
    if (!fits || (!numbers && type != column.type))
      throw InvalidArgument(concat("out['", name, "'] is ", type,
                                   " and does not fit; it must have shape ", shape_text(wanted),
                                   numbers ? std::string() : concat(" and be ", column.type)));
    void* data = array.data();
    const auto put = [&]<class T>(std::span<T>& place) {
      place = {static_cast<T*>(data), static_cast<std::size_t>(rows)};
    };
    if (numbers) {
      const MutableValues room = MutableValues::raw(data, array.size(), dtype_of(type));
      if (index == 0) view.observation = room;
      if (index == 1) view.action = room;
      if (index == 3) view.next_observation = room;
      if (index > 9) {
        view.fields.resize(config_.fields.size());
        view.fields[index - 10] = room;
      }
    }
    switch (index) {
      case 2:
        put(view.reward);
        break;
      case 4:
        put(view.discount);
        break;
      case 5:
        put(view.weight);
        break;
      case 6:
        put(view.id);
        break;
      case 7:
        put(view.stream);
        break;
      case 8:
        put(view.age);
        break;
      case 9:
        put(view.horizon);
        break;
      default:
        break;
    }
    kept.push_back(nb::borrow(value));
  }
  return view;
}

nb::object Buffer::sample(Index rows, nb::handle out) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  if (rows < 1) throw InvalidArgument(concat("a batch of ", rows, " rows; at least one"));
  if (out.is_none()) {
    std::shared_ptr<BatchMemory> memory;
    {
      nb::gil_scoped_release released;
      memory = pool_->take(static_cast<std::size_t>(rows));
      buffer->sample(view_of(*memory));
    }
    return nb::cast(Batch(pool_->schema(), std::move(memory)));
  }
  std::vector<nb::object> kept;
  BatchView view;
  if (nb::isinstance<Batch>(out)) {
    Batch& batch = nb::cast<Batch&>(out);
    if (batch.schema() != pool_->schema() || batch.rows() != static_cast<std::size_t>(rows))
      throw InvalidArgument(concat("out is a batch of ", batch.rows(), " rows",
                                   batch.schema() == pool_->schema() ? "" : " of another buffer",
                                   "; pass one that this buffer sampled with ", rows));
    view = view_of(batch.memory());
  } else if (nb::isinstance<nb::dict>(out)) {
    view = view_of(nb::borrow<nb::dict>(out), rows, kept);
  } else {
    throw InvalidArgument("out is a batch of this buffer, or a dict of arrays by column name");
  }
  {
    nb::gil_scoped_release released;
    buffer->sample(view);
  }
  return nb::borrow(out);
}

FeedbackReport Buffer::update_priorities(nb::handle ids, nb::handle td_errors) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
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
  return buffer->update_priorities({rows.data(), rows.size()}, values);
}

void Buffer::cut(Index stream) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  const auto lock = take(writing_);
  buffer->cut(stream);
}

void Buffer::set_progress(double progress) {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  buffer->set_progress(progress);
}

LiveDiagnostics Buffer::diagnostics() const {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  nb::gil_scoped_release released;
  return buffer->diagnostics();
}

void Buffer::reset_diagnostics() {
  const std::shared_ptr<ReplayBuffer> buffer = core();
  nb::gil_scoped_release released;
  buffer->reset_diagnostics();
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
  if (!core_) return;
  if (process_ != fork_count) {
    core_.reset();  // the parent's: nothing of it is written from here
    return;
  }
  if (commits_) commit();
  std::shared_ptr<ReplayBuffer> last = std::move(core_);
  unlocked([&] {
    last.reset();
    return 0;
  });
}

}  // namespace mneme::python
