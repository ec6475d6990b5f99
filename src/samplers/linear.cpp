// samplers/linear.cpp - p(i) grows linearly with the index: newest `ratio` times as likely as
// oldest.
//
// The paper draws it for a full buffer only. Here the ratio spans what is stored (anchor=size), so
// the shape is the same from the first step; anchor=capacity keeps the slope fixed instead.
#include "samplers/kind.h"
#include "samplers/linear_plan.h"

namespace mneme {
namespace {

struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr std::string_view kSummary = "probability grows linearly towards the newest";
  static constexpr std::array kParams{
      ParamSpec{.name = "ratio",
                .fallback = 1024,
                .lowest = 1,
                .highest = 1e9,
                .help = "probability of the newest over that of the oldest"},
      ParamSpec{.name = "anchor",
                .fallback = 1,
                .lowest = 0,
                .highest = 1,
                .help = "what the ratio spans: the capacity or what is stored now",
                .choices = "capacity|size",
                .kind = ParamSpec::Kind::choice}};
  static constexpr std::array kExamples{
      std::string_view("linear"), std::string_view("linear:ratio=3"),
      std::string_view("linear:ratio=1"), std::string_view("linear:ratio=100,anchor=capacity")};

  explicit Linear(const Params& params)
      : ratio_(params.at("ratio")), of_size_(params.chosen("anchor", "size")) {}

  LinearPlan plan(const BufferView& view) const {
    return {ratio_, of_size_ ? view.size : view.capacity, view.size};
  }

  double mean_age(const BufferView& view) const {
    return static_cast<double>(view.size - 1) - plan(view).mean_index();
  }

  std::optional<double> entropy(const BufferView& view) const { return plan(view).entropy(); }

 private:
  double ratio_;
  bool of_size_;
};

}  // namespace

extern constinit const SamplerEntry linear_entry = make_entry<Linear>();
}  // namespace mneme
