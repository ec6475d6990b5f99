// replay/buffer_impl.h - what a buffer is made of: the rows and the readers that draw from them.
#pragma once

#include <mutex>

#include "mneme/replay_buffer.h"
#include "replay/reader_impl.h"
#include "replay/saved_state.h"
#include "replay/writer_gate.h"
#include "storage/archive.h"
#include "storage/stream_store.h"

namespace mneme {

struct ReplayBuffer::Impl {
  /// Empty: in memory, or in the archive.
  Impl(const ReplayConfig& given, std::unique_ptr<Archive> files);

  /// For a buffer that is empty but for its configuration: the rows of an archive and the readers
  /// that were saved with them.
  void restore(const Archive& from, const SavedState& saved);
  /// What goes into a manifest beside the rows. While no writer is inside the gate.
  std::vector<std::byte> state() const;
  void commit();
  /// Commits if it is time to, given that so many rows were added.
  void count_added(Index rows);

  /// One row of a (vector) step, converted into the stream's own scratch memory and appended.
  void append(Index stream, std::size_t row, const Values& observation, const Values& action,
              float reward, const Values& next, bool terminated, bool truncated,
              const std::vector<Values>& extras);
  void check(std::size_t rows, const Values& observation, const Values& action, const Values& next,
             const std::vector<Values>& extras) const;
  void check_stream(Index stream) const;

  /// Calls use(drawer) for every reader. Writers do that with every row, so it takes no lock: the
  /// list only ever grows at its end.
  template <class Use>
  void each_reader(const Use& use) const {
    for (ReplayReader::Impl* d = own.get(); d != nullptr;
         d = d->next.load(std::memory_order_acquire))
      use(*d);
  }
  ReplayReader::Impl* find(std::string_view name) const;
  ReplayReader::Impl& add_reader(std::string_view name, const SamplingConfig& sampling);

  ReplayConfig config;
  std::unique_ptr<Archive> archive;  // none in memory
  StreamStore store;
  WriterGate gate;
  std::atomic<Index> uncommitted{0};
  std::uint64_t identity = 0, lineage = 0;      // of the last copy that `save` made or `load` took
  std::vector<std::vector<std::byte>> scratch;  // per stream: a row on its way in
  std::unique_ptr<ReplayReader::Impl> own;      // the first of the list
  std::mutex adding;                            // one new reader at a time
  std::vector<std::unique_ptr<ReplayReader::Impl>> others;  // owns the rest of the list
};

}  // namespace mneme
