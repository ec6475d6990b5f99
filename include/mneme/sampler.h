// mneme/sampler.h - what decides which stored transition is replayed.
//
//   auto sampler = mneme::make_sampler("truncated_geometric:alpha=10");
//   mneme::Rng rng(seed);
//   std::vector<mneme::Index> batch(256);
//   sampler->sample({.size = n, .capacity = N}, rng, batch);
//
// A sampler sees a buffer only as its size and capacity. It draws *indices* in age order: 0 is the
// oldest transition, size-1 the newest; age = size-1-index. Draws, probabilities and diagnostics of
// a sampler all come from the one formula in its source file. A spec string names a sampler
// everywhere: `name` or `name:key=value,key=value`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "mneme/rng.h"
#include "mneme/sampler_info.h"

namespace mneme {

/// All that a sampler may know of one stream of a buffer.
struct BufferView {
  /// Transitions stored now.
  Index size = 0;
  /// Transitions that fit.
  Index capacity = 0;
  /// Ring slot of index 0; samplers do not use it.
  Index oldest = 0;
  /// Share of the run that is done, in [0, 1], for schedules such as ERE's eta_end.
  double progress = 0;
};

/// Neighboring ages that are equally likely.
struct Segment {
  Index length;
  /// Of each of them.
  double probability;
};

/// How often each age is drawn, newest first, averaged over the sampler's cycle if it has one
/// (ERE).
struct AgeDistribution {
  /// Cover every stored age.
  std::vector<Segment> segments;
  /// False: more ages than can be listed; a segment takes the probability at its middle.
  bool exact = true;
  /// Where a closed form exists.
  std::optional<double> mean_age, entropy;
  /// Mean entropy within a batch, where it differs; NaN: not known.
  std::optional<double> conditional_entropy;
};

/// Over what a probability is meant: the sampler's whole cycle, or the batch that would be drawn
/// next. The two differ only for cyclic samplers.
enum class Scope { cycle, batch };

/// Draws indices. Immutable but for a batch counter; `sample` is for one thread at a time, const
/// members for any.
class Sampler {
 public:
  virtual ~Sampler() = default;

  virtual const SamplerInfo& info() const = 0;

  /// The spec string that makes this sampler again, every parameter written out.
  const std::string& spec() const { return spec_; }

  /// Fills `out` with indices drawn with replacement. O(1) per draw, no allocation, one virtual
  /// call. Throws InvalidArgument if the view is empty or impossible; then neither rng nor sampler
  /// has moved.
  void sample(const BufferView& view, Rng& rng, std::span<Index> out);

  /// The indices that these uniforms in [0, 1) lead to in the next batch: the inverse of the
  /// distribution function, in the order the sampler's file states. For tests, quasi-random
  /// sequences and tables.
  void invert(const BufferView& view, std::span<const double> uniforms, std::span<Index> out) const;

  /// The exact probabilities of indices first, first+1, ... into `out`.
  void probabilities(const BufferView& view, Index first, std::span<double> out,
                     Scope scope = Scope::cycle) const;

  /// The whole distribution by age, in as few segments as it has.
  AgeDistribution age_distribution(const BufferView& view) const;

  /// Mean age of a draw: in closed form where there is one, from the distribution otherwise.
  double mean_age(const BufferView& view) const;

  /// Entropy in nats over the sampler's cycle, where there is a closed form that is the same within
  /// a batch.
  std::optional<double> closed_entropy(const BufferView& view) const;

  /// Batches drawn so far: the only state there is. Set it to continue where a saved run stopped.
  std::uint64_t batches() const { return batches_; }
  void set_batches(std::uint64_t batches) { batches_ = batches; }

 protected:
  Sampler(std::string spec, bool stratified) : spec_(std::move(spec)), stratified_(stratified) {}

 private:
  // `words` holds 64 random bits per draw and receives the indices; with rng given it is filled
  // from that first.
  virtual void do_draw(const BufferView& view, std::uint64_t batch, Rng* rng,
                       std::span<Index> words) const = 0;
  virtual void do_invert(const BufferView& view, std::uint64_t batch,
                         std::span<const double> uniforms, std::span<Index> out) const = 0;
  virtual void do_probabilities(const BufferView& view, std::uint64_t batch, Index first,
                                std::span<double> out, Scope scope) const = 0;
  virtual AgeDistribution do_age_distribution(const BufferView& view) const = 0;
  virtual std::optional<double> do_mean_age(const BufferView& view) const = 0;
  virtual std::optional<double> do_entropy(const BufferView&) const { return std::nullopt; }
  friend class Mixture;

  std::string spec_;
  bool stratified_;
  std::uint64_t batches_ = 0;
};

/// The sampler that a spec string names. Throws NotFound for an unknown sampler or parameter (with
/// the known ones and the nearest), InvalidArgument for a malformed spec, a value out of range, or
/// a sampler that needs feedback.
std::unique_ptr<Sampler> make_sampler(std::string_view spec);

/// A sampler that needs feedback, with the priorities of a full buffer as they are at one moment
/// (for `per` |TD error| + eps), oldest first. Takes only views of that size. Samplers that need
/// no feedback ignore the priorities. Throws as make_sampler does, and InvalidArgument for a
/// priority that is negative or not finite, or if all are 0.
std::unique_ptr<Sampler> make_sampler(std::string_view spec, std::span<const float> priorities);

/// Every registered sampler, in the order of registry.def, those that need feedback included.
std::vector<const SamplerInfo*> registered_samplers();

/// The registered samplers that make_sampler(spec) makes: those that need no feedback.
std::vector<const SamplerInfo*> age_samplers();

/// What is registered for the sampler that a spec string names. Throws NotFound for an unknown
/// sampler (with the known ones and the nearest), InvalidArgument for a malformed spec.
const SamplerInfo& sampler_info(std::string_view spec);

}  // namespace mneme
