// mneme/replay_buffer.h - the replay buffer: storage + stream policy + sampler. Start here.
//
//   mneme::ReplayBuffer buffer({.observation = {17}, .action = {6}, .capacity = 1'000'000,
//                               .sampler = "truncated_geometric:alpha=10",
//                               .n_step = 3, .discount = 0.99});
//   buffer.add({.observation = obs, .action = act, .reward = r, .next_observation = next});
//   mneme::Batch batch = buffer.make_batch(256);   // memory, once
//   buffer.sample(batch);                          // fills it; allocates nothing
//
// A buffer is S streams (environments or tasks) of N transitions each. Rows are stored once: the
// next observation is the next row, and the true final observation of an episode is kept apart. If
// a row's observation is not the one its predecessor led to, the stream was interrupted without
// notice and the predecessor becomes a `cut`: a wrong successor is never served. One thread may add
// to each stream while others sample; see the comments at `add` and `sample`.
//
// With `.path` the rows live in files of that directory, and `commit` makes everything so far
// survive whatever happens: mneme::ReplayBuffer::open(path) continues from the last commit, with
// the very batch that would have come next.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mneme/batch.h"
#include "mneme/replay_reader.h"
#include "mneme/sampler.h"

namespace mneme {

struct ReplayConfig {
  FieldSpec observation = {};
  FieldSpec action = {};
  /// Transitions per stream.
  Index capacity = 1'000'000;
  /// Environments or tasks.
  Index streams = 1;
  /// A spec string of any registered sampler, see mneme/sampler.h.
  std::string sampler = "uniform";
  /// "uniform", "equal_share", or "weighted:0.5,0.3,0.2".
  std::string stream_policy = "uniform";
  Index n_step = 1;
  double discount = 0.99;
  Horizon horizon = Horizon::full;
  /// Frames per observation, oldest first; repeated at the start of an episode.
  Index stack = 1;
  std::uint64_t seed = 0;
  /// Stored and returned beside the usual ones. Names: letters, digits, '_', '-' and '.'.
  std::vector<NamedField> fields = {};
  /// Count draws for diagnostics(), at less than 2 % of sampling time.
  bool diagnostics = true;
  /// A directory to keep the rows in; empty: in memory.
  std::string path = {};
  /// With a path: transitions after which `add` commits.
  Index commit_every = 0;
};

/// Whether a buffer on disk is opened to continue it or only to read it. Any number of processes
/// may read at the same time, and nothing they do reaches the disk.
enum class OpenFor { writing, reading };

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

class ReplayBuffer {
 public:
  /// Throws InvalidArgument if the configuration is impossible, needs more memory or disk than
  /// there is, or its path holds a buffer already; NotFound for an unknown sampler or stream
  /// policy; IoError if the path cannot be used.
  explicit ReplayBuffer(const ReplayConfig& config);
  ~ReplayBuffer();
  ReplayBuffer(ReplayBuffer&&) noexcept;
  ReplayBuffer& operator=(ReplayBuffer&&) noexcept;

  /// Appends one step of one stream. Throws InvalidArgument for a wrong stream, shape or type and
  /// for a reward that is not finite; then nothing is stored. One thread per stream at a time; does
  /// not disturb readers. No allocation. On disk also IoError if there is no room for more rows;
  /// then too nothing is stored.
  void add(const Transition& step);

  /// Appends one step of every stream, or of none. Not at the same time as any other add.
  void add_all(const VectorStep& step);

  /// Says that a stream was interrupted (evaluation reset its environment). `add` notices that by
  /// itself unless the new episode happens to begin with the very observation the old one was about
  /// to see.
  void cut(Index stream);

