// replay/parts.h - what a buffer is made of: the rows and the readers that draw from them.
#pragma once

#include <mutex>

#include "mneme/replay_buffer.h"
#include "replay/drawer.h"
#include "storage/stream_store.h"

namespace mneme {

struct ReplayBuffer::Parts {
  explicit Parts(const ReplayConfig& given);

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
    for (Drawer* d = own.get(); d != nullptr; d = d->next.load(std::memory_order_acquire)) use(*d);
  }
  Drawer* find(std::string_view name) const;
  Drawer& add_reader(std::string_view name, const SamplingConfig& sampling);

  ReplayConfig config;
  StreamStore store;
  std::vector<std::vector<std::byte>> scratch;  // per stream: a row on its way in
  std::unique_ptr<Drawer> own;                  // the first of the list
  std::mutex adding;                            // one new reader at a time
  std::vector<std::unique_ptr<Drawer>> others;  // owns the rest of the list
};

}  // namespace mneme
