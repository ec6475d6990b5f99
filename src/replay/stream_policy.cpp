// replay/stream_policy.cpp - uniform, equal and weighted choice of streams.
#include "replay/stream_policy.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {

StreamPolicy::StreamPolicy(std::string_view spec, Index streams) : streams_(streams) {
  const std::size_t colon = spec.find(':');
  const std::string name(spec.substr(0, colon));
  if (name == "uniform") {
    kind_ = Kind::uniform;
  } else if (name == "equal_share") {
    kind_ = Kind::equal_share;
  } else if (name == "weighted") {
    kind_ = Kind::weighted;
  } else {
    throw NotFound(unknown_name("stream policy", name, {"uniform", "equal_share", "weighted"}));
  }
  if (kind_ != Kind::weighted) {
    if (colon != std::string_view::npos)
      throw InvalidArgument(concat("the stream policy ", name, " takes no values"));
    return;
  }

  double total = 0;
  std::string_view rest =
      colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const auto weight = parse_number(rest.substr(0, comma));
    if (!weight || *weight < 0)
      throw InvalidArgument(concat("stream weight '",
                                   rest.substr(0, std::min<std::size_t>(comma, 40)),
                                   "'; write weighted:w0,w1,... with weights of 0 or more"));
    below_.push_back(total += *weight);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  if (static_cast<Index>(below_.size()) != streams_ || !(total > 0))
    throw InvalidArgument(concat("the stream policy gives ", below_.size(), " weights for ",
                                 streams_, " streams; give one each, at least one above 0"));
  for (double& share : below_) share /= total;
}

void StreamPolicy::assign(Rng& rng, std::span<std::int32_t> out) const {
  const auto streams = static_cast<std::size_t>(streams_);
  if (streams == 1) {
    std::fill(out.begin(), out.end(), 0);
  } else if (kind_ == Kind::uniform) {
    for (std::int32_t& stream : out) stream = static_cast<std::int32_t>(rng.below(streams));
  } else if (kind_ == Kind::weighted) {
    for (std::int32_t& stream : out) {
      const auto found = std::upper_bound(below_.begin(), below_.end(), rng.uniform());
      stream = static_cast<std::int32_t>(
          std::min<std::size_t>(static_cast<std::size_t>(found - below_.begin()), streams - 1));
    }
  } else {
    // Everyone floor(B/S); who gets one more is drawn without replacement, in one pass over the
    // streams.
    const std::size_t each = out.size() / streams;
    std::size_t extra = out.size() % streams, at = 0;
    for (std::size_t s = 0; s < streams; ++s) {
      const bool one_more = extra > 0 && rng.below(streams - s) < extra;
      extra -= one_more ? 1 : 0;
      for (std::size_t k = 0; k < each + (one_more ? 1 : 0); ++k)
        out[at++] = static_cast<std::int32_t>(s);
    }
  }
}

}  // namespace mneme
