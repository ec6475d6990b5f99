// samplers/truncated_geometric.cpp - p(i) proportional to 2^(alpha * i / (capacity - 1)): the
// paper's sampler.
//
// Among all distributions with the same mean age this one has the largest entropy.
// `anchor=capacity` (the paper) keeps the odds between neighbors fixed, so a part-filled buffer is
// sampled more evenly; `anchor=size` keeps the odds between newest and oldest fixed.
// `form=paper_literal` is the printed formula, which subtracts 1 after the floor: the newest
// transition is never drawn and the oldest gets the share of two (docs/errata.md, E1);
// `form=paper_float32` is that formula in single precision (E2). Both exist to compare with.
#include "base/text.h"
#include "mneme/error.h"
#include "samplers/float32_plan.h"
#include "samplers/geometric_plan.h"
#include "samplers/kind.h"

namespace mneme {
namespace {

// The printed index, floor(log1p(u * expm1(rate * n)) / rate) - 1, clipped to the buffer.
struct LiteralPlan {
  double rate, span, last;
  GeometricDistribution distribution;

  LiteralPlan(double rate_, Index size)
      : rate(rate_),
        span(detail::expm1_of(rate_ * static_cast<double>(size))),
        last(static_cast<double>(size - 1)),
        distribution(rate_, size, detail::expm1_of(-rate_ * static_cast<double>(size))) {}

  Index operator()(double u) const {  // in index order: u = 0 is the oldest
    const double printed = std::floor(detail::log1p_of(u * span) / rate) - 1.0;
    return detail::whole_to_int(std::min(std::max(printed, 0.0), last));
  }
  double p(Index i) const {
    if (last == 0) return 1;
    if (i == static_cast<Index>(last)) return 0;
    return distribution.p(i + 1) + (i == 0 ? distribution.p(0) : 0.0);
  }
};

struct TruncatedGeometric {
  static constexpr std::string_view kName = "truncated_geometric";
  static constexpr std::string_view kSummary =
      "recency-biased with full support, largest entropy at its mean age";
  static constexpr std::array kParams{
      ParamSpec{.name = "alpha",
                .fallback = 10,
                .lowest = 0,
                .highest = 1e4,
                .help = "log2 odds of the newest over the oldest in a full buffer"},
      ParamSpec{.name = "anchor",
                .fallback = 0,
                .lowest = 0,
                .highest = 1,
                .help = "what alpha spans: the capacity (as in the paper) or what is stored now",
                .choices = "capacity|size",
                .kind = ParamSpec::Kind::choice},
      ParamSpec{
          .name = "form",
          .fallback = 0,
          .lowest = 0,
          .highest = 2,
          .help = "exact, or the printed formula with its off-by-one, in double or in float32",
          .choices = "exact|paper_literal|paper_float32",
          .kind = ParamSpec::Kind::choice}};
  static constexpr std::array kExamples{
      std::string_view("truncated_geometric"),
      std::string_view("truncated_geometric:alpha=3,anchor=size"),
      std::string_view("truncated_geometric:alpha=0.5"),
      std::string_view("truncated_geometric:alpha=0"),
      std::string_view("truncated_geometric:alpha=1000"),
      std::string_view("truncated_geometric:alpha=4,form=paper_literal"),
      std::string_view("truncated_geometric:alpha=4,form=paper_float32"),
      std::string_view("truncated_geometric:draws=stratified")};

  using Plan = std::variant<SteepPlan, GentlePlan, WindowPlan, LiteralPlan, Float32Plan>;

  explicit TruncatedGeometric(const Params& params)
      : alpha_(params.at("alpha")),
        of_size_(params.chosen("anchor", "size")),
        literal_(params.chosen("form", "paper_literal")),
        float32_(params.chosen("form", "paper_float32")) {
    const double highest = literal_ ? 1000 : 100;  // beyond, 2^alpha overflows
    if ((literal_ || float32_) && (alpha_ > highest || alpha_ < 1e-3))
      throw InvalidArgument(concat("truncated_geometric: alpha is ", alpha_,
                                   "; the printed formula divides by alpha and "
                                   "overflows, so with form=",
                                   params.text("form"), " allowed: 0.001 to ", highest));
  }

  Plan plan(const BufferView& view) const {
    if (literal_) return LiteralPlan(rate(view), view.size);
    if (float32_) return Float32Plan(alpha_, of_size_ ? view.size : view.capacity, view.size);
    return std::visit([](const auto& plan) -> Plan { return plan; },
                      geometric_plan(rate(view), view.size));
  }

  std::optional<double> mean_age(const BufferView& view) const {
    if (literal_ || float32_) return std::nullopt;
    return geometric_mean_age(rate(view), view.size);
  }
  std::optional<double> entropy(const BufferView& view) const {
    if (literal_ || float32_) return std::nullopt;
    return geometric_entropy(rate(view), view.size);
  }

 private:
  double rate(const BufferView& view) const {
    return geometric_rate(alpha_, of_size_ ? view.size : view.capacity);
  }

  double alpha_;
  bool of_size_, literal_, float32_;
};

}  // namespace

extern constinit const SamplerEntry truncated_geometric_entry = make_entry<TruncatedGeometric>();
}  // namespace mneme
