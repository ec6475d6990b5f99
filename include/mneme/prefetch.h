// mneme/prefetch.h - batches drawn ahead by a thread of their own.
//
//   mneme::Prefetcher batches(buffer.reader(), 256);
//   for (;;) learn(batches.next());
//
// The batches are those that the reader itself would have drawn, in the same order, as long as
// nothing is added meanwhile; otherwise a batch is up to `depth` batches older than it could be,
// and feedback shows that much later. While a prefetcher is at work no other thread should draw
// from its reader; update_priorities and set_progress are fine.
#pragma once

#include <memory>
#include <vector>

#include "mneme/replay_reader.h"

namespace mneme {

class Prefetcher {
 public:
  /// Takes memory for depth + 1 batches and starts drawing. Throws InvalidArgument if size or depth
  /// is 0.
  Prefetcher(ReplayReader reader, std::size_t batch_size, std::size_t depth = 2);
  /// The same in memory of the caller, in the types it has: a view for each of the batches that are
  /// drawn ahead and one more, all of one size, with at least the columns `id` and `age`. Throws
  /// InvalidArgument if there are fewer than two or one does not fit.
  Prefetcher(ReplayReader reader, std::vector<BatchView> memory);
  /// Stops, and rewinds.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// The next batch, valid until the next call of next. Throws what sample would throw now: an
  /// empty buffer says what it lacks instead of waiting for it; add rows and ask again. One caller
  /// at a time. InvalidArgument in memory of the caller, as `exchange` without.
  const Batch& next();

  /// The next batch of a prefetcher in memory of the caller, who has that memory back for good:
  /// `instead` takes its place. Throws as `next` does, and InvalidArgument if `instead` does not
  /// fit; then its memory is still the caller's.
  BatchView exchange(const BatchView& instead);

  /// Throws away what was drawn ahead and puts the reader back to where the caller is: the next
  /// batch will be drawn anew from the rows and priorities of that moment. ReplayBuffer::commit and
  /// save do so by themselves, so that the running and the restored buffer continue alike.
  void rewind();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace mneme
