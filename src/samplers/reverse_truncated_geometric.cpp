// samplers/reverse_truncated_geometric.cpp - the truncated geometric distribution with oldest and
// newest exchanged.
//
// An ablation of the paper: as concentrated as truncated_geometric, on the wrong end.
#include "samplers/geometric_plan.h"
#include "samplers/kind.h"
#include "samplers/reversed_plan.h"

namespace mneme {
namespace {

struct ReverseTruncatedGeometric {
  static constexpr std::string_view kName = "reverse_truncated_geometric";
  static constexpr std::string_view kSummary =
      "truncated_geometric with oldest and newest exchanged";
  static constexpr std::array kParams{
      ParamSpec{.name = "alpha",
                .fallback = 10,
                .lowest = 0,
                .highest = 1e4,
                .help = "log2 odds of the oldest over the newest in a full buffer"},
      ParamSpec{.name = "anchor",
                .fallback = 0,
                .lowest = 0,
                .highest = 1,
                .help = "what alpha spans: the capacity or what is stored now",
                .choices = "capacity|size",
                .kind = ParamSpec::Kind::choice}};
  static constexpr std::array kExamples{
      std::string_view("reverse_truncated_geometric"),
      std::string_view("reverse_truncated_geometric:alpha=3,anchor=size")};

  using Plan =
      std::variant<ReversedPlan<SteepPlan>, ReversedPlan<GentlePlan>, ReversedPlan<WindowPlan>>;

  explicit ReverseTruncatedGeometric(const Params& params)
      : alpha_(params.at("alpha")), of_size_(params.chosen("anchor", "size")) {}

  Plan plan(const BufferView& view) const {
    return std::visit(
        [&](const auto& plan) -> Plan {
          return ReversedPlan<std::decay_t<decltype(plan)>>{plan, view.size - 1};
        },
        geometric_plan(rate(view), view.size));
  }

  double mean_age(const BufferView& view) const {
    return static_cast<double>(view.size - 1) - geometric_mean_age(rate(view), view.size);
  }
  double entropy(const BufferView& view) const { return geometric_entropy(rate(view), view.size); }

 private:
  double rate(const BufferView& view) const {
    return geometric_rate(alpha_, of_size_ ? view.size : view.capacity);
  }

  double alpha_;
  bool of_size_;
};

}  // namespace

extern constinit const SamplerEntry reverse_truncated_geometric_entry =
    make_entry<ReverseTruncatedGeometric>();
}  // namespace mneme
