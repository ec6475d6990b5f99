// replay/rate_limiter.cpp - counting, waiting, and saying why.
//
// Both sides wait only if ahead + sample > tolerance and ahead - ratio * insert < -tolerance. No `ahead` meets
// both as long as sample + ratio * insert <= 2 * tolerance, for the largest requests
// that were ever made: that is what check() demands.
#include "mneme/rate_limiter.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

// Sums of a ratio such as 0.1 are not exact; no side shall wait for a rounding error.
constexpr double kSlack = 1e-6;

// Requests beyond this would make sums of them inexact or overflow.
constexpr Index kMostRows = Index{1} << 40;

void check_rows(const char* what, Index rows, Index lowest) {
  if (rows < lowest || rows > kMostRows)
    throw InvalidArgument(
        concat("rate limiter: ", what, " is ", rows, "; allowed: ", lowest, " to 2^40"));
}

}  // namespace

void RateLimiter::check(const RateLimit& limit, const Sizes& largest) {
  if (!(limit.samples_per_insert > 0 && limit.samples_per_insert <= 1e9))
    throw InvalidArgument(concat("rate limiter: samples_per_insert is ", limit.samples_per_insert,
                                 "; it must be above 0 and at most 1e9"));
  if (!(limit.tolerance > 0 && limit.tolerance <= 1e15))
    throw InvalidArgument(concat("rate limiter: tolerance is ", limit.tolerance,
                                 "; it must be above 0 and at most 1e15"));
  check_rows("minimum_rows", limit.minimum_rows, 0);
  const double needed = (static_cast<double>(largest.sample) +
                         limit.samples_per_insert * static_cast<double>(largest.insert)) /
                        2;
  if (needed > limit.tolerance + kSlack)
    throw InvalidArgument(
        concat("rate limiter: with batches of ", largest.sample, " and inserts of ", largest.insert,
               " rows at ", limit.samples_per_insert, " samples per insert and a tolerance of ",
               limit.tolerance,
               ", both sides could wait for each other; raise the tolerance to at least ", needed));
}

RateLimiter::RateLimiter(const RateLimit& limit, RateLimiterOptions options)
    : limit_(limit), options_(std::move(options)), stored_(options_.rows_stored) {
  check(limit_, largest_);
  check_rows("rows_stored", options_.rows_stored, 0);
  if (options_.long_wait.count() < 1 || options_.give_up.count() < 0)
    throw InvalidArgument(concat("rate limiter: long_wait is ", options_.long_wait.count(),
                                 " ms and give_up ", options_.give_up.count(),
                                 " ms; at least 1 and 0"));
}

double RateLimiter::ahead() const {
  return ahead_before_ + static_cast<double>(counted_samples_) -
         limit_.samples_per_insert * static_cast<double>(counted_inserts_);
}

bool RateLimiter::allowed(Side side, Index rows) const {
  const bool enough = stored_ >= limit_.minimum_rows;
  if (side == Side::sample)
    return enough && ahead() + static_cast<double>(rows) <= limit_.tolerance + kSlack;
  return !enough || ahead() - limit_.samples_per_insert * static_cast<double>(rows) >=
                        -limit_.tolerance - kSlack;
}

void RateLimiter::count(Side side, Index rows) {
  if (side == Side::sample) {
    sampled_ += rows;
    counted_samples_ += rows;
  } else {
    // Rows up to the minimum are for nothing but the minimum; the largest insert that completes it
    // leaves no more behind than any other.
    counted_inserts_ += std::clamp<Index>(stored_ + rows - limit_.minimum_rows, 0, rows);
    stored_ += rows;
  }
  changed_.notify_all();
}

