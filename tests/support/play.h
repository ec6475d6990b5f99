// tests/support/play.h - a script of random steps that any buffer can play: the same script gives
// the same rows, feedback and draws, so that one buffer can be compared with another.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mneme/replay_buffer.h"
#include "mneme/rng.h"

namespace mneme::testing {

/// Scene k of the script: some rows of every kind of ending, some batches, some feedback. What it
/// does depends on k and on the buffer's state only.
inline void play(ReplayBuffer& buffer, std::uint64_t seed, std::uint64_t scene, int steps) {
  Rng rng(seed, 77, static_cast<std::uint32_t>(scene));
  const auto streams = static_cast<std::uint64_t>(buffer.config().streams);
  Batch batch = buffer.make_batch(8);
  std::vector<std::vector<float>> next(streams);
  for (int k = 0; k < steps; ++k) {
    const std::uint64_t s = rng.below(streams);
    const auto fresh = [&] {
      return std::vector<float>{static_cast<float>(rng.below(1 << 20)), static_cast<float>(scene),
                                static_cast<float>(k)};
    };
    if (next[s].empty() || rng.below(25) == 0) next[s] = fresh();  // also resets without notice
    const std::vector<float> after = fresh(), action{static_cast<float>(k), 0.5f};
    const std::uint64_t kind = rng.below(12);
    buffer.add({.stream = static_cast<Index>(s),
                .observation = next[s],
                .action = action,
                .reward = static_cast<float>(k),
                .next_observation = after,
                .terminated = kind == 0,
                .truncated = kind == 1});
    next[s] = kind < 2 ? std::vector<float>{} : after;
    if (rng.below(40) == 0) buffer.cut(static_cast<Index>(rng.below(streams)));
    bool ready = true;
    for (std::uint64_t q = 0; q < streams; ++q)
      ready &= buffer.size(static_cast<Index>(q)) >= buffer.config().n_step + 3;
    if (ready && rng.below(6) == 0) {
      buffer.sample(batch);
      std::vector<float> errors(batch.id.size());
      for (float& error : errors) error = static_cast<float>(rng.uniform() * 3 - 1);
      buffer.update_priorities(batch.id, errors);
    }
  }
}

/// The next batches, as one value to compare: every column of each.
inline std::vector<float> next_batches(ReplayReader reader, int count = 3, std::size_t size = 16) {
  std::vector<float> all;
  Batch batch = reader.make_batch(size);
  for (int k = 0; k < count; ++k) {
    reader.sample(batch);
    for (const std::vector<float>* column :
         {&batch.observation, &batch.action, &batch.reward, &batch.next_observation,
          &batch.discount, &batch.weight})
      all.insert(all.end(), column->begin(), column->end());
    for (const std::uint64_t id : batch.id) {
      all.push_back(static_cast<float>(ReplayBuffer::sequence_of(id)));
      all.push_back(static_cast<float>(ReplayBuffer::stream_of(id)));
    }
    for (const Index age : batch.age) all.push_back(static_cast<float>(age));
  }
  return all;
}

}  // namespace mneme::testing
