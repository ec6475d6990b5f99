// examples/rate_limiter.cpp - a writer and a learner that keep in step.
#include <mneme/rate_limiter.h>
#include <mneme/replay_buffer.h>

#include <cstdio>
#include <thread>
#include <vector>

int main() {
  mneme::ReplayBuffer buffer({.observation = {1}, .action = {1}, .capacity = 1'000});
  mneme::RateLimiter limiter(
      {.samples_per_insert = 8, .tolerance = 128, .minimum_rows = 100},
      {.rows_stored = buffer.size(),
       .on_long_wait = [](const std::string& why) { std::fprintf(stderr, "%s\n", why.c_str()); }});

  std::thread writer([&] {
    const std::vector<float> action{0};
    for (float t = 0; limiter.before_insert(1) == mneme::Admission::go; ++t) {
      const std::vector<float> now{t}, next{t + 1};
      buffer.add({.observation = now, .action = action, .reward = 1, .next_observation = next});
    }
  });
  mneme::Batch batch = buffer.make_batch(32);
  for (int update = 0; update < 500; ++update) {
    if (limiter.before_sample(32) != mneme::Admission::go) break;
    buffer.sample(batch);
  }
  limiter.stop();  // the writer returns
  writer.join();
  const mneme::RateStatus status = limiter.status();
  const bool in_step = status.ahead >= -128 && status.ahead <= 128;
  std::printf("%lld rows sampled, %s\n", static_cast<long long>(status.rows_sampled),
              in_step ? "in step" : "out of step");
}
