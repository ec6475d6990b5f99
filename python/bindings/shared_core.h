// bindings/shared_core.h - the buffer that a Python buffer, its readers and its prefetched batches share.
// Unusable after `close` and in a forked process.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <vector>

#include "mneme/prefetch.h"
#include "mneme/replay_buffer.h"

namespace mneme::python {

namespace nb = nanobind;

/// The lock, taken without holding the interpreter's if there is any waiting to do.
std::unique_lock<std::mutex> take(std::mutex& mutex);

/// What `work` returns, done without the interpreter's lock.
template <class Work>
auto unlocked(const Work& work) {
  nb::gil_scoped_release released;
  return work();
}

/// A prefetcher that ends with the first to end: its iterator, or the buffer.
struct Ahead {
  std::mutex mutex;  // one caller at a time
  std::unique_ptr<Prefetcher> prefetcher;
};

class SharedCore {
 public:
  explicit SharedCore(std::shared_ptr<ReplayBuffer> core);

  /// Throws ValueError after close and RuntimeError in a forked process.
  const std::shared_ptr<ReplayBuffer>& core() const;
  bool closed() const { return !core_; }
  bool forked() const;

  /// `close` ends this one too.
  void watch(const std::shared_ptr<Ahead>& ahead);
  /// Lets go of the rows once no call uses them any more.
  void close();

 private:
  std::shared_ptr<ReplayBuffer> core_;  // calls under way keep it through a close
  unsigned long process_;               // that made it: forks between the first one and it
  std::vector<std::weak_ptr<Ahead>> ahead_;
};

}  // namespace mneme::python
