// samplers/uniform.cpp - every stored transition equally likely: p(i) = 1/n.
#include "samplers/kind.h"
#include "samplers/window_plan.h"

namespace mneme {
namespace {

struct Uniform {
  static constexpr std::string_view kName = "uniform";
  static constexpr std::string_view kSummary = "every stored transition equally likely";
  static constexpr std::array<ParamSpec, 0> kParams{};
  static constexpr std::array kExamples{std::string_view("uniform"),
                                        std::string_view("uniform:draws=stratified")};

  explicit Uniform(const Params&) {}

  WindowPlan plan(const BufferView& view) const { return {view.size, view.size}; }
};

}  // namespace

extern constinit const SamplerEntry uniform_entry = make_entry<Uniform>();
}  // namespace mneme
