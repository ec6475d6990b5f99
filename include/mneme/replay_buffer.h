// mneme/replay_buffer.h - the replay buffer: storage + stream policy + sampler. Start here.
//
//   mneme::ReplayBuffer buffer({.observation = {17}, .action = {6}, .capacity = 1'000'000,
//                               .sampler = "truncated_geometric:alpha=10", .n_step = 3, .discount =
//                               0.99});
//   buffer.add({.observation = obs, .action = act, .reward = r, .next_observation = next});
//   mneme::Batch batch = buffer.make_batch(256);   // memory, once
//   buffer.sample(batch);                          // fills it; allocates nothing
//
// A buffer is S streams (environments or tasks) of N transitions each. Rows are stored once: the
// next observation is the next row, and the true final observation of an episode is kept apart. If
// a row's observation is not the one its predecessor led to, the stream was broken off without
// notice and the predecessor becomes a `cut`: a wrong successor is never served. One thread may add
// to each stream while others sample; see the comments at `add` and `sample`.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mneme/sampler.h"
#include "mneme/schema.h"

namespace mneme {

/// Starts near the newest end whose n-step window is not complete yet.
enum class Horizon {
  full,  ///< are not drawn: the sampler sees the size - n_step + 1 complete starts
  clip   ///< are drawn with a shorter window and the discount that belongs to it
};

struct ReplayConfig {
  FieldSpec observation = {};
  FieldSpec action = {};
  Index capacity = 1'000'000;  ///< transitions per stream
  Index streams = 1;           ///< environments or tasks
  std::string sampler =
      "uniform";  ///< a spec string, see mneme/sampler.h; also per, rank_per and reaper
  std::string stream_policy = "uniform";  ///< "uniform", "equal_share", or "weighted:0.5,0.3,0.2"
  Index n_step = 1;
  double discount = 0.99;
  Horizon horizon = Horizon::full;
  Index stack = 1;  ///< frames per observation, oldest first; repeated at an episode's start
  std::uint64_t seed = 0;
  std::vector<NamedField> fields = {};  ///< stored and returned beside the usual ones
};

/// One step of one stream.
struct Transition {
  Index stream = 0;
  Values observation = {}, action = {};
  float reward = 0;
  Values next_observation = {};  ///< the true one, also at an episode's end
  bool terminated = false, truncated = false;
  std::vector<Values> fields = {};  ///< in the order of ReplayConfig::fields
};

/// One step of every stream: arrays with one row per stream, stream 0 first.
struct VectorStep {
  Values observation = {}, action = {};
  std::span<const float> reward = {};
  Values next_observation = {};
  std::span<const std::uint8_t> terminated = {}, truncated = {};  ///< empty: none
  std::vector<Values> fields = {};
};

/// What `sample` fills: one row per draw, as f32 and row-major. Made by make_batch, which fixes its
/// size.
struct Batch {
  std::size_t size = 0;
  std::vector<float> observation, action, reward, next_observation;
  std::vector<float>
      discount;  ///< multiplies the bootstrap value: discount^horizon, 0 after termination
  std::vector<float> weight;      ///< importance weight; 1 for samplers without priorities
  std::vector<std::uint64_t> id;  ///< stream and sequence number of the row
  std::vector<std::int32_t> stream, horizon;  ///< horizon: rewards summed, at most n_step
  std::vector<Index> age;                     ///< 0 = the stream's newest
  std::vector<std::vector<float>> fields;     ///< in the order of ReplayConfig::fields
};

/// Windows of `length` consecutive steps of one episode, with `burn_in` steps before them where
/// they exist.
struct SequenceBatch {
  std::size_t size = 0;
  Index length = 0, burn_in = 0;                   ///< length: burn-in included
  std::vector<float> observation, action, reward;  ///< size x length x numbers
  std::vector<float>
      last_observation;  ///< the observation after the last valid step, size x numbers
  std::vector<std::uint8_t>
      valid;  ///< size x length: 0 before the episode's start and after its end
  std::vector<std::uint8_t>
      terminated;                 ///< per window: whether its last valid step ended the episode
  std::vector<std::uint64_t> id;  ///< of the first step after burn-in
  std::vector<std::int32_t> stream;
};

/// What became of a batch of TD errors.
struct FeedbackReport {
  Index applied = 0;
  Index refused = 0;  ///< NaN or infinite
  Index stale = 0;    ///< the row has been overwritten, or cannot be drawn any more
  Index ignored = 0;  ///< the sampler takes no feedback
};

class ReplayBuffer {
 public:
  /// Throws InvalidArgument if the configuration is impossible or needs more memory than there is,
  /// NotFound for an unknown sampler or stream policy.
  explicit ReplayBuffer(const ReplayConfig& config);
  ~ReplayBuffer();
  ReplayBuffer(ReplayBuffer&&) noexcept;
  ReplayBuffer& operator=(ReplayBuffer&&) noexcept;

  /// Appends one step of one stream. Throws InvalidArgument for a wrong stream, shape or type and
  /// for a reward that is not finite; then nothing is stored. One thread per stream at a time; does
  /// not disturb readers. No allocation.
  void add(const Transition& step);

  /// Appends one step of every stream, or of none. Not at the same time as any other add.
  void add_all(const VectorStep& step);

  /// Says that a stream broke off (evaluation reset its environment). `add` notices that by itself
  /// unless the new episode happens to begin with the very observation the old one was about to
  /// see.
  void cut(Index stream);

  /// Memory for batches of this size.
  Batch make_batch(std::size_t size) const;
  /// Fills every row of the batch. Throws InvalidArgument if no complete window is stored yet or
  /// the batch was not made for this buffer; then neither batch nor generator has changed. One
  /// thread at a time per buffer.
  void sample(Batch& batch);

  /// Memory for, and draws of, windows of consecutive steps. The sampler picks the first step after
  /// burn-in.
  SequenceBatch make_sequences(std::size_t size, Index length, Index burn_in = 0) const;
  void sample(SequenceBatch& batch);

  /// Tells a prioritized sampler what the learner found. Ids are those of a batch; where one occurs
  /// twice the last value counts. For other samplers nothing happens but the count. Throws
  /// InvalidArgument if the lengths differ or an id names no row that ever was; then nothing has
  /// changed. Not while sampling.
  FeedbackReport update_priorities(std::span<const std::uint64_t> ids,
                                   std::span<const float> td_errors);

  /// Share of the run that is done, in [0, 1]: for beta and eta schedules.
  void set_progress(double progress);

  /// Transitions stored: in one stream, and in all.
  Index size(Index stream) const;
  Index size() const;
  /// Times a stream was found to have broken off without notice, or was declared so by `cut`.
  std::uint64_t cuts() const;
  const ReplayConfig& config() const;

  /// An id taken apart.
  static Index stream_of(std::uint64_t id) { return static_cast<Index>(id >> 44); }
  static std::uint64_t sequence_of(std::uint64_t id) { return id & ((std::uint64_t{1} << 44) - 1); }

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace mneme
