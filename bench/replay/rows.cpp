// bench/replay/rows.cpp - rows whose successor can be told from themselves.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "replay/workload.h"

namespace mneme::bench {
namespace {

constexpr Index kEpisode = 1000, kModulus = 1 << 20;
float value_at(Index t) { return static_cast<float>(t % kModulus); }

}  // namespace

ReplayConfig config(const std::string& sampler, Index capacity, Index streams) {
  return {.observation = {static_cast<Index>(kObservation)},
          .action = {static_cast<Index>(kAction)},
          .capacity = capacity,
          .streams = streams,
          .sampler = sampler};
}

void fill(ReplayBuffer& buffer, Index stream, Index from, Index to) {
  std::vector<float> now(kObservation, value_at(from)), next(kObservation), action(kAction, 0.5f);
  for (Index t = from; t < to; ++t) {
    std::fill(next.begin(), next.end(), value_at(t + 1));
    buffer.add({.stream = stream,
                .observation = now,
                .action = action,
                .reward = 1,
                .next_observation = next,
                .truncated = t % kEpisode == kEpisode - 1});
    std::swap(now, next);
  }
}

Index fill_wrapped(ReplayBuffer& buffer) {
  const Index capacity = buffer.config().capacity, end = capacity + capacity / 3;
  for (Index s = 0; s < buffer.config().streams; ++s) fill(buffer, s, 0, end);
  return end;
}

void feed(ReplayReader& reader, Index stream, Index from, Index to, Rng& rng) {
  std::vector<std::uint64_t> ids;
  std::vector<float> errors;
  for (Index t = from; t < to; ++t) {
    ids.push_back(static_cast<std::uint64_t>(stream) << 44 | static_cast<std::uint64_t>(t));
    errors.push_back(static_cast<float>(-std::log(1 - rng.uniform())));
    if (ids.size() < 4096 && t + 1 < to) continue;
    reader.update_priorities(ids, errors);
    ids.clear();
    errors.clear();
  }
}

void check_rows(const Batch& batch, const char* who) {
  for (std::size_t k = 0; k < batch.size; ++k) {
    const auto t = static_cast<Index>(ReplayBuffer::sequence_of(batch.id[k]));
    for (std::size_t i = 0; i < kObservation; ++i) {
      if (batch.observation[k * kObservation + i] == value_at(t) &&
          batch.next_observation[k * kObservation + i] == value_at(t + 1))
        continue;
      std::fprintf(stderr, "%s: a wrong row came out; see mneme check seams\n", who);
      std::exit(1);
    }
  }
}

}  // namespace mneme::bench
