// samplers/kind.h - what the source file of a sampler declares, and the adapter that does the rest.
//
// A sampler kind S is a plain class:
//   static constexpr std::string_view kName, kSummary;
//   static constexpr std::array kParams{ParamSpec{...}, ...};    or std::array<ParamSpec, 0>
//   static constexpr std::array kExamples{std::string_view("name:..."), ...};
//   explicit S(const Params&);
//   Plan plan(const BufferView&) const;          or plan(view, batch number) for samplers that
//                                                change from batch to batch
// A plan holds what is constant within a batch. plan(u) is the inverse distribution function,
// plan.p(i) the exact probability. plan() may return a std::variant of plans; the alternative is
// looked up once per batch.
//
// Optional, found with `requires`:
//   plan.segments()               the distribution as segments, newest first, for plans made of
//                                 constant stretches
//   plan.map(words, count)        plan(u) for a whole block of random words at once, where that is
//                                 faster
//   kind.age_distribution(view)   the distribution of a cycle, for kinds whose plan depends on the
//                                 batch number
//   kind.mean_age(view), kind.entropy(view)      closed forms
//
// plan(u) runs inside a vectorized loop: keep it free of branches and of library calls
// (base/elementary.h has log).
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <variant>

#include "base/cpu.h"
#include "base/elementary.h"
#include "base/sampler_spec.h"
#include "mneme/sampler.h"

namespace mneme {

template <class P>
concept BatchPlan = requires(const P& plan, double u, Index i) {
  { plan(u) } -> std::same_as<Index>;
  { plan.p(i) } -> std::same_as<double>;
};

/// What registry.def collects: how to describe and to make one kind.
struct SamplerEntry {
  SamplerInfo info;
  std::unique_ptr<Sampler> (*make)(const Params& params);
};

/// Draws are made in blocks of this many, which stay in the first-level cache between generator and
/// plan.
inline constexpr std::size_t kBlock = 512;

namespace detail {

/// Distributions with more ages than this are given in runs of several, at the probability in their
/// middle.
inline constexpr Index kLongestList = Index{1} << 21;

// One source, compiled for the baseline and for AVX2; `words` holds random bits and receives
// indices.
template <BatchPlan P>
inline void map_words(const P& shared, Index* words, std::size_t count) {
  // A copy of its own: the compiler must not fear that writing `words` changes the plan.
  const P plan = shared;  // NOLINT(performance-unnecessary-copy-initialization): see above
  if constexpr (requires { plan.map(words, count); }) {
    plan.map(words, count);
  } else {
    for (std::size_t k = 0; k < count; ++k)
      words[k] = plan(unit_of(static_cast<std::uint64_t>(words[k])));
  }
}
template <BatchPlan P>
MNEME_AVX2 void map_words_avx2(const P& shared, Index* words, std::size_t count) {
  map_words(shared, words, count);
}

template <class P>
struct is_variant : std::false_type {};
template <class... P>
struct is_variant<std::variant<P...>> : std::true_type {};

/// Calls use(plan), or use(the plan inside the variant).
template <class P, class Use>
decltype(auto) with_plan(const P& plan, Use&& use) {
  if constexpr (is_variant<P>::value) {
    return std::visit(use, plan);
  } else {
    return use(plan);
  }
}

/// The distribution of one plan: its own segments, or its probabilities one by one (in stretches,
/// for very large buffers).
template <BatchPlan P>
AgeDistribution distribution_of_plan(const P& plan, Index size) {
  AgeDistribution distribution;
  if constexpr (requires { plan.segments(); }) {
    distribution.segments = plan.segments();
  } else {
    const Index stride = (size + kLongestList - 1) / kLongestList;
    distribution.exact = stride == 1;
    distribution.segments.reserve(static_cast<std::size_t>((size + stride - 1) / stride));
    for (Index age = 0; age < size; age += stride) {
      const Index length = std::min(stride, size - age);
      distribution.segments.push_back({length, plan.p(size - 1 - (age + (length - 1) / 2))});
    }
  }
  return distribution;
}

}  // namespace detail

template <class S>
class SamplerOf final : public Sampler {
 public:
  static constexpr SamplerInfo kInfo{S::kName, S::kSummary, S::kParams, S::kExamples};

