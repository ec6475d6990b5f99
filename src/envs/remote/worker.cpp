// envs/remote/worker.cpp - requests, timeouts and failures of one worker process.
#include "envs/remote/worker.h"

#include <algorithm>
#include <chrono>

#include "base/json.h"
#include "base/pause.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

// Seconds. Making a simulator and its first episode may compile kernels or load meshes.
constexpr double kLeastMaking = 600, kLeastReset = 120, kClosing = 3, kExitGrace = 0.1,
                 kErrorMessage = 10;
constexpr std::uint64_t kTrimEvery = 256;  // commands
// Seconds to wake before the usual end of a step, and to spin after it: a timer may be this late.
constexpr double kEarly = 150e-6, kLate = 100e-6;

std::string make_request(const WorkerRequest& request) {
  Json json;
  json.begin_object()
      .field("verb", "make")
      .field("version", 1)
      .field("suite", request.suite)
      .field("dtype", request.dtype == DType::f32 ? "f32" : "f64")
      .field("fault", name_of(request.fault))
      .key("groups")
      .begin_array();
  for (const EnvGroup& group : request.groups) {
    json.begin_object().field("task", group.task).field("count", group.count);
    json.key("seeds").begin_array();
    for (const std::uint32_t seed : group.seeds) json.value(seed);
    json.end_array()
        .field("repeat", group.spec.repeat)
        .field("limit", group.spec.limit)
        .field("keys", group.spec.sorted ? "sorted" : "native")
        .key("options")
        .begin_object();
    for (const auto& [key, value] : group.spec.options) json.field(key, value);
    json.end_object().end_object();
  }
  std::string text = std::move(json.end_array().end_object()).text();
  if (text.size() > kMostMessage)
    throw InvalidArgument(concat(request.rows(), " environments of ", request.suite, " in ",
                                 request.groups.size(), " groups are too many for one worker; ",
                                 "use fewer environments, or more threads: each is a worker"));
  return text;
}

}  // namespace

Index WorkerRequest::rows() const {
  Index total = 0;
  for (const EnvGroup& group : groups) total += group.count;
  return total;
}

Worker::Worker(WorkerRequest request)
    : request_(std::move(request)), process_(request_.interpreter, request_.folder) {
  process_.send(make_request(request_));  // if the worker has exited, receive_reply() fails
}

Worker::~Worker() {
  // A worker in the middle of a command does not read the next one.
  if (block_ != nullptr && process_.running()) {
    block_->post(Command::close, 0);
    process_.close(kClosing);
  }
}

void Worker::fail(const std::string& message, Index row) {
  WorkerFault fault{row, message, process_.output_tail()};
  process_.close(0);
  throw fault;
}

void Worker::fail_with(const Reply& reply) {
  RemoteError remote;
  try {
    remote = parse_error(reply);
  } catch (const CorruptData& error) {
    fail(error.what());
  }
  WorkerFault fault{remote.row < request_.rows() ? remote.row : -1,
                    concat(remote.kind, ": ", remote.message), remote.traceback};
  process_.close(0);
  throw fault;
}

void Worker::fail_without_reply(const char* doing, double timeout) {
  // A worker that has closed its socket is about to exit.
  const bool exited = process_.close(kExitGrace);
  fail(exited ? concat("it ", process_.exit_reason(), " while ", doing)
              : concat("no reply within ", timeout, " seconds while ", doing));
}

Reply Worker::receive_reply(const char* doing, double seconds) {
  std::optional<Reply> reply;
  try {
    reply = process_.receive(seconds);
  } catch (const CorruptData& error) {
    fail(error.what());
  }
  if (!reply) fail_without_reply(doing, seconds);
  if (reply->name == "error") fail_with(*reply);
  return *reply;
}

void Worker::finish_making() {
  const Reply reply =
      receive_reply("making its environments", std::max(kLeastMaking, request_.timeout));
  try {
    made_ = parse_made(reply, request_.groups.size());
  } catch (const CorruptData& error) {
    fail(error.what());
  }
}

void Worker::attach() {
  Index observation = 0, action = 0;
  for (const GroupInfo& group : made_.groups) {
    observation = std::max(observation, group.observation);
    action = std::max(action, group.action);
  }
  block_ = std::make_unique<SharedBlock>(request_.rows(), observation, action, request_.dtype);
  block_->allow_spin(request_.spin);
  process_.send(block_->attach_request(), block_->descriptors());
  const Reply reply =
      receive_reply("attaching shared memory", std::max(kLeastReset, request_.timeout));
  if (reply.name != "attached") fail(concat("it replied '", reply.name, "' to attach"));
}

void Worker::spin_wait() {
  const double asleep = usual_ - kEarly;
  if (asleep > kEarly) process_.sleep_until_signal(block_->done(), asleep);
  // Bounded, whatever ended the sleep.
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::nanoseconds(static_cast<std::int64_t>((kEarly + kLate) * 1e9));
  while (!block_->finished() && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 16; ++i) pause_processor();
}

void Worker::begin(Command command, std::uint64_t nonce) {
  command_ = command;
  if (++commands_ % kTrimEvery == 0) process_.trim_output();
  begun_ = std::chrono::steady_clock::now();
  block_->post(command, nonce);
}

void Worker::finish() {
  const bool reset = command_ == Command::reset;
  const char* doing = reset ? "resetting" : "stepping";
  const double timeout = reset ? std::max(kLeastReset, request_.timeout) : request_.timeout;
  if (!reset && request_.spin) spin_wait();
  const bool signalled = process_.wait(block_->done(), timeout);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  if (!reset) usual_ += 0.2 * (took.count() - usual_);
  std::uint64_t status = 0;
  const std::string wrong = signalled ? block_->check_reply(status) : std::string();
  if (!wrong.empty()) fail(concat(wrong, " while ", doing));
  // A message is allowed after status 1 only, and must be an error.
  if (status == 1 || process_.message_pending()) {
    const Reply reply = receive_reply(doing, std::min(kErrorMessage, timeout));
    fail(concat("unexpected message '", reply.name, "' while ", doing));
  }
  if (!signalled) fail_without_reply(doing, timeout);
  for (const std::uint8_t flag : block_->flags())
    if ((flag & kUnknownFlag) != 0) fail(concat("it set an unknown flag while ", doing));
}

}  // namespace mneme::envs
