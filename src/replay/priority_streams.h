// replay/priority_streams.h - prioritized samplers inside a buffer: one law per stream, in step
// with its ring.
//
// A law knows slots; this knows which rows they hold. Rows whose window is not complete yet, or
// whose stack reaches below the oldest row, carry no mass. Feedback for a row that has been
// overwritten is counted, never applied to another row. A writer and a sampler of the same stream
// take turns by that stream's lock; there is no lock over all streams.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "mneme/replay_buffer.h"
#include "priorities/priority_law.h"
#include "replay/reader.h"
#include "storage/stream_store.h"

namespace mneme {

class PriorityStreams {
 public:
  /// Nothing if the spec does not name a prioritized sampler (per, rank_per, reaper). Throws as
  /// make_sampler does.
  static std::unique_ptr<PriorityStreams> make(std::string_view spec, const ReplayConfig& config);

  /// What `mneme samplers` lists beside the age-only ones.
  static std::vector<const SamplerInfo*> registered();

  /// Row `sequence` was stored; `cut` tells that its predecessor turned out to be the last of an
  /// episode.
  void on_append(Index stream, std::uint64_t sequence, std::uint64_t oldest, bool ends, bool cut);
  /// The newest row of the stream is the last of its episode.
  void on_cut(Index stream);

  bool can_draw(Index stream) const;
  /// Draws from one stream: sequence numbers and importance weights. `bounds` are taken anew,
  /// together with the draw.
  void draw(Index stream, const StreamStore& store, StreamStore::Bounds& bounds, double progress,
            Rng& rng, std::span<std::uint64_t> sequences, std::span<float> weights);

  FeedbackReport update(std::span<const std::uint64_t> ids, std::span<const float> td_errors,
                        const StreamStore& store);

 private:
  struct Stream {
    mutable std::mutex mutex;
    std::unique_ptr<PriorityLaw> law;
  };

  PriorityStreams(const ReplayConfig& config, BetaSchedule beta);

  std::vector<Stream> streams_;
  BetaSchedule beta_;
  Index capacity_, held_, stack_;
  std::vector<Index> slots_;           // of the draw or the feedback under way
  std::vector<std::uint64_t> sorted_;  // feedback: (stream, position) in stream order
  std::vector<float> values_;
};

}  // namespace mneme