  /// The buffer's own reader; see mneme/replay_reader.h for what each call promises. Calls take
  /// turns by themselves and may run beside writers.
  Batch make_batch(std::size_t size) const;
  void sample(Batch& batch);
  void sample(const BatchView& batch);
  SequenceBatch make_sequences(std::size_t size, Index length, Index burn_in = 0) const;
  void sample(SequenceBatch& batch);
  void sample(const SequenceView& batch);
  FeedbackReport update_priorities(std::span<const std::uint64_t> ids,
                                   std::span<const float> td_errors);
  void set_progress(double progress);
  LiveDiagnostics diagnostics() const;
  void reset_diagnostics();

  /// Another reader of the same rows, for instance "actor" beside the critic's. Rows that are
  /// stored already count as new ones. Also while writers and other readers are at work. Throws
  /// InvalidArgument if the name is empty or taken or the configuration is impossible, NotFound for
  /// an unknown sampler or stream policy; then there is no such reader.
  ReplayReader add_reader(std::string_view name, const SamplingConfig& config);
  /// A reader by its name, the buffer's own without one. Throws NotFound (with the known names).
  ReplayReader reader(std::string_view name = {}) const;

  /// Transitions stored: in one stream, and in all.
  Index size(Index stream) const;
  Index size() const;
  /// Transitions ever stored, those overwritten since included: in one stream, and in all.
  std::uint64_t added(Index stream) const;
  std::uint64_t added() const;

  /// Copies single steps as they were stored: rows `first`, first + 1, ... of a stream, in age
  /// order (0 is the oldest), as many as `rows` has room for. Stacks and n-step windows do not
  /// apply. `ends`, if not empty: per row 0, or 1 terminated, 2 truncated, 3 cut. Beside writers
  /// too: rows that were evicted meanwhile are read again. Throws InvalidArgument for rows that are
  /// not there, IoError if a writer overwrites them faster than they can be read.
  void read(Index stream, Index first, const BatchView& rows,
            std::span<std::uint8_t> ends = {}) const;

  /// Whether a step that was not declared an end is followed by the next one, whatever the
  /// observations say. Off: a row whose observation is not its predecessor's next_observation, bit
  /// for bit (+0 and -0 are equal), makes that predecessor a cut. On: the row keeps the
  /// predecessor's next_observation as its observation. For environments that add noise to what
  /// they show. Not stored with the buffer. Not while a writer is at work.
  void trust_flags(bool trust);

  /// Times a stream was found to be interrupted without notice, or was declared so by `cut`.
  std::uint64_t cuts() const;
  const ReplayConfig& config() const;

  /// A buffer that was created with a path, as its last commit left it: rows, readers, priorities,
  /// generators, diagnostics. Throws IoError if there is no buffer or another process has it open,
  /// CorruptData if its files are damaged.
  static ReplayBuffer open(const std::string& path, OpenFor purpose = OpenFor::writing);

  /// Buffers with a path: what is in the buffer now survives the end of the process and of the
  /// machine. Writes what is new since the last commit. Any thread, any time: writers wait
  /// meanwhile. Throws IoError if the disk is full or fails; then the last commit stands.
  /// InvalidArgument for a buffer in memory or opened for reading.
  void commit();

  /// A copy of the buffer in a directory, for `load` or `open`. Where the directory holds an
  /// earlier copy of this buffer only what is new is written. Throws InvalidArgument if it holds
  /// another buffer, IoError; then what was there before is still there.
  void save(const std::string& path);
  /// A buffer in memory, as `save` or `commit` left it. Throws as `open` does.
  static ReplayBuffer load(const std::string& path);

  /// Commits, if it has a path, and ends the buffer: any later call throws InvalidArgument. Readers
  /// that the caller still holds keep the rows, and the lock of the directory, until they are gone.
  void close();

  /// An id taken apart.
  static Index stream_of(std::uint64_t id) { return static_cast<Index>(id >> 44); }
  static std::uint64_t sequence_of(std::uint64_t id) { return id & ((std::uint64_t{1} << 44) - 1); }

 private:
  struct Impl;
  explicit ReplayBuffer(std::shared_ptr<Impl> impl);
  Impl& impl() const;  // throws once the buffer is closed

  std::shared_ptr<Impl> impl_;
};

}  // namespace mneme
