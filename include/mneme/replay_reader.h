// mneme/replay_reader.h - one way of drawing from a buffer, with a state of its own.
//
//   mneme::ReplayReader actor = buffer.add_reader("actor", {.sampler = "uniform", .seed = 1});
//   mneme::Batch batch = actor.make_batch(256);
//   actor.sample(batch);
//
// A buffer has a reader of its own (ReplayBuffer::sample and the rest go to it) and any number of
// others beside it. Each has its own sampler and priorities, stream policy, window, generators,
// progress and diagnostics; they share the rows. Readers with the same seed draw differently: the
// name of a reader is part of its seed.
//
// Threads: readers do not wait for each other, nor writers for readers. Calls on one reader take
// turns by themselves, so a thread that draws ahead and one that gives feedback need no lock.
#pragma once

#include <memory>
#include <string>

#include "mneme/batch.h"
#include "mneme/live_diagnostics.h"

namespace mneme {

/// Starts near the newest end whose n-step window is not complete yet.
enum class Horizon {
  full,  ///< are not drawn: the sampler sees the size - n_step + 1 complete starts
  clip   ///< are drawn with a shorter window and the discount that belongs to it
};

/// How one reader draws: everything it has for itself. The words mean what they mean in
/// ReplayConfig.
struct SamplingConfig {
  std::string sampler = "uniform";
  std::string stream_policy = "uniform";
  Index n_step = 1;
  double discount = 0.99;
  Horizon horizon = Horizon::full;
  Index stack = 1;
  std::uint64_t seed = 0;
  bool diagnostics = true;  ///< count draws for diagnostics(), at less than 2 % of sampling time
};

/// What became of a batch of TD errors.
struct FeedbackReport {
  Index applied = 0;
  Index refused = 0;  ///< NaN or infinite
  Index stale = 0;    ///< the row has been overwritten, or cannot be drawn any more
  Index ignored = 0;  ///< the sampler takes no feedback
};

/// A handle: copies mean the same reader. It keeps the rows alive, also after the buffer is gone.
class ReplayReader {
 public:
  class Impl;

  /// "" for the buffer's own.
  const std::string& name() const;
  const SamplingConfig& config() const;

  /// Memory for batches of this size.
  Batch make_batch(std::size_t size) const;
  /// Fills every row. Throws InvalidArgument if no complete window is stored yet or a column does
  /// not fit (it says which one); then neither batch nor generator has changed. No allocation
  /// after the first call of a size.
  void sample(Batch& batch);
  void sample(const BatchView& batch);

  /// Windows of consecutive steps; the sampler picks the first step after burn-in.
  SequenceBatch make_sequences(std::size_t size, Index length, Index burn_in = 0) const;
  void sample(SequenceBatch& batch);
  void sample(const SequenceView& batch);

  /// Tells a prioritized sampler what the learner found. Ids are those of a batch; where one occurs
  /// twice the last value counts. For other samplers nothing happens but the count. Throws
  /// InvalidArgument if the lengths differ or an id names no row that ever was; then nothing has
  /// changed.
  FeedbackReport update_priorities(std::span<const std::uint64_t> ids,
                                   std::span<const float> td_errors);

  /// Share of the run that is done, in [0, 1]: for beta and eta schedules.
  void set_progress(double progress);

  /// What has been drawn since the reader was made or the last reset. Throws InvalidArgument if the
  /// configuration switched it off.
  LiveDiagnostics diagnostics() const;
  void reset_diagnostics();

 private:
  friend class ReplayBuffer;
  friend class Prefetcher;
  explicit ReplayReader(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

}  // namespace mneme
