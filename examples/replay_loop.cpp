// examples/replay_loop.cpp - a replay buffer in a training loop, with priorities.
#include <mneme/replay_buffer.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  mneme::ReplayBuffer buffer({.observation = {2},
                              .action = {1},
                              .capacity = 1'000,
                              .sampler = "per:alpha=0.6",
                              .n_step = 3,
                              .discount = 0.99});
  mneme::Batch batch = buffer.make_batch(32);  // memory, once
  std::vector<float> td_error(batch.size), state{0, 1}, next(2);
  const std::vector<float> action{0.1f};
  for (int step = 0; step < 5'000; ++step) {
    next[0] = state[0] + action[0] * state[1];
    next[1] = std::cos(state[0]);
    const bool over = next[0] > 3;
    buffer.add({.observation = state,
                .action = action,
                .reward = next[0],
                .next_observation = next,
                .terminated = over});
    state[0] = over ? 0 : next[0];
    state[1] = over ? 1 : next[1];
    if (step < 100) continue;
    buffer.sample(batch);  // allocates nothing
    for (std::size_t k = 0; k < batch.size; ++k) td_error[k] = batch.reward[k] - 1;
    buffer.update_priorities(batch.id, td_error);
  }
  std::printf("%lld transitions stored, %llu cuts\n", static_cast<long long>(buffer.size()),
              static_cast<unsigned long long>(buffer.cuts()));
}