  explicit SamplerOf(const Params& params)
      : Sampler(params.canonical(), params.chosen("draws", "stratified")), kind_(params) {}

  const SamplerInfo& info() const override { return kInfo; }

 private:
  auto plan(const BufferView& view, std::uint64_t batch) const {
    if constexpr (requires { kind_.plan(view, batch); }) {
      return kind_.plan(view, batch);
    } else {
      return kind_.plan(view);
    }
  }

  void do_draw(const BufferView& view, std::uint64_t batch, Rng* rng,
               std::span<Index> words) const override {
    detail::with_plan(plan(view, batch), [&](const BatchPlan auto& plan) {
      const bool avx2 = detail::use_avx2();
      for (std::size_t done = 0; done < words.size(); done += kBlock) {
        const std::size_t count = std::min(kBlock, words.size() - done);
        Index* block = words.data() + done;
        if (rng != nullptr) rng->fill_words({reinterpret_cast<std::uint64_t*>(block), count});
        avx2 ? detail::map_words_avx2(plan, block, count) : detail::map_words(plan, block, count);
      }
    });
  }

  void do_invert(const BufferView& view, std::uint64_t batch, std::span<const double> uniforms,
                 std::span<Index> out) const override {
    detail::with_plan(plan(view, batch), [&](const BatchPlan auto& plan) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = plan(uniforms[k]);
    });
  }

  void do_probabilities(const BufferView& view, std::uint64_t batch, Index first,
                        std::span<double> out, Scope scope) const override {
    if constexpr (requires { kind_.age_distribution(view); }) {
      if (scope == Scope::cycle)
        return read_segments(kind_.age_distribution(view), view.size, first, out);
    }
    detail::with_plan(plan(view, batch), [&](const BatchPlan auto& plan) {
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = plan.p(first + static_cast<Index>(k));
    });
  }

  AgeDistribution do_age_distribution(const BufferView& view) const override {
    if constexpr (requires { kind_.age_distribution(view); }) {
      return kind_.age_distribution(view);
    } else {
      AgeDistribution distribution =
          detail::with_plan(kind_.plan(view), [&](const BatchPlan auto& plan) {
            return detail::distribution_of_plan(plan, view.size);
          });
      distribution.mean_age = do_mean_age(view);
      distribution.entropy = do_entropy(view);
      return distribution;
    }
  }

  std::optional<double> do_mean_age(const BufferView& view) const override {
    if constexpr (requires { kind_.mean_age(view); }) {
      return kind_.mean_age(view);
    } else {
      return std::nullopt;
    }
  }

  std::optional<double> do_entropy(const BufferView& view) const override {
    if constexpr (requires { kind_.entropy(view); }) {
      return kind_.entropy(view);
    } else {
      return std::nullopt;
    }
  }

  // Probabilities of indices first.. out of segments that count in age, that is from the other end.
  static void read_segments(const AgeDistribution& distribution, Index size, Index first,
                            std::span<double> out) {
    Index age = 0;
    for (const Segment& segment : distribution.segments) {
      const Index newest = size - 1 - age,
                  past_oldest = newest - segment.length;  // indices (past_oldest, newest]
      const Index from = std::max(past_oldest + 1, first);
      const Index to = std::min(newest, first + static_cast<Index>(out.size()) - 1);
      for (Index i = from; i <= to; ++i)
        out[static_cast<std::size_t>(i - first)] = segment.probability;
      age += segment.length;
    }
  }

  S kind_;
};

template <class S>
constexpr SamplerEntry make_entry() {
  return {SamplerOf<S>::kInfo, [](const Params& params) -> std::unique_ptr<Sampler> {
            return std::make_unique<SamplerOf<S>>(params);
          }};
}

}  // namespace mneme
