// replay/stream_policy.h - which stream each draw of a batch comes from.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "mneme/rng.h"

namespace mneme {

class StreamPolicy {
 public:
  /// "uniform": each draw independently. "equal_share": as even as the batch size allows, the
  /// remainder at random. "weighted:w0,w1,...": each draw independently, in proportion to the
  /// weights. Throws InvalidArgument or NotFound.
  StreamPolicy(std::string_view spec, Index streams);

  /// Fills `out` with streams; equal shares come in ascending order, the others as drawn.
  void assign(Rng& rng, std::span<std::int32_t> out) const;

 private:
  enum class Kind { uniform, equal_share, weighted } kind_;
  Index streams_;
  std::vector<double> below_;  // weighted: cumulative shares
};

}  // namespace mneme
