// replay/writer_gate.h - lets writers pass without waiting for each other, and pauses all of them.
//
// A writer announces itself in a line of its own before it looks whether the gate is closed. A
// thread that closes the gate does the opposite and then waits until no writer is inside. That
// costs a writer one exchange on memory that no other thread touches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace mneme {

class WriterGate {
 public:
  explicit WriterGate(std::size_t writers)
      : writers_(writers), inside_(std::make_unique<Flag[]>(writers)) {}

  /// Held while a writer is at work. One thread per writer number at a time.
  class Pass {
   public:
    Pass(WriterGate& gate, std::size_t writer) : flag_(gate.inside_[writer].on) {
      while (true) {
        flag_.store(true, std::memory_order_seq_cst);
        if (!gate.closed_.load(std::memory_order_seq_cst)) return;
        flag_.store(false, std::memory_order_release);
        std::unique_lock lock(gate.mutex_);
        gate.opened_.wait(lock, [&] { return !gate.closed_.load(std::memory_order_relaxed); });
      }
    }
    ~Pass() { flag_.store(false, std::memory_order_release); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    std::atomic<bool>& flag_;
  };

  /// While it lives no writer is inside.
  class Closed {
   public:
    explicit Closed(WriterGate& gate) : gate_(gate), turn_(gate.turns_) {
      gate.closed_.store(true, std::memory_order_seq_cst);
      for (std::size_t w = 0; w < gate.writers_; ++w) {
        while (gate.inside_[w].on.load(std::memory_order_seq_cst)) std::this_thread::yield();
      }
    }
    ~Closed() {
      {
        const std::lock_guard lock(gate_.mutex_);
        gate_.closed_.store(false, std::memory_order_seq_cst);
      }
      gate_.opened_.notify_all();
    }
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    WriterGate& gate_;
    std::unique_lock<std::mutex> turn_;
  };

 private:
  struct alignas(64) Flag {
    std::atomic<bool> on{false};
  };
  std::size_t writers_;
  std::unique_ptr<Flag[]> inside_;
  std::atomic<bool> closed_{false};
  std::mutex turns_;  // of those who close it
  std::mutex mutex_;
  std::condition_variable opened_;
};

}  // namespace mneme
