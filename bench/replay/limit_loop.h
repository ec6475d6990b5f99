// bench/replay/limit_loop.h - what the memory allows: the bytes of random rows, their successors
// and their side records, from huge pages, with prefetch and nothing else.
#pragma once

#include <cstring>

#include "base/pages.h"
#include "replay/workload.h"

namespace mneme::bench {

class LimitLoop {
 public:
  explicit LimitLoop(Index capacity)
      : rows_(static_cast<std::size_t>(capacity)),
        observations_((rows_ + 1) * kRow),
        sides_(rows_ * kSide) {
    std::memset(observations_.data(), 1, observations_.bytes());
    std::memset(sides_.data(), 1, sides_.bytes());
  }

  void run(Batch& out) {
    const std::size_t batch = out.size;
    indices_.resize(batch);
    for (std::size_t& index : indices_) index = rng_.below(rows_);
    constexpr std::size_t kAhead = 12;
    for (std::size_t k = 0; k < batch; ++k) {
      if (k + kAhead < batch) {
        const std::byte* row = observations_.data() + indices_[k + kAhead] * kRow;
        for (std::size_t line = 0; line < 2 * kRow; line += 64) __builtin_prefetch(row + line);
        __builtin_prefetch(sides_.data() + indices_[k + kAhead] * kSide);
      }
      const std::byte* row = observations_.data() + indices_[k] * kRow;
      const std::byte* side = sides_.data() + indices_[k] * kSide;
      std::memcpy(&out.observation[k * kObservation], row, kRow);
      std::memcpy(&out.next_observation[k * kObservation], row + kRow, kRow);
      std::memcpy(&out.action[k * kAction], side + 4, 4 * kAction);
      std::memcpy(&out.reward[k], side + 4 + 4 * kAction, 4);
    }
  }

 private:
  static constexpr std::size_t kRow = 4 * kObservation, kSide = 64;
  std::size_t rows_;
  Pages observations_, sides_;
  Rng rng_{1};
  std::vector<std::size_t> indices_;
};

}  // namespace mneme::bench
