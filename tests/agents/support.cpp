// tests/agents/support.cpp - a small linear world for tests of agents.
#include "agents/support.h"

#include "mneme/rng.h"

namespace mneme::testing {

ReplayBuffer small_world(const AgentShape& shape, const std::string& sampler, Index steps,
                         const std::string& stream_policy, Index n_step) {
  const Index streams = shape.streams();
  ReplayBuffer buffer({.observation = {shape.observation()},
                       .action = {shape.action()},
                       .capacity = 4 * steps,
                       .streams = streams,
                       .sampler = sampler,
                       .stream_policy = stream_policy,
                       .n_step = n_step,
                       .seed = 3});
  for (Index stream = 0; stream < streams; ++stream) {
    Rng rng(17, 0, static_cast<std::uint32_t>(stream));
    std::vector<float> now(static_cast<std::size_t>(shape.observation())), next = now;
    std::vector<float> action(static_cast<std::size_t>(shape.action()));
    for (Index t = 0; t < steps; ++t) {
      for (float& a : action) a = static_cast<float>(2 * rng.uniform() - 1);
      for (std::size_t k = 0; k < next.size(); ++k)
        next[k] = 0.9F * now[k] + 0.3F * action[k % action.size()];
      const bool last = t % 23 == 22;
      buffer.add({.stream = stream,
                  .observation = now,
                  .action = action,
                  .reward = 1 - now[0] * now[0],
                  .next_observation = next,
                  .terminated = last && t % 2 == 0,
                  .truncated = last && t % 2 == 1});
      now = next;
      if (last) std::fill(now.begin(), now.end(), 0.5F);
    }
  }
  return buffer;
}

}  // namespace mneme::testing
