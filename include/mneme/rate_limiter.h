// mneme/rate_limiter.h - keeps writers and learners in step: so many sampled rows per stored row.
//
//   mneme::RateLimiter limiter({.samples_per_insert = 8, .tolerance = 512, .minimum_rows = 1'000},
//                              {.rows_stored = buffer.size()});
//   limiter.before_insert(1);        // in a writer: waits while the learner is too far behind
//   limiter.before_sample(256);      // in the learner: waits while it is too far ahead
//
// A part beside the buffer, not a mode of it: a thread that does not ask it does not wait. The
// learner is `ahead` by (rows sampled) - samples_per_insert * (rows stored beyond the minimum),
// counted from construction on; it may sample while that stays at or below the tolerance, and rows
// may be stored while it stays at or above minus the tolerance. A restored run passes the rows it
// found, and never waits for those that an earlier process stored.
//
// The two sides can never wait for each other: sizes for which that could happen are refused, in
// words, by the constructor, by set_limit, or by the call that brings them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "mneme/index.h"

namespace mneme {

struct RateLimit {
  double samples_per_insert = 1;  ///< rows sampled for each row stored
  double tolerance = 1024;        ///< sampled rows by which either side may be ahead; at least half
                                  ///< of a batch plus what one insert allows
  Index minimum_rows = 1;         ///< rows stored before the first sample
};

struct RateLimiterOptions {
  Index rows_stored = 0;  ///< by earlier processes, or before the limiter was made
  /// After each such time of one wait `on_long_wait` is called, by the thread that waits, with the
  /// text of status(). It may call any member, also set_limit and stop.
  std::chrono::milliseconds long_wait = std::chrono::seconds(10);
  std::function<void(const std::string&)> on_long_wait = {};
  /// 0: wait as long as it takes. Otherwise before_insert and before_sample throw Error with the
  /// text of status() after this time.
  std::chrono::milliseconds give_up = std::chrono::milliseconds(0);
};

/// What became of a request.
enum class Admission {
  go,       ///< counted; do it
  not_yet,  ///< not counted; nothing has changed
  stopped   ///< stop() was called
};

struct RateStatus {
  Index rows_stored = 0;   ///< those of construction included
  Index rows_sampled = 0;  ///< since construction
  double ahead = 0;        ///< sampled rows by which the learner is ahead of the ratio, or behind
  Index waiting_inserts = 0, waiting_samples = 0;  ///< threads
  std::string text;  ///< who waits for what and what would release it, in words
};

/// All members may be called by any number of threads at any time.
class RateLimiter {
 public:
  /// Throws InvalidArgument for a ratio, tolerance, minimum or time that cannot be.
  explicit RateLimiter(const RateLimit& limit, RateLimiterOptions options = {});

  /// Waits until `rows` rows may be stored or sampled, and counts them. Never not_yet. An insert is
  /// counted when it is let go: as many rows as there are writers may still be on their way when
  /// the first sample is. Throws InvalidArgument for rows < 1 or so many that both sides could wait
  /// for each other, Error after RateLimiterOptions::give_up; then nothing is counted.
  [[nodiscard]] Admission before_insert(Index rows);
  [[nodiscard]] Admission before_sample(Index rows);

  /// The same without waiting, or waiting no longer than this.
  [[nodiscard]] Admission try_insert(Index rows);
  [[nodiscard]] Admission try_sample(Index rows);
  [[nodiscard]] Admission before_insert(Index rows, std::chrono::milliseconds at_most);
  [[nodiscard]] Admission before_sample(Index rows, std::chrono::milliseconds at_most);

  /// Another limit from now on; what either side is ahead stays. Throws InvalidArgument as the
  /// constructor does, or if the sizes seen so far do not fit; then nothing has changed.
  void set_limit(const RateLimit& limit);
  RateLimit limit() const;

  /// Wakes all waiting callers; from now on every call returns `stopped`.
  void stop();

  RateStatus status() const;

 private:
  using Clock = std::chrono::steady_clock;
  enum class Side { insert, sample };
  struct Sizes {  // the largest requests so far
    Index insert = 1, sample = 1;
  };

  static void check(const RateLimit& limit, const Sizes& largest);
  Admission admit(Side side, Index rows, Clock::duration at_most, bool may_give_up);
  double ahead() const;
  bool allowed(Side side, Index rows) const;
  void count(Side side, Index rows);
  std::string words() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  RateLimit limit_;
  RateLimiterOptions options_;
  Sizes largest_;
  bool stopped_ = false;
  Index stored_, sampled_ = 0;
  // of the present limit: what was ahead when it began, and what has been counted since
  double ahead_before_ = 0;
  Index counted_inserts_ = 0, counted_samples_ = 0;
  std::multiset<Index> waiting_inserts_, waiting_samples_;  // their sizes
};

}  // namespace mneme
