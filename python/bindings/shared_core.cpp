// bindings/shared_core.cpp - access to a shared buffer, and its end.
#include "bindings/shared_core.h"

#include <pthread.h>

#include <atomic>

#include "mneme/error.h"

namespace mneme::python {
namespace {

// How many forks lie between the first process and this one.
std::atomic<unsigned long> fork_count{0};
const int fork_watched = pthread_atfork(nullptr, nullptr, [] { ++fork_count; });

}  // namespace

std::unique_lock<std::mutex> take(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (!lock) {
    nb::gil_scoped_release released;
    lock.lock();
  }
  return lock;
}

SharedCore::SharedCore(std::shared_ptr<ReplayBuffer> core)
    : core_(std::move(core)), process_(fork_count) {
  static_cast<void>(fork_watched);
}

bool SharedCore::forked() const { return process_ != fork_count; }

const std::shared_ptr<ReplayBuffer>& SharedCore::core() const {
  if (!core_) throw InvalidArgument("this buffer is closed");
  if (forked()) {
    PyErr_SetString(PyExc_RuntimeError,
                    "this buffer was made before a fork and belongs to the parent process: both "
                    "would draw the same batches and see different rows; make the buffer in the "
                    "process that uses it");
    throw nb::python_error();
  }
  return core_;
}

void SharedCore::watch(const std::shared_ptr<Ahead>& ahead) {
  std::erase_if(ahead_, [](const std::weak_ptr<Ahead>& each) { return each.expired(); });
  ahead_.push_back(ahead);
}

void SharedCore::close() {
  std::shared_ptr<ReplayBuffer> last = std::move(core_);
  if (forked()) return;  // the parent's: nothing of it is touched from here
  const std::vector<std::weak_ptr<Ahead>> watched = std::move(ahead_);
  nb::gil_scoped_release released;
  for (const std::weak_ptr<Ahead>& each : watched) {
    const std::shared_ptr<Ahead> ahead = each.lock();
    if (!ahead) continue;
    const std::lock_guard lock(ahead->mutex);
    ahead->prefetcher.reset();
  }
  last.reset();
}

}  // namespace mneme::python
