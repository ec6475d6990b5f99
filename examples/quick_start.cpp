// examples/quick_start.cpp - add transitions, sample a batch, return its priorities.
#include <mneme/replay_buffer.h>

int main() {
  const float state[] = {0, 1}, action[] = {0.5f};
  mneme::ReplayBuffer buffer(
      {.observation = {2}, .action = {1}, .capacity = 1'000, .sampler = "per", .n_step = 3});
  for (int step = 0; step < 500; ++step)
    buffer.add({.observation = state, .action = action, .reward = 1, .next_observation = state});
  mneme::Batch batch = buffer.make_batch(32);        // memory, once
  buffer.sample(batch);                              // allocates nothing
  buffer.update_priorities(batch.id, batch.reward);  // here: TD errors of the learner
  return buffer.size() == 500 && buffer.cuts() == 0 ? 0 : 1;
}