Admission RateLimiter::admit(Side side, Index rows, Clock::duration at_most, bool may_give_up) {
  check_rows(side == Side::sample ? "a batch" : "an insert", rows, 1);
  std::unique_lock lock(mutex_);
  Sizes largest = largest_;
  Index& of_side = side == Side::sample ? largest.sample : largest.insert;
  of_side = std::max(of_side, rows);
  check(limit_, largest);
  largest_ = largest;
  if (stopped_) return Admission::stopped;
  if (!allowed(side, rows)) {
    if (at_most <= Clock::duration::zero()) return Admission::not_yet;
    std::multiset<Index>& waiting = side == Side::sample ? waiting_samples_ : waiting_inserts_;
    const auto place = waiting.insert(rows);
    const auto begun = Clock::now();
    const auto never = Clock::time_point::max();
    const auto after = [&](Clock::duration time) {
      return time >= never - begun ? never : begun + time;
    };
    const bool gives_up = may_give_up && options_.give_up.count() > 0;
    const auto last = gives_up ? after(options_.give_up) : after(at_most);
    auto next_call = options_.on_long_wait ? after(options_.long_wait) : never;
    while (!stopped_ && !allowed(side, rows)) {
      const auto until = std::min(last, next_call);
      if (until == never) {
        changed_.wait(lock);
        continue;
      }
      changed_.wait_until(lock, until);
      const auto now = Clock::now();
      if (stopped_ || allowed(side, rows)) break;
      if (now >= next_call) {
        next_call = now + options_.long_wait;
        const std::string text = words();
        // Without the lock, so that it may ask and change things; if it throws, the wait is over.
        lock.unlock();
        try {
          options_.on_long_wait(text);
        } catch (...) {
          lock.lock();
          waiting.erase(place);
          throw;
        }
        lock.lock();
      } else if (now >= last) {
        const std::string text = words();
        waiting.erase(place);
        if (!gives_up) return Admission::not_yet;
        throw Error(
            concat("rate limiter: gave up after ", options_.give_up.count(), " ms; ", text));
      }
    }
    waiting.erase(place);
    if (stopped_) return Admission::stopped;
  }
  count(side, rows);
  return Admission::go;
}

Admission RateLimiter::before_insert(Index rows) {
  return admit(Side::insert, rows, Clock::duration::max(), true);
}
Admission RateLimiter::before_sample(Index rows) {
  return admit(Side::sample, rows, Clock::duration::max(), true);
}
Admission RateLimiter::try_insert(Index rows) {
  return admit(Side::insert, rows, Clock::duration::zero(), false);
}
Admission RateLimiter::try_sample(Index rows) {
  return admit(Side::sample, rows, Clock::duration::zero(), false);
}
Admission RateLimiter::before_insert(Index rows, std::chrono::milliseconds at_most) {
  return admit(Side::insert, rows, at_most, false);
}
Admission RateLimiter::before_sample(Index rows, std::chrono::milliseconds at_most) {
  return admit(Side::sample, rows, at_most, false);
}

void RateLimiter::set_limit(const RateLimit& limit) {
  const std::lock_guard lock(mutex_);
  check(limit, largest_);
  ahead_before_ = ahead();
  counted_inserts_ = counted_samples_ = 0;
  limit_ = limit;
  changed_.notify_all();
}

RateLimit RateLimiter::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

void RateLimiter::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

// Who waits, why, and what would release the one that asks for least.
std::string RateLimiter::words() const {
  if (stopped_) return "stopped: neither side waits any more";
  const double now = ahead(), ratio = limit_.samples_per_insert;
  const std::string balance =
      concat(ratio, ratio == 1 ? " sample" : " samples", " per insert asked for, ", std::abs(now),
             " rows ", now < 0 ? "behind" : "ahead");
  const auto rows_for = [](double needed) { return std::max(1.0, std::ceil(needed - kSlack)); };
  if (!waiting_samples_.empty()) {
    const Index missing = limit_.minimum_rows - stored_;
    if (missing > 0)
      return concat("sampling waits: ", stored_, " of the ", limit_.minimum_rows,
                    " rows asked for before the first sample are stored; ", missing,
                    " more inserts needed");
    const double excess = now + static_cast<double>(*waiting_samples_.begin()) - limit_.tolerance;
    return concat("sampling waits: ", balance, "; ", rows_for(excess / ratio),
                  " more inserts needed for a batch of ", *waiting_samples_.begin());
  }
  if (!waiting_inserts_.empty()) {
    const double lacking =
        ratio * static_cast<double>(*waiting_inserts_.begin()) - limit_.tolerance - now;
    return concat("inserting waits: ", balance, "; ", rows_for(lacking),
                  " more sampled rows needed for an insert of ", *waiting_inserts_.begin());
  }
  return concat("neither side waits: ", balance, ", tolerance ", limit_.tolerance);
}

RateStatus RateLimiter::status() const {
  const std::lock_guard lock(mutex_);
  return {.rows_stored = stored_,
          .rows_sampled = sampled_,
          .ahead = ahead(),
          .waiting_inserts = static_cast<Index>(waiting_inserts_.size()),
          .waiting_samples = static_cast<Index>(waiting_samples_.size()),
          .text = words()};
}

}  // namespace mneme
