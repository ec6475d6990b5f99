// replay/stream_order.h - the positions of a batch by the stream they belong to.
//
// Counted, not compared: a batch of B rows over S streams costs O(B + S), and keeps the order
// within a stream.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mneme/index.h"

namespace mneme {

class StreamOrder {
 public:
  explicit StreamOrder(Index streams) : ends_(static_cast<std::size_t>(streams)) {}

  /// Calls use(stream, positions) for every stream that stream_of(0 .. count-1) names, in ascending
  /// order. No allocation unless `count` is larger than ever before.
  template <class StreamOf, class Use>
  void each(std::size_t count, const StreamOf& stream_of, const Use& use) {
    order_.resize(count);
    const std::span<const std::uint32_t> all(order_);
    if (ends_.size() == 1) {
      for (std::size_t k = 0; k < count; ++k) order_[k] = static_cast<std::uint32_t>(k);
      if (count > 0) use(std::size_t{0}, all);
      return;
    }
    for (std::uint32_t& end : ends_) end = 0;
    for (std::size_t k = 0; k < count; ++k) ++ends_[stream_of(k)];
    std::uint32_t sum = 0;
    for (std::uint32_t& end : ends_) {
      const std::uint32_t members = end;
      end = sum;  // where the stream's positions begin, until they are written
      sum += members;
    }
    for (std::size_t k = 0; k < count; ++k)
      order_[ends_[stream_of(k)]++] = static_cast<std::uint32_t>(k);
    std::size_t from = 0;
    for (std::size_t stream = 0; stream < ends_.size(); ++stream) {
      const std::size_t to = ends_[stream];
      if (to > from) use(stream, all.subspan(from, to - from));
      from = to;
    }
  }

 private:
  std::vector<std::uint32_t> ends_, order_;
};

}  // namespace mneme
