// tests/fuzz/spec_fuzz.cpp - any text as a sampler spec: a sampler comes out, or an mneme::Error;
// nothing else.
//
// A sampler that was made must make itself again from its spec(), draw inside the buffer, and its
// probabilities on a small buffer must add up to 1. The buffers follow from a hash of the text, so
// that a finding repeats itself.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "mneme/error.h"
#include "mneme/sampler.h"

namespace {

using mneme::BufferView;
using mneme::Index;

void require(bool holds, const char* what, const BufferView& view) {
  if (holds) return;
  std::fprintf(stderr, "%s: size %lld, capacity %lld, progress %g\n", what,
               static_cast<long long>(view.size), static_cast<long long>(view.capacity),
               view.progress);
  std::abort();
}

std::vector<Index> draw(mneme::Sampler& sampler, const BufferView& view, std::uint64_t seed) {
  mneme::Rng rng(seed);
  std::vector<Index> out(1 + rng.below(40));
  sampler.sample(view, rng, out);
  for (const Index index : out)
    require(index >= 0 && index < view.size, "a draw outside the buffer", view);
  return out;
}

void exercise(std::string_view text, std::uint64_t seed) {
  const auto sampler = mneme::make_sampler(text);
  const auto again = mneme::make_sampler(sampler->spec());
  mneme::Rng rng(seed);
  for (int round = 0; round < 4; ++round) {
    // Three small buffers, then one of any size up to the largest.
    const std::uint64_t largest =
        round < 3 ? 64 : static_cast<std::uint64_t>(mneme::kMaxCapacity) >> rng.below(50);
    BufferView view;
    view.capacity = 1 + static_cast<Index>(rng.below(largest));
    view.size = 1 + static_cast<Index>(rng.below(static_cast<std::uint64_t>(view.capacity)));
    view.progress = rng.uniform();
    sampler->set_batches(rng.below(5000));
    again->set_batches(sampler->batches());
    if (round < 3) {
      std::vector<double> p(static_cast<std::size_t>(view.size));
      sampler->probabilities(view, 0, p, mneme::Scope::batch);
      double sum = 0;
      for (const double one : p) {
        require(one >= 0, "a probability below 0, or none at all", view);
        sum += one;
      }
      require(std::abs(sum - 1) < 1e-9, "probabilities that do not add up to 1", view);
    }
    require(draw(*sampler, view, seed) == draw(*again, view, seed), "spec() makes another sampler",
            view);
  }
  require(again->spec() == sampler->spec(), "spec() does not come back as it was", {});
}

}  // namespace

// The name and the types are libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (std::size_t k = 0; k < size; ++k) hash = (hash ^ data[k]) * 1099511628211U;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    mneme::make_sampler(text);
  } catch (const mneme::Error&) {
    return 0;
  }
  try {
    exercise(text, hash);
  } catch (const mneme::InvalidArgument&) {
    // The printed formula in float32 divides by zero in a large buffer and says so. From any other
    // sampler even an mneme::Error is a fault by now.
    if (text.find("paper_float32") == std::string_view::npos) throw;
  }
  return 0;
}
