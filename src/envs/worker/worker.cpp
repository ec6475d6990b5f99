// envs/worker/worker.cpp - requests, patience, and what to say when it ends.
#include "envs/worker/worker.h"

#include <algorithm>
#include <chrono>

#include "base/json.h"
#include "base/pause.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

// Making a simulator and its first episode may compile kernels or load meshes.
constexpr double kLeastMaking = 600, kLeastReset = 120, kClosing = 3, kDying = 0.1,
                 kExplaining = 10;
constexpr std::uint64_t kTrimEvery = 256;  // orders
// Before the usual end of a step, and after it: a thread that is woken by the clock may be this
// late.
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
  for (const WorkerGroup& group : request.groups) {
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
                                 "give it more threads, each is a worker"));
  return text;
}

}  // namespace

Index WorkerRequest::rows() const {
  Index total = 0;
  for (const WorkerGroup& group : groups) total += group.count;
  return total;
}

Worker::Worker(WorkerRequest request)
    : request_(std::move(request)), process_(request_.interpreter, request_.folder) {
  process_.send(make_request(request_));  // a worker that is gone already is found out by answer()
}

Worker::~Worker() {
  // A worker in the middle of an order would not hear it.
  if (block_ != nullptr && process_.running()) {
    block_->order(Command::close, 0);
    process_.close(kClosing);
  }
}

void Worker::fail(const std::string& words, Index row) {
  WorkerFault fault{row, words, process_.last_words()};
  process_.close(0);
  throw fault;
}

void Worker::fail_with(const Answer& answer) {
  Complaint complaint;
  try {
    complaint = read_complaint(answer);
  } catch (const CorruptData& error) {
    fail(error.what());
  }
  WorkerFault fault{complaint.row < request_.rows() ? complaint.row : -1,
                    concat(complaint.kind, ": ", complaint.message), complaint.traceback};
  process_.close(0);
  throw fault;
}

void Worker::fail_silent(const char* doing, double patience) {
  // One that has closed its socket is about to end.
  const bool ended = process_.close(kDying);
  fail(ended ? concat("it ", process_.ending(), " while ", doing)
             : concat("it did not answer within ", patience, " seconds while ", doing));
}

Answer Worker::answer(const char* doing, double seconds) {
  std::optional<Answer> answer;
  try {
    answer = process_.receive(seconds);
  } catch (const CorruptData& error) {
    fail(error.what());
  }
  if (!answer) fail_silent(doing, seconds);
  if (answer->name == "error") fail_with(*answer);
  return *answer;
}

void Worker::finish_making() {
  const Answer answered =
      answer("making its environments", std::max(kLeastMaking, request_.timeout));
  try {
    made_ = read_made(answered, request_.groups.size());
  } catch (const CorruptData& error) {
    fail(error.what());
  }
}

void Worker::attach() {
  Index observation = 0, action = 0;
  for (const GroupFacts& group : made_.groups) {
    observation = std::max(observation, group.observation);
    action = std::max(action, group.action);
  }
  block_ = std::make_unique<Block>(request_.rows(), observation, action, request_.dtype);
  block_->let_watch(request_.watchful);
  process_.send(block_->attach_request(), block_->descriptors());
  const Answer answered = answer("taking its memory", std::max(kLeastReset, request_.timeout));
  if (answered.name != "attached") fail(concat("it answered '", answered.name, "' to attach"));
}

void Worker::doze() {
  const double asleep = usual_ - kEarly;
  if (asleep > kEarly) process_.nap(block_->done(), asleep);
  // No longer than that, whatever ended the nap.
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::nanoseconds(static_cast<std::int64_t>((kEarly + kLate) * 1e9));
  while (!block_->finished() && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 16; ++i) pause_processor();
}

void Worker::begin(Command command, std::uint64_t nonce) {
  ordered_ = command;
  if (++orders_ % kTrimEvery == 0) process_.trim_output();
  begun_ = std::chrono::steady_clock::now();
  block_->order(command, nonce);
}

void Worker::finish() {
  const bool reset = ordered_ == Command::reset;
  const char* doing = reset ? "beginning episodes" : "stepping";
  const double patience = reset ? std::max(kLeastReset, request_.timeout) : request_.timeout;
  if (!reset && request_.watchful) doze();
  const bool signalled = process_.wait(block_->done(), patience);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun_;
  if (!reset) usual_ += 0.2 * (took.count() - usual_);
  std::uint64_t status = 0;
  const std::string wrong = signalled ? block_->answered(status) : std::string();
  if (!wrong.empty()) fail(concat(wrong, " while ", doing));
  // Only an error is to be explained in words, and words without one are out of order.
  if (status == 1 || process_.spoke()) {
    const Answer said = answer(doing, std::min(kExplaining, patience));
    fail(concat("it said '", said.name, "' while ", doing));
  }
  if (!signalled) fail_silent(doing, patience);
  for (const std::uint8_t flag : block_->flags())
    if ((flag & kUnknownFlag) != 0) fail(concat("it set an unknown flag while ", doing));
}

}  // namespace mneme::envs
