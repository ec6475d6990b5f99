// samplers/mix.cpp - `mix`: with probability eps from sampler b, else from sampler a.
//
// One uniform decides both: the lowest eps of the unit interval belongs to b, the rest to a, each
// stretched back to [0, 1). Mixing a little uniform into a sharp sampler bounds the importance
// ratio against uniform by 1/eps.
#include "mneme/error.h"
#include "samplers/kind.h"

namespace mneme {

class Mixture final : public Sampler {
 public:
  static constexpr std::string_view kName = "mix";
  static constexpr std::string_view kSummary = "two samplers: b with probability eps, else a";
  static constexpr std::array kParams{
      ParamSpec{.name = "eps",
                .fallback = 0.1,
                .lowest = 0,
                .highest = 1,
                .help = "share of the batch drawn from b"},
      ParamSpec{.name = "a",
                .fallback = 0,
                .lowest = 0,
                .highest = 0,
                .help = "the main sampler, in parentheses if it has parameters",
                .choices = "truncated_geometric",
                .kind = ParamSpec::Kind::sampler},
      ParamSpec{.name = "b",
                .fallback = 0,
                .lowest = 0,
                .highest = 0,
                .help = "the sampler mixed in, in parentheses if it has parameters",
                .choices = "uniform",
                .kind = ParamSpec::Kind::sampler}};
  static constexpr std::array kExamples{
      std::string_view("mix"),
      std::string_view("mix:eps=0.3,a=(linear:ratio=8),b=(ere:cycle=5,minimum=3)"),
      std::string_view("mix:eps=0,a=(truncated_geometric:alpha=2)"),
      std::string_view("mix:eps=1,b=(uniform_fifo:window=9)")};
  static constexpr SamplerInfo kInfo{kName, kSummary, kParams, kExamples};

  explicit Mixture(const Params& params)
      : Sampler(params.canonical(), params.chosen("draws", "stratified")),
        eps_(params.at("eps")),
        stretch_a_(eps_ < 1 ? 1 / (1 - eps_) : 0),
        stretch_b_(eps_ > 0 ? 1 / eps_ : 0),
        a_(make_sampler(params.text("a"))),
        b_(make_sampler(params.text("b"))) {
    if (a_->stratified_ || b_->stratified_)
      throw InvalidArgument("mix: set draws=stratified on the mixture, not on its parts");
  }

  const SamplerInfo& info() const override { return kInfo; }

 private:
  // The lowest eps of [0, 1) belongs to b, the rest to a. The place of u within a part; 0 or nearly
  // 1 if it lies outside.
  bool from_b(double u) const { return u < eps_; }
  double place_in_b(double u) const { return std::min(u * stretch_b_, 1 - 0x1p-53); }
  double place_in_a(double u) const {
    return std::min(std::max(u - eps_, 0.0) * stretch_a_, 1 - 0x1p-53);
  }

  // 53 bits at the top of a word: to a signed number, which is quicker, then shifted as an unsigned
  // one, which wraps.
  static Index word_of(double place) {
    return static_cast<Index>(static_cast<std::uint64_t>(static_cast<Index>(place * 0x1p53)) << 11);
  }

  void do_draw(const BufferView& view, std::uint64_t batch, Rng* rng,
               std::span<Index> words) const override {
    // The larger part draws the whole block in place, the smaller one its own draws aside, which
    // are then put where they belong.
    const bool b_is_smaller = eps_ <= 0.5;
    const Sampler& larger = b_is_smaller ? *a_ : *b_;
    const Sampler& smaller = b_is_smaller ? *b_ : *a_;
    std::array<Index, kBlock + 1> aside;
    std::array<std::uint32_t, kBlock + 1> where;
    for (std::size_t done = 0; done < words.size(); done += kBlock) {
      const std::span<Index> block = words.subspan(done, std::min(kBlock, words.size() - done));
      if (rng != nullptr)
        rng->fill_words({reinterpret_cast<std::uint64_t*>(block.data()), block.size()});
      std::size_t count = 0;
      for (std::size_t k = 0; k < block.size(); ++k) {
        const double u = detail::unit_of(static_cast<std::uint64_t>(block[k]));
        const double in_a = place_in_a(u), in_b = place_in_b(u);
        block[k] = word_of(b_is_smaller ? in_a : in_b);
        aside[count] = word_of(b_is_smaller ? in_b : in_a);
        where[count] = static_cast<std::uint32_t>(k);
        count += from_b(u) == b_is_smaller ? 1 : 0;
      }
      larger.do_draw(view, batch, nullptr, block);
      if (count > 0) smaller.do_draw(view, batch, nullptr, std::span(aside).first(count));
      for (std::size_t k = 0; k < count; ++k) block[where[k]] = aside[k];
    }
  }

  void do_invert(const BufferView& view, std::uint64_t batch, std::span<const double> uniforms,
                 std::span<Index> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool b = from_b(uniforms[k]);
      const double u = b ? place_in_b(uniforms[k]) : place_in_a(uniforms[k]);
      (b ? b_ : a_)->do_invert(view, batch, {&u, 1}, out.subspan(k, 1));
    }
  }

  void do_probabilities(const BufferView& view, std::uint64_t batch, Index first,
                        std::span<double> out, Scope scope) const override {
    std::vector<double> other(out.size());
    a_->do_probabilities(view, batch, first, out, scope);
    b_->do_probabilities(view, batch, first, other, scope);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = (1 - eps_) * out[k] + eps_ * other[k];
  }

  std::optional<double> do_mean_age(const BufferView& view) const override {
    return (1 - eps_) * a_->mean_age(view) + eps_ * b_->mean_age(view);
  }

  AgeDistribution do_age_distribution(const BufferView& view) const override {
    const AgeDistribution a = a_->do_age_distribution(view), b = b_->do_age_distribution(view);
    AgeDistribution distribution;
    distribution.exact = a.exact && b.exact;
    // Cut both lists at every end of a run of either.
    std::size_t i = 0, j = 0;
    Index left_a = a.segments[0].length, left_b = b.segments[0].length;
    for (Index covered = 0; covered < view.size;) {
      const Index length = std::min(left_a, left_b);
      distribution.segments.push_back(
          {length, (1 - eps_) * a.segments[i].probability + eps_ * b.segments[j].probability});
      covered += length;
      left_a -= length;
      left_b -= length;
      if (left_a == 0 && i + 1 < a.segments.size()) left_a = a.segments[++i].length;
      if (left_b == 0 && j + 1 < b.segments.size()) left_b = b.segments[++j].length;
    }
    // Mixed with a cyclic sampler, the entropy within a batch has no simple form: say so rather
    // than guess.
    if (a.conditional_entropy || b.conditional_entropy)
      distribution.conditional_entropy = std::nan("");
    distribution.mean_age = do_mean_age(view);
    return distribution;
  }

  double eps_, stretch_a_, stretch_b_;
  std::unique_ptr<Sampler> a_, b_;
};

extern constinit const SamplerEntry mix_entry = {
    Mixture::kInfo, [](const Params& params) -> std::unique_ptr<Sampler> {
      return std::make_unique<Mixture>(params);
    }};

}  // namespace mneme
