// samplers/sampler.cpp - the public face of every sampler: arguments checked once per batch, then
// one virtual call.
#include "mneme/sampler.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme {
namespace {

void check_view(const BufferView& view) {
  if (view.capacity < 1 || view.capacity > kMaxCapacity)
    throw InvalidArgument(
        concat("the capacity is ", view.capacity, "; allowed: 1 to ", kMaxCapacity));
  if (view.size < 1)
    throw InvalidArgument(
        concat("the buffer holds ", view.size, " transitions; add at least one before sampling"));
  if (view.size > view.capacity)
    throw InvalidArgument(concat("the buffer holds ", view.size,
                                 " transitions but its capacity is ", view.capacity,
                                 "; the size must not exceed the capacity"));
  if (!(view.progress >= 0 && view.progress <= 1))
    throw InvalidArgument(
        concat("the progress of the run is ", view.progress, "; allowed: 0 to 1"));
}

// floor((stratum * 2^64 + word) / strata): the word moved into its share of the unit interval,
// exactly.
std::uint64_t into_stratum(std::uint64_t word, std::uint64_t stratum, std::uint64_t strata) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(((static_cast<Wide>(stratum) << 64) | word) / strata);
#else
  // Long division by 32-bit digits; strata below 2^32.
  std::uint64_t rest = stratum, quotient = 0;
  for (const int shift : {32, 0}) {
    const std::uint64_t digit = (rest << 32) | ((word >> shift) & 0xffffffff);
    quotient = (quotient << 32) | (digit / strata);
    rest = digit % strata;
  }
  return quotient;
#endif
}

}  // namespace

void Sampler::sample(const BufferView& view, Rng& rng, std::span<Index> out) {
  check_view(view);
  if (out.empty()) return;
  if (!stratified_) {
    do_draw(view, batches_, &rng, out);
  } else {
    if (out.size() > 0xffffffff)
      throw InvalidArgument("a stratified batch has at most 2^32 - 1 draws");
    rng.fill_words({reinterpret_cast<std::uint64_t*>(out.data()), out.size()});
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = static_cast<Index>(into_stratum(static_cast<std::uint64_t>(out[k]), k, out.size()));
    do_draw(view, batches_, nullptr, out);
    // Shuffle, so that a learner that splits the batch gets the same mixture in every part.
    for (std::size_t k = out.size() - 1; k > 0; --k) std::swap(out[k], out[rng.below(k + 1)]);
  }
  ++batches_;
}

void Sampler::invert(const BufferView& view, std::span<const double> uniforms,
                     std::span<Index> out) const {
  check_view(view);
  if (uniforms.size() != out.size())
    throw InvalidArgument(
        concat("invert: ", uniforms.size(), " uniforms but room for ", out.size(), " indices"));
  for (const double u : uniforms) {
    if (!(u >= 0 && u < 1)) throw InvalidArgument(concat("invert: ", u, " is not in [0, 1)"));
  }
  do_invert(view, batches_, uniforms, out);
}

void Sampler::probabilities(const BufferView& view, Index first, std::span<double> out,
                            Scope scope) const {
  check_view(view);
  if (first < 0 || first > view.size || static_cast<Index>(out.size()) > view.size - first)
    throw InvalidArgument(concat("probabilities: indices ", first, " to ",
                                 first + static_cast<Index>(out.size()) - 1, " are outside [0, ",
                                 view.size, ")"));
  do_probabilities(view, batches_, first, out, scope);
}

AgeDistribution Sampler::age_distribution(const BufferView& view) const {
  check_view(view);
  return do_age_distribution(view);
}

double Sampler::mean_age(const BufferView& view) const {
  check_view(view);
  if (const auto closed = do_mean_age(view)) return *closed;
  const AgeDistribution distribution = do_age_distribution(view);
  if (distribution.mean_age) return *distribution.mean_age;
  double sum = 0, age = 0;
  for (const Segment& segment : distribution.segments) {
    const auto length = static_cast<double>(segment.length);
    sum += segment.probability * length * (age + (length - 1) / 2);
    age += length;
  }
  return sum;
}

std::optional<double> Sampler::closed_entropy(const BufferView& view) const {
  check_view(view);
  return do_entropy(view);
}

}  // namespace mneme
