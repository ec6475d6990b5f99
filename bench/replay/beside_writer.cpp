// bench/replay/beside_writer.cpp - how long sample(256) takes while another thread adds a million
// rows per second, against no writer.
//
// The two kinds of time alternate. A call is timed by the processor time of its thread: where cores
// are shared with other programs the clock on the wall shows those; it is given beside.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "base/text.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

// Adds rows at a rate while it is on.
class Writer {
 public:
  Writer(ReplayBuffer& buffer, Index from)
      : buffer_(buffer), next_(from), thread_([this] { run(); }) {}
  ~Writer() {
    over_ = true;
    thread_.join();
  }
  void turn(bool on) {
    on_ = on;
    while (active_ != on) std::this_thread::yield();
  }
  Index written() const { return written_; }

 private:
  static constexpr double kRowsPerSecond = 1e6;
  static constexpr Index kBurst = 50;

  void run() {
    while (!over_) {
      if (!on_) {
        active_ = false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        continue;
      }
      active_ = true;
      const double begin = now_ns(Clock::wall);
      for (Index done = 0; on_ && !over_;) {
        const double due = (now_ns(Clock::wall) - begin) * 1e-9 * kRowsPerSecond;
        if (static_cast<double>(done) >= due) {
          std::this_thread::yield();
          continue;
        }
        fill(buffer_, 0, next_, next_ + kBurst);
        next_ += kBurst;
        done += kBurst;
        written_ += kBurst;
      }
    }
  }

  ReplayBuffer& buffer_;
  Index next_;
  std::atomic<Index> written_{0};
  std::atomic<bool> on_{false}, active_{false}, over_{false};
  std::thread thread_;
};

struct Calls {
  std::vector<double> p50, p99;  // one per turn, ns
};

void measure(const Settings& settings, Report& report, const std::string& sampler) {
  ReplayBuffer buffer(config(sampler, settings.capacity));
  Writer writer(buffer, fill_wrapped(buffer));
  Batch batch = buffer.make_batch(256);
  buffer.sample(batch);
  check_rows(batch, sampler.c_str());

  constexpr int kCalls = 1000;
  Calls of[2][2];  // idle, writing; thread, wall
  double rows = 0, seconds = 0;
  for (int turn = 0; turn < 2 * settings.rounds; ++turn) {
    const auto writing = static_cast<std::size_t>((turn + turn / 2) % 2);
    writer.turn(writing == 1);
    std::vector<double> thread_ns, wall_ns;
    const double begin = now_ns(Clock::wall);
    const Index before = writer.written();
    for (int k = 0; k < kCalls; ++k) {
      const double wall = now_ns(Clock::wall), thread = now_ns(Clock::thread);
      buffer.sample(batch);
      thread_ns.push_back(now_ns(Clock::thread) - thread);
      wall_ns.push_back(now_ns(Clock::wall) - wall);
    }
    check_rows(batch, sampler.c_str());
    if (writing == 1) {
      rows += static_cast<double>(writer.written() - before);
      seconds += (now_ns(Clock::wall) - begin) * 1e-9;
    }
    for (const auto& [calls, ns] :
         {std::pair(&of[writing][0], &thread_ns), std::pair(&of[writing][1], &wall_ns)}) {
      calls->p50.push_back(quantile(*ns, 0.5));
      calls->p99.push_back(quantile(*ns, 0.99));
    }
  }
  writer.turn(false);

  const auto ratios = [](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> r;
    for (std::size_t k = 0; k < a.size(); ++k) r.push_back(a[k] / b[k]);
    return spread_of(r);
  };
  const auto microseconds = [](const std::vector<double>& ns) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", quantile(ns, 0.5) * 1e-3);
    return std::string(text);
  };
  for (const bool tail : {true, false}) {
    const auto pick = [tail](const Calls& c) { return tail ? c.p99 : c.p50; };
    char rate[32], wall[32];
    std::snprintf(rate, sizeof rate, "%.2g", rows / seconds);
    std::snprintf(wall, sizeof wall, "%.2f", ratios(pick(of[1][1]), pick(of[0][1])).median);
    report.add({concat(tail ? "p99" : "p50", " of `", sampler, "` sample(256) beside a writer, ",
                       "against no writer"),
                "x", ratios(pick(of[1][0]), pick(of[0][0])),
                tail ? std::optional<double>(1.5) : std::nullopt,
                concat(microseconds(pick(of[1][0])), " against ", microseconds(pick(of[0][0])),
                       " us at ", rate, " rows/s; on the wall clock ", wall, "x")});
  }
}

}  // namespace

void measure_beside_writer(const Settings& settings, Report& report) {
  report.section("beside_writer");
  measure(settings, report, "uniform");
  measure(settings, report, "per");
}

}  // namespace mneme::bench
