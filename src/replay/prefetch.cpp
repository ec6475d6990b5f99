// replay/prefetch.cpp - a ring of batches between the thread that draws and the one that learns.
#include "mneme/prefetch.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"
#include "replay/drawer.h"

namespace mneme {

// Slots are used in turn. The caller holds one, `ready` follow it, and the thread fills the next.
struct Prefetcher::Work final : Drawer::Ahead {
  struct Slot {
    Batch batch;
    Drawer::Mark mark;
  };

  Work(std::shared_ptr<Drawer> from, std::size_t size, std::size_t depth)
      : drawer(std::move(from)), slots(depth + 1) {
    for (Slot& slot : slots) slot.batch = drawer->make_batch(size);
    thread = std::thread([this] { draw_ahead(); });
    drawer->attach(*this);
  }
  ~Work() override {
    drawer->detach(*this);
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
    thread.join();
  }

  void draw_ahead() {
    std::unique_lock lock(mutex);
    for (;;) {
      // After an error there is nothing to do until somebody has heard of it.
      changed.wait(lock, [&] {
        return stop || (!paused && holds == 0 && !error && ready + 1 < slots.size());
      });
      if (stop) return;
      Slot& slot = slots[(held + 1 + ready) % slots.size()];
      drawing = true;
      lock.unlock();
      std::exception_ptr failed;
      try {
        slot.mark = drawer->sample_ahead(slot.batch);
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      drawing = false;
      if (failed) {
        error = failed;
      } else {
        ++ready;
      }
      changed.notify_all();
    }
  }

  void hold() override {
    std::unique_lock lock(mutex);
    ++holds;
    changed.wait(lock, [&] { return !drawing; });
    undo();
  }
  void go_on() override {
    {
      const std::lock_guard lock(mutex);
      --holds;
    }
    changed.notify_all();
  }

  // Undoes what is ready, the last one first. The thread must not be drawing.
  void undo() {
    for (; ready > 0; --ready) {
      const Slot& slot = slots[(held + ready) % slots.size()];
      drawer->go_back(slot.mark, slot.batch);
    }
    error = nullptr;
  }

  std::shared_ptr<Drawer> drawer;
  std::vector<Slot> slots;
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t held = 0, ready = 0;
  int holds = 0;  // while the reader is being saved
  bool stop = false, paused = false, drawing = false;
  std::exception_ptr error;
  std::thread thread;
};

Prefetcher::Prefetcher(ReplayReader reader, std::size_t batch_size, std::size_t depth) {
  if (depth < 1 || depth > 4096)
    throw InvalidArgument(concat("depth is ", depth, " batches; allowed: 1 to 4096"));
  work_ = std::make_unique<Work>(reader.drawer_, batch_size, depth);
}

Prefetcher::~Prefetcher() { rewind(); }

const Batch& Prefetcher::next() {
  Work& work = *work_;
  std::unique_lock lock(work.mutex);
  // An old error may be out of date: rows may have been added since.
  work.error = nullptr;
  work.paused = false;
  work.changed.notify_all();
  work.changed.wait(lock, [&] { return work.ready > 0 || work.error; });
  if (work.ready == 0) {
    // The thread waits: the next call makes it try again.
    work.paused = true;
    std::exception_ptr error;
    std::swap(error, work.error);
    std::rethrow_exception(error);
  }
  work.held = (work.held + 1) % work.slots.size();
  --work.ready;
  work.changed.notify_all();
  return work.slots[work.held].batch;
}

void Prefetcher::rewind() {
  Work& work = *work_;
  std::unique_lock lock(work.mutex);
  work.paused = true;  // until the next call of next
  work.changed.wait(lock, [&] { return !work.drawing; });
  work.undo();
}

}  // namespace mneme
