// envs/remote/shared_block.cpp - layout, mapping and synchronization of the shared rows.
#include "envs/remote/shared_block.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/json.h"
#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

constexpr std::uint64_t kMagic = 0x31656d656e6d;  // "mneme1"
constexpr std::size_t kAlignment = 64, kArrays = 128;
// 64-bit words of the header: the trainer's, then the worker's.
enum Word : std::size_t { kMagicWord = 0, kCommand, kSequence, kNonce, kSpin, kDone = 8, kStatus };

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::atomic_ref<std::uint64_t> word(std::byte* memory, Word which) {
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(memory)[which]);
}

}  // namespace

SharedBlock::SharedBlock(Index rows, Index observation, Index action, DType dtype)
    : rows_(rows), observation_(observation), action_(action), dtype_(dtype) {
  const std::size_t n = static_cast<std::size_t>(rows), width = dtype == DType::f32 ? 4 : 8;
  const std::size_t observations = aligned(n * static_cast<std::size_t>(observation) * width);
  action_at_ = kArrays;
  final_at_ = action_at_ + aligned(n * static_cast<std::size_t>(action) * width);
  observation_at_ = final_at_ + observations;
  reward_at_ = observation_at_ + observations;
  flags_at_ = reward_at_ + aligned(n * sizeof(double));
  bytes_ = flags_at_ + aligned(n);

  file_ = FileDescriptor(memfd_create("mneme-rows", MFD_CLOEXEC));
  go_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  done_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  void* memory = MAP_FAILED;
  if (file_.get() >= 0 && go_.get() >= 0 && done_.get() >= 0 &&
      ftruncate(file_.get(), static_cast<off_t>(bytes_)) == 0)
    memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED)
    throw IoError(concat("cannot allocate ", bytes_,
                         " bytes of shared memory for a worker: ", std::strerror(errno)));
  memory_ = static_cast<std::byte*>(memory);
  shared_[0] = file_.get();
  shared_[1] = go_.get();
  shared_[2] = done_.get();
  word(memory_, kMagicWord) = kMagic;
}

SharedBlock::~SharedBlock() { munmap(memory_, bytes_); }

std::string SharedBlock::attach_request() const {
  Json json;
  json.begin_object()
      .field("verb", "attach")
      .field("rows", rows_)
      .field("observation", observation_)
      .field("action", action_)
      .field("bytes", bytes_)
      .key("offsets")
      .begin_object()
      .field("action", action_at_)
      .field("final_observation", final_at_)
      .field("observation", observation_at_)
      .field("reward", reward_at_)
      .field("flags", flags_at_)
      .end_object();
  return std::move(json.end_object()).text();
}

void SharedBlock::allow_spin(bool allowed) { word(memory_, kSpin) = allowed ? 1 : 0; }

void SharedBlock::post(Command command, std::uint64_t nonce) {
  const std::span<std::uint8_t> all = flags();
  std::fill(all.begin(), all.end(), std::uint8_t{0});
  word(memory_, kStatus) = ~std::uint64_t{0};  // neither 0 (done) nor 1 (error)
  word(memory_, kCommand) = static_cast<std::uint64_t>(command);
  word(memory_, kNonce) = nonce;
  word(memory_, kSequence).store(++sequence_, std::memory_order_release);
  // An eventfd counter does not fill up: a worker that never reads it is detected by the timeout.
  const std::uint64_t one = 1;
  while (write(go_.get(), &one, sizeof one) < 0 && errno == EINTR) continue;
}

bool SharedBlock::finished() const {
  return word(memory_, kDone).load(std::memory_order_acquire) == sequence_;
}

std::string SharedBlock::check_reply(std::uint64_t& status) const {
  const std::uint64_t done = word(memory_, kDone).load(std::memory_order_acquire);
  status = word(memory_, kStatus);
  if (done != sequence_) return concat("it replied to command ", done, ", expected ", sequence_);
  if (status > 1) return concat("its status is ", status, ", expected 0 or 1");
  return "";
}

}  // namespace mneme::envs
