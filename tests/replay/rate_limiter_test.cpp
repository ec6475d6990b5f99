// tests/replay/rate_limiter_test.cpp - who may go, who waits, for what, and that no side waits for
// ever without saying so.
#include "mneme/rate_limiter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "mneme/error.h"

namespace mneme {
namespace {

using std::chrono::milliseconds;

constexpr auto kGo = Admission::go;
constexpr auto kNotYet = Admission::not_yet;

// How many requests are let go before one is not.
template <class Try>
int count_while_allowed(const Try& attempt) {
  int count = 0;
  while (attempt() == kGo) ++count;
  return count;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(RateLimiter, BothSidesMayBeAheadByTheTolerance) {
  RateLimiter limiter({.samples_per_insert = 4, .tolerance = 20, .minimum_rows = 10});
  EXPECT_EQ(limiter.try_sample(1), kNotYet);
  // ten for the minimum, then five more until the learner is 20 rows behind
  EXPECT_EQ(count_while_allowed([&] { return limiter.try_insert(1); }), 15);
  EXPECT_EQ(limiter.status().ahead, -20);
  EXPECT_EQ(count_while_allowed([&] { return limiter.try_sample(8); }), 5);
  EXPECT_EQ(limiter.status().ahead, 20);
  EXPECT_EQ(count_while_allowed([&] { return limiter.try_insert(1); }), 10);
  EXPECT_EQ(limiter.status().rows_stored, 25);
  EXPECT_EQ(limiter.status().rows_sampled, 40);
}

// In the long run the ratio is exact, also one that no double holds.
TEST(RateLimiter, TheRatioHolds) {
  for (const double ratio : {0.1, 0.5, 1.0, 3.7, 64.0}) {
    RateLimiter limiter({.samples_per_insert = ratio, .tolerance = 80, .minimum_rows = 7});
    for (int k = 0; k < 20'000; ++k) {
      (void)limiter.try_insert(1);
      (void)limiter.try_sample(16);
    }
    const RateStatus status = limiter.status();
    EXPECT_NEAR(static_cast<double>(status.rows_sampled),
                ratio * static_cast<double>(status.rows_stored - 7), 80 + 1e-6);
    EXPECT_GT(status.rows_sampled, 1000);
  }
}

// A process that continues with 10^6 stored rows samples at once, and waits for its own inserts
// only.
TEST(RateLimiter, RestoredRunDoesNotWaitForEarlierInserts) {
  const RateLimit limit{.samples_per_insert = 8, .tolerance = 512, .minimum_rows = 1'000};
  RateLimiter restored(limit, {.rows_stored = 1'000'000});
  EXPECT_EQ(restored.before_sample(256), kGo);
  EXPECT_EQ(restored.before_sample(256), kGo);
  EXPECT_EQ(restored.try_sample(256), kNotYet);
  for (int k = 0; k < 32; ++k) EXPECT_EQ(restored.before_insert(1), kGo);
  EXPECT_EQ(restored.before_sample(256), kGo);
  // Between empty and the minimum, it waits for what is missing and no more.
  RateLimiter partly(limit, {.rows_stored = 990});
  EXPECT_EQ(partly.try_sample(256), kNotYet);
  EXPECT_EQ(partly.before_insert(10), kGo);
  EXPECT_EQ(partly.before_sample(256), kGo);
  // Control: a limiter that is not told what is stored waits for all of it again.
  RateLimiter forgetful(limit);
  EXPECT_EQ(forgetful.try_sample(256), kNotYet);
  EXPECT_EQ(forgetful.before_sample(256, milliseconds(1)), kNotYet);
}

TEST(RateLimiter, SaysWhoWaitsAndWhatWouldReleaseIt) {
  std::vector<std::string> heard;
  const auto listen = [&](const std::string& text) { heard.push_back(text); };
  RateLimiter limiter({.samples_per_insert = 12, .tolerance = 350, .minimum_rows = 100},
                      {.long_wait = milliseconds(2), .on_long_wait = listen});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(limiter.before_insert(20), kGo);
  EXPECT_EQ(limiter.before_sample(20, milliseconds(20)), kNotYet);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard[0],
            "sampling waits: 60 of the 100 rows asked for before the first sample are stored; 40 "
            "more inserts needed");
  for (int k = 0; k < 2; ++k) EXPECT_EQ(limiter.before_insert(20), kGo);
  EXPECT_EQ(limiter.before_sample(340), kGo);
  heard.clear();
  EXPECT_EQ(limiter.before_sample(256, milliseconds(20)), kNotYet);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard[0],
            "sampling waits: 12 samples per insert asked for, 340 rows ahead; 21 more inserts "
            "needed for a batch of 256");
  // the number it named, not one less
  EXPECT_EQ(limiter.before_insert(20), kGo);
  EXPECT_EQ(limiter.try_sample(256), kNotYet);
  EXPECT_EQ(limiter.before_insert(1), kGo);
  EXPECT_EQ(limiter.try_sample(256), kGo);

  EXPECT_EQ(limiter.status().ahead, 344);
  while (limiter.try_insert(1) == kGo) {
  }
  heard.clear();
  EXPECT_EQ(limiter.before_insert(5, milliseconds(20)), kNotYet);
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard[0],
            "inserting waits: 12 samples per insert asked for, 340 rows behind; 50 more sampled "
            "rows needed for an insert of 5");
  EXPECT_EQ(limiter.status().text,
            "neither side waits: 12 samples per insert asked for, 340 rows behind, tolerance 350");
  EXPECT_EQ(limiter.before_sample(49), kGo);
  EXPECT_EQ(limiter.try_insert(5), kNotYet);
  EXPECT_EQ(limiter.before_sample(1), kGo);
  EXPECT_EQ(limiter.try_insert(5), kGo);
}

TEST(RateLimiter, GivesUpWithTheReasonIfAsked) {
  RateLimiter limiter({.minimum_rows = 5}, {.give_up = milliseconds(3)});
  const std::string text = message_of([&] { (void)limiter.before_sample(1); });
  EXPECT_TRUE(says(text, "gave up after 3 ms")) << text;
  EXPECT_TRUE(says(text, "5 more inserts needed")) << text;
  EXPECT_EQ(limiter.status().rows_sampled, 0);
  EXPECT_EQ(limiter.status().waiting_samples, 0);
}

// Whatever the sizes: either one side may go, or the sizes are refused.
TEST(RateLimiter, TheSidesCannotWaitForEachOther) {
  int refused = 0, stepped = 0;
  for (const double ratio : {0.3, 1.0, 2.5, 16.0}) {
    for (const double tolerance : {9.0, 20.0, 33.0}) {
      for (const Index batch : {1, 7, 16, 40}) {
        for (const Index insert : {1, 2, 5}) {
          RateLimiter limiter(
              {.samples_per_insert = ratio, .tolerance = tolerance, .minimum_rows = 3});
          try {
            for (int k = 0; k < 300; ++k) {
              // three orders, so that many balances are met
              const bool sample_first = k % 3 == 0;
              const Admission a =
                  sample_first ? limiter.try_sample(batch) : limiter.try_insert(insert);
              if (a == kGo) continue;
              const Admission b =
                  sample_first ? limiter.try_insert(insert) : limiter.try_sample(batch);
              ASSERT_EQ(b, kGo) << ratio << " " << tolerance << " " << batch << " " << insert
                                << ": " << limiter.status().text;
              ++stepped;
            }
          } catch (const InvalidArgument& error) {
            EXPECT_TRUE(says(error.what(), "both sides could wait")) << error.what();
            EXPECT_GT(static_cast<double>(batch) + ratio * static_cast<double>(insert),
                      2 * tolerance);
            ++refused;
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(stepped, 1000);
}

TEST(RateLimiter, ImpossibleSizesAreRefusedInWordsAndNothingChanges) {
  const auto refused = [](const RateLimit& limit) {
    EXPECT_THROW(RateLimiter{limit}, InvalidArgument);
  };
  refused({.samples_per_insert = 0});
  refused({.samples_per_insert = -1});
  refused({.samples_per_insert = std::numeric_limits<double>::quiet_NaN()});
  refused({.tolerance = 0.4});
  refused({.samples_per_insert = 100, .tolerance = 50});
  refused({.tolerance = std::numeric_limits<double>::infinity()});
  refused({.minimum_rows = -1});
  EXPECT_THROW(RateLimiter({}, {.rows_stored = -1}), InvalidArgument);
  EXPECT_THROW(RateLimiter({}, {.long_wait = milliseconds(0)}), InvalidArgument);

  RateLimiter limiter({.samples_per_insert = 2, .tolerance = 100, .minimum_rows = 0});
  const std::string text = message_of([&] { (void)limiter.try_sample(256); });
  EXPECT_TRUE(says(text, "batches of 256")) << text;
  EXPECT_TRUE(says(text, "raise the tolerance to at least 129")) << text;
  EXPECT_THROW((void)limiter.try_sample(0), InvalidArgument);
  EXPECT_THROW((void)limiter.try_insert(-3), InvalidArgument);
  EXPECT_EQ(limiter.try_sample(64), kGo);  // the refused size left no trace
  EXPECT_THROW(limiter.set_limit({.samples_per_insert = 2, .tolerance = 20}), InvalidArgument);
  EXPECT_EQ(limiter.limit().tolerance, 100);
  EXPECT_EQ(limiter.status().ahead, 64);
}

TEST(RateLimiter, LimitChangesWhileAThreadWaits) {
  RateLimiter limiter({.samples_per_insert = 1, .tolerance = 10, .minimum_rows = 0});
  EXPECT_EQ(limiter.before_sample(10), kGo);
  Admission got = kNotYet;
  std::thread learner([&] { got = limiter.before_sample(10); });
  while (limiter.status().waiting_samples == 0) std::this_thread::yield();
  limiter.set_limit({.samples_per_insert = 1, .tolerance = 20, .minimum_rows = 0});
  learner.join();
  EXPECT_EQ(got, kGo);
  EXPECT_EQ(limiter.status().ahead, 20);  // a new limit forgets nothing
  // Twice the ratio: ten rows bring it back to zero, not twenty.
  limiter.set_limit({.samples_per_insert = 2, .tolerance = 20, .minimum_rows = 0});
  EXPECT_EQ(limiter.before_insert(10), kGo);
  EXPECT_EQ(limiter.status().ahead, 0);
}

TEST(RateLimiter, StopWakesEveryWaitingThread) {
  RateLimiter learners({.tolerance = 4, .minimum_rows = 100});
  RateLimiter writers({.tolerance = 4, .minimum_rows = 0});
  while (writers.try_insert(1) == kGo) {
  }
  std::atomic<int> stopped{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&] { stopped += learners.before_sample(1) == Admission::stopped; });
    threads.emplace_back([&] { stopped += writers.before_insert(1) == Admission::stopped; });
  }
  while (learners.status().waiting_samples < 3 || writers.status().waiting_inserts < 3)
    std::this_thread::yield();
  learners.stop();
  writers.stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stopped.load(), 6);
  EXPECT_EQ(learners.try_insert(1), Admission::stopped);
  EXPECT_EQ(learners.status().text, "stopped: neither side waits any more");
}

// The callback may act: here it releases the one that called it.
TEST(RateLimiter, TheCallbackMayChangeTheLimit) {
  RateLimiter* self = nullptr;
  int calls = 0;
  RateLimiter limiter({.minimum_rows = 10},
                      {.long_wait = milliseconds(1), .on_long_wait = [&](const std::string&) {
                         if (++calls == 2) self->set_limit({.minimum_rows = 0});
                       }});
  self = &limiter;
  EXPECT_EQ(limiter.before_sample(4), kGo);
  EXPECT_EQ(calls, 2);
}

// Three writers and two learners for real: all get through, and the ratio holds at the end.
TEST(RateLimiter, ThreadsKeepInStep) {
  RateLimiter limiter({.samples_per_insert = 4, .tolerance = 64, .minimum_rows = 50});
  std::vector<std::thread> threads;
  std::atomic<int> let_go{0};
  // 3 x 1000 rows; 50 are the minimum and 2950 x 4 = 11800 are sampled, 2 x 590 batches of 10.
  for (int w = 0; w < 3; ++w)
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) let_go += limiter.before_insert(1) == kGo;
    });
  for (int r = 0; r < 2; ++r)
    threads.emplace_back([&] {
      for (int k = 0; k < 590; ++k) let_go += limiter.before_sample(10) == kGo;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(let_go.load(), 3000 + 1180);
  EXPECT_EQ(limiter.status().ahead, 0);
}

}  // namespace
}  // namespace mneme
