// replay/reader_impl.h - what one reader has for itself: sampler or priorities, stream policy,
// windows, generators, progress.
//
// A reader chooses rows and has them copied out; it never writes to storage. Public calls take
// turns by its own mutex. What writers call (on_append, on_cut) takes only the lock of their
// stream's priorities.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/state.h"
#include "mneme/replay_reader.h"
#include "mneme/sampler.h"
#include "replay/live_diagnostics.h"
#include "replay/priority_streams.h"
#include "replay/stream_order.h"
#include "replay/stream_policy.h"
#include "replay/transition_assembler.h"

namespace mneme {

class ReplayReader::Impl {
 public:
  /// Throws as ReplayBuffer::add_reader does. The store must outlive it.
  Impl(std::string name, const SamplingConfig& config, const StreamStore& store);

  const std::string& name() const { return name_; }
  const SamplingConfig& config() const { return config_; }

  /// From now on writers call on_append and on_cut; rows stored so far become known.
  void take_stored_rows() {
    if (priorities_) priorities_->take_stored_rows();
  }
  void on_append(Index stream, std::uint64_t sequence, std::uint64_t oldest, bool ends, bool cut) {
    if (priorities_) priorities_->on_append(stream, sequence, oldest, ends, cut);
  }
  void on_cut(Index stream) {
    if (priorities_) priorities_->on_cut(stream);
  }

  // The rest is ReplayReader's, see mneme/replay_reader.h.
  Batch make_batch(std::size_t size) const;
  SequenceBatch make_sequences(std::size_t size, Index length, Index burn_in) const;
  void sample(Batch& batch);
  void sample(const BatchView& batch);
  void sample(SequenceBatch& batch);
  void sample(const SequenceView& batch);
  FeedbackReport update_priorities(std::span<const std::uint64_t> ids,
                                   std::span<const float> td_errors);
  void set_progress(double progress);
  LiveDiagnostics diagnostics() const;
  void reset_diagnostics();

  /// Where a reader stands before a batch. go_back undoes the batch that sample_ahead drew from
  /// there, the last one first: the same batch is drawn next, if no row came or went.
  struct Mark {
    Rng::State stream_rng, index_rng;
    std::uint64_t batches = 0;
    DrawCounter::Totals totals;
  };
  Mark sample_ahead(const BatchView& batch);
  void go_back(const Mark& mark, const BatchView& batch);
  /// Throws InvalidArgument unless such a batch can be drawn ahead: `go_back` reads `id` and `age`.
  void check_ahead(const BatchView& batch) const;

  /// A prefetcher: samples ahead of its consumer. `hold` puts the reader back to where the consumer
  /// is, and nothing more is drawn until `resume`.
  class Ahead {
   public:
    virtual ~Ahead() = default;
    virtual void hold() = 0;
    virtual void resume() = 0;
  };
  void attach(Ahead& ahead);
  void detach(Ahead& ahead);

  /// Everything that decides the next batches, as if nothing had been drawn ahead. Not while a
  /// writer is at work.
  void save(StateWriter& out) const;
  /// Throws InvalidArgument if the state belongs to another configuration or other rows,
  /// CorruptData if it does not fit together; then nothing has changed.
  void load(StateReader& in);

  std::atomic<Impl*> next{nullptr};  ///< the buffer's list of readers; see replay/buffer_impl.h

 private:
  void save_state(StateWriter& out) const;
  /// The starts that may be drawn from a stream: indices first .. first+size-1 of its live rows.
  struct Starts {
    Index first, size;
  };
  Starts starts(const StreamStore::Bounds& b) const;
  BufferView view_of(const Starts& s) const;

  enum class Columns { all, any };
  void sample_locked(const BatchView& batch);
  void check(const BatchView& batch, Columns wanted) const;
  void check(const SequenceView& batch, Columns wanted) const;
  template <class View, class Read>
  void fill(const View& batch, Index reach, const Read& read);

  void snapshot();
  void require_starts() const;
  void draw(std::size_t count);
  void draw_by_priority(std::size_t count);
  template <class Use>
  void by_stream(std::size_t count, const Use& use);
  StreamStore::Bounds draw_again(std::size_t k);
  bool untouched() const;

  std::string name_;
  SamplingConfig config_;
  const StreamStore& store_;
  TransitionAssembler assembler_;
  std::unique_ptr<PriorityStreams> priorities_;  // none for age-only samplers
  std::unique_ptr<Sampler> sampler_;
  StreamPolicy policy_;

  mutable std::mutex ahead_mutex_;
  std::vector<Ahead*> ahead_;

  mutable std::mutex
      mutex_;  // guards what follows, the sampler's counter and the priorities' scratch
  double progress_ = 0;
  Rng stream_rng_, index_rng_;
  std::optional<DrawCounter> counter_;  // none: diagnostics are off
  // of the batch being drawn
  BatchView view_;
  SequenceView sequence_view_;
  std::vector<StreamStore::Bounds> bounds_;
  std::vector<std::int32_t> drawn_streams_;
  std::vector<Index> indices_, group_;
  StreamOrder order_;
  std::vector<TransitionAssembler::Start> drawn_;
  std::vector<std::uint64_t> sequences_;
  std::vector<float> group_weights_;
  std::vector<float> weights_;  // with priorities: of the draws, in their order
};

}  // namespace mneme
