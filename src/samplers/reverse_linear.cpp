// samplers/reverse_linear.cpp - p(i) falls linearly with the index: oldest `ratio` times as likely
// as newest.
//
// An ablation of the paper: linear with oldest and newest exchanged.
#include "samplers/kind.h"
#include "samplers/linear_plan.h"
#include "samplers/reversed_plan.h"

namespace mneme {
namespace {

struct ReverseLinear {
  static constexpr std::string_view kName = "reverse_linear";
  static constexpr std::string_view kSummary = "linear with oldest and newest exchanged";
  static constexpr std::array kParams{
      ParamSpec{.name = "ratio",
                .fallback = 1024,
                .lowest = 1,
                .highest = 1e9,
                .help = "probability of the oldest over that of the newest"}};
  static constexpr std::array kExamples{std::string_view("reverse_linear"),
                                        std::string_view("reverse_linear:ratio=3")};

  explicit ReverseLinear(const Params& params) : ratio_(params.at("ratio")) {}

  ReversedPlan<LinearPlan> plan(const BufferView& view) const {
    return {LinearPlan(ratio_, view.size, view.size), view.size - 1};
  }

  double mean_age(const BufferView& view) const { return plan(view).plan.mean_index(); }

  std::optional<double> entropy(const BufferView& view) const { return plan(view).plan.entropy(); }

 private:
  double ratio_;
};

}  // namespace

extern constinit const SamplerEntry reverse_linear_entry = make_entry<ReverseLinear>();
}  // namespace mneme
