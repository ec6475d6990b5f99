// mneme/diagnostics.h - what a sampler does to the data, in numbers. Exact, not simulated.
//
//   const auto sampler = mneme::make_sampler("ere:eta=0.996");
//   const mneme::Diagnosis d = mneme::inspect(*sampler, {.size = n, .capacity = N});
//   d.expected_recency, d.sampling_entropy, ...
//
// Entropies are in nats. Ages count from 0, the newest. The names here are the keys of `mneme
// inspect --json`.
#pragma once

#include <array>
#include <vector>

#include "mneme/sampler.h"

namespace mneme {

/// How much is replayed. A step is one vector step: every stream (environment, task) stores one
/// transition.
struct ReplaySetting {
  double updates_per_step = 1;   ///< gradient updates per vector step
  double batch = 256;            ///< transitions per update, over all streams
  Index streams = 1;             ///< parallel environments or tasks, each with a ring of its own
  Index reference_capacity = 0;  ///< for reference_recency; 0: the capacity of the view
};

/// One point of a curve over the buffer.
struct IndexReplays {
  double recency;  ///< 0 oldest, 1 newest
  Index index;
  double replays_per_step;  ///< expected draws of this transition per vector step
};

struct NewestMass {
  double share;  ///< the newest share of the stored transitions ...
  double mass;   ///< ... gets this share of the draws
};

struct Diagnosis {
  double expected_recency;   ///< E[i / (n-1)]: 1/2 for uniform, 1 if only the newest is drawn
  double reference_recency;  ///< 1 - E[age] / (reference_capacity - 1): comparable between buffers
                             ///< of different size
  double sampling_entropy;   ///< of the sampler's whole cycle
  double conditional_entropy;  ///< mean within a batch; differs only for cyclic samplers (ERE); NaN
                               ///< if not known
  double
      perplexity;  ///< e^sampling_entropy: how many transitions it is like drawing from uniformly
  double collision_entropy;  ///< -ln(sum of squared probabilities)
  double newest_probability, oldest_probability;
  std::array<NewestMass, 4> newest_mass;         ///< for the newest 1, 10, 25 and 50 %
  std::array<IndexReplays, 6> expected_replays;  ///< at recency 0, 1/4, 1/2, 3/4, 0.9 and 1
  double replay_volume;  ///< draws per stored transition: updates_per_step * batch / streams
  double updates_per_transition;  ///< updates_per_step / streams
  // The life of one transition in a full buffer. Every age-only sampler replays it replay_volume
  // times on average.
  double first_replay_median;  ///< steps until first drawn; the capacity if it is evicted first
  double first_replay_mean;
  double never_replayed_probability;
  bool exact;  ///< false: too many ages to sum one by one; stretches of them are taken at their
               ///< middle, which is off by (log-weight lost per stretch)^2 / 24, relatively: 5e-13
               ///< for truncated_geometric:alpha=10 at 10^9
};

/// Everything above for one sampler and one buffer. O(1) to O(size), 0.05 s at a million
/// transitions. Throws InvalidArgument if the view or the setting is impossible.
Diagnosis inspect(const Sampler& sampler, const BufferView& view,
                  const ReplaySetting& setting = {});

/// 1 - mean age / (size - 1), without the rest of a Diagnosis; 1 for a single transition.
double expected_recency(const Sampler& sampler, const BufferView& view);

/// Both entropies of a distribution.
struct Entropies {
  double sampling_entropy, conditional_entropy;
};
Entropies entropies(const Sampler& sampler, const BufferView& view);

/// Expected replays, divided by the replay volume, of the transition inserted at `inserted` (a
/// share of the run) in a run of `steps` insertions into an initially empty buffer. In a full
/// buffer the lifetime value is 1 for every sampler; here early transitions compete with few others
/// and late ones have little time left. The sum over steps is taken as an integral, to about 1e-6.
double lifetime_exposure(const Sampler& sampler, Index capacity, Index steps, double inserted);

/// Expected draws per transition and vector step over the whole buffer, at `points` evenly spaced
/// recencies and on both sides of every jump, at this replay volume: the curve that the paper calls
/// the density of a sampler.
std::vector<IndexReplays> replay_density(const Sampler& sampler, const BufferView& view,
                                         double replay_volume, int points = 201);

}  // namespace mneme
