// replay/prefetch.cpp - a ring of batches between the thread that draws and the one that learns.
#include "mneme/prefetch.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "mneme/error.h"
#include "replay/reader_impl.h"

namespace mneme {

// Slots are used in turn. The caller holds one, `ready` follow it, and the thread fills the next.
struct Prefetcher::Work final : ReplayReader::Impl::Ahead {
  struct Slot {
    Batch batch;  // empty in memory of the caller
    BatchView view;
    ReplayReader::Impl::Mark mark;
  };

  Work(std::shared_ptr<ReplayReader::Impl> from, std::vector<Slot> memory)
      : reader(std::move(from)), slots(std::move(memory)) {
    thread = std::thread([this] { draw_ahead(); });
    reader->attach(*this);
  }
  ~Work() override {
    reader->detach(*this);
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
      // After an error there is nothing to do until the caller has seen it.
      changed.wait(lock, [&] {
        return stop || (!paused && holds == 0 && !error && ready + 1 < slots.size());
      });
      if (stop) return;
      Slot& slot = slots[(held + 1 + ready) % slots.size()];
      drawing = true;
      lock.unlock();
      std::exception_ptr failed;
      try {
        slot.mark = reader->sample_ahead(slot.view);
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

  // Returns when there is a next batch; throws the error that prevents it.
  void wait_for_next(std::unique_lock<std::mutex>& lock) {
    // An old error may be out of date: rows may have been added since.
    error = nullptr;
    paused = false;
    changed.notify_all();
    changed.wait(lock, [&] { return ready > 0 || error; });
    if (ready > 0) return;
    // The thread waits: the next call makes it try again.
    paused = true;
    std::exception_ptr thrown;
    std::swap(thrown, error);
    std::rethrow_exception(thrown);
  }
  void take_next() {
    held = (held + 1) % slots.size();
    --ready;
    changed.notify_all();
  }

  void hold() override {
    std::unique_lock lock(mutex);
    ++holds;
    changed.wait(lock, [&] { return !drawing; });
    undo();
  }
  void resume() override {
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
      reader->go_back(slot.mark, slot.view);
    }
    error = nullptr;
  }

  std::shared_ptr<ReplayReader::Impl> reader;
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
    throw InvalidArgument(concat("depth must be 1 to 4096 batches, got ", depth));
  std::vector<Work::Slot> slots(depth + 1);
  for (Work::Slot& slot : slots) {
    slot.batch = reader.impl_->make_batch(batch_size);
    slot.view = slot.batch.view();
  }
  work_ = std::make_unique<Work>(reader.impl_, std::move(slots));
}

Prefetcher::Prefetcher(ReplayReader reader, std::vector<BatchView> memory) {
  if (memory.size() < 2 || memory.size() > 4097)
    throw InvalidArgument(concat("memory for ", memory.size(), " batches; allowed: 2 to 4097"));
  std::vector<Work::Slot> slots(memory.size());
  for (std::size_t k = 0; k < slots.size(); ++k) {
    reader.impl_->check_ahead(memory[k]);
    if (memory[k].size != memory[0].size)
      throw InvalidArgument(concat("memory for batches of ", memory[0].size, " and of ",
                                   memory[k].size, " rows; all must have one size"));
    slots[k].view = std::move(memory[k]);
  }
  work_ = std::make_unique<Work>(reader.impl_, std::move(slots));
}

Prefetcher::~Prefetcher() { rewind(); }

const Batch& Prefetcher::next() {
  Work& work = *work_;
  if (work.slots[0].batch.size == 0)
    throw InvalidArgument("this prefetcher draws into memory of the caller; use exchange");
  std::unique_lock lock(work.mutex);
  work.wait_for_next(lock);
  work.take_next();
  return work.slots[work.held].batch;
}

BatchView Prefetcher::exchange(const BatchView& instead) {
  Work& work = *work_;
  if (work.slots[0].batch.size != 0)
    throw InvalidArgument("this prefetcher draws into memory of its own; use next");
  work.reader->check_ahead(instead);
  BatchView given = instead;
  std::unique_lock lock(work.mutex);
  if (instead.size != work.slots[0].view.size)
    throw InvalidArgument(concat("memory for ", instead.size, " rows in exchange for a batch of ",
                                 work.slots[0].view.size));
  work.wait_for_next(lock);
  work.take_next();
  std::swap(given, work.slots[work.held].view);
  return given;
}

void Prefetcher::rewind() {
  Work& work = *work_;
  std::unique_lock lock(work.mutex);
  work.paused = true;  // until the next call of next
  work.changed.wait(lock, [&] { return !work.drawing; });
  work.undo();
}

}  // namespace mneme
