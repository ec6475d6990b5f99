// examples/resume.cpp - a run that can be interrupted at any moment and continues from its last
// commit
#include <mneme/replay_buffer.h>

#include <cstdio>
#include <filesystem>
#include <vector>

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "resume-replay";
  mneme::ReplayBuffer buffer = std::filesystem::exists(path)
                                   ? mneme::ReplayBuffer::open(path)
                                   : mneme::ReplayBuffer({.observation = {2},
                                                          .action = {1},
                                                          .capacity = 1'000,
                                                          .sampler = "per",
                                                          .path = path});
  const mneme::Index from = buffer.size();

  for (mneme::Index step = from; step < from + 100; ++step) {
    const float t = static_cast<float>(step);
    const std::vector<float> state{t, -t}, next{t + 1, -t - 1}, action{0.5f};
    buffer.add({.observation = state, .action = action, .reward = 1, .next_observation = next});
  }
  buffer.commit();  // from here on nothing can take these hundred away
  std::printf("%lld transitions, %lld of them from earlier runs\n",
              static_cast<long long>(buffer.size()), static_cast<long long>(from));
}
