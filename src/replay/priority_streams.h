// replay/priority_streams.h - prioritized samplers inside a buffer: one distribution per stream, in
// step with its ring.
//
// A distribution knows slots; this knows which rows they hold. Rows whose window is not complete
// yet, or whose stack reaches below the oldest row, carry no mass. Feedback for a row that has been
// overwritten is counted, never applied to another row. A writer and a sampler of the same stream
// take turns by that stream's lock; there is no lock over all streams.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "mneme/replay_reader.h"
#include "mneme/sampler.h"
#include "priorities/priority_distribution.h"
#include "replay/stream_order.h"
#include "storage/stream_store.h"

namespace mneme {

class PriorityStreams {
 public:
  /// Nothing if the spec does not name a prioritized sampler. Throws as make_sampler does. Rows
  /// that are stored already are not known until take_stored_rows.
  static std::unique_ptr<PriorityStreams> make(const SamplingConfig& config,
                                               const StreamStore& store);

  /// Gives every stored row the priority of a new one. Once, before the first draw; a writer may be
  /// at work, and what it appends before its stream's turn is left to this.
  void take_stored_rows();

  /// Row `sequence` was stored; `cut` tells that its predecessor turned out to be the last of an
  /// episode.
  void on_append(Index stream, std::uint64_t sequence, std::uint64_t oldest, bool ends, bool cut);
  /// The newest row of the stream is the last of its episode.
  void on_cut(Index stream);

  /// The spec string with every parameter written out.
  const std::string& spec() const { return spec_; }

  bool can_draw(Index stream) const;
  /// Draws from one stream: sequence numbers and importance weights. `bounds` are taken anew,
  /// together with the draw.
  void draw(Index stream, StreamStore::Bounds& bounds, double progress, Rng& rng,
            std::span<std::uint64_t> sequences, std::span<float> weights);

  FeedbackReport update(std::span<const std::uint64_t> ids, std::span<const float> td_errors);

  void save(StateWriter& out) const;
  /// The priorities of every stream as they were saved, or an exception; apply() then takes them.
  /// Throws CorruptData or InvalidArgument, also if they belong to other rows than are stored.
  using Distributions = std::vector<std::unique_ptr<PriorityDistribution>>;
  Distributions load(StateReader& in) const;
  void apply(Distributions distributions);

 private:
  struct Stream {
    mutable std::mutex mutex;
    std::unique_ptr<PriorityDistribution> distribution;
    bool in_step = false;  // it has all rows below `next`
    std::uint64_t next = 0;
  };

  PriorityStreams(std::string spec, const SamplingConfig& config, const StreamStore& store,
                  BetaSchedule beta,
                  std::function<std::unique_ptr<PriorityDistribution>()> make_distribution);
  Index slot_of(std::uint64_t sequence) const {
    return static_cast<Index>(sequence % static_cast<std::uint64_t>(capacity_));
  }

  std::string spec_;
  const StreamStore& store_;
  std::function<std::unique_ptr<PriorityDistribution>()> make_distribution_;
  std::vector<Stream> streams_;
  BetaSchedule beta_;
  Index capacity_, held_, stack_;
  std::vector<Index> slots_;  // of the draw or the feedback under way
  StreamOrder order_;         // of the feedback
  std::vector<float> values_;
};

}  // namespace mneme
