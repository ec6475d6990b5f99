// samplers/uniform_fifo.cpp - uniform over the newest W transitions, as if the buffer were that
// small.
//
// The same distribution as a ring of capacity W, without throwing the rest away. While n <= W it is
// uniform.
#include "samplers/kind.h"
#include "samplers/window_plan.h"

namespace mneme {
namespace {

struct UniformFifo {
  static constexpr std::string_view kName = "uniform_fifo";
  static constexpr std::string_view kSummary = "uniform over the newest W transitions";
  static constexpr std::array kParams{
      ParamSpec{
          .name = "window",
          .fallback =
              0.2866,  // as recent on average as truncated_geometric:alpha=10 in a full buffer
          .lowest = 1e-12,
          .highest = 1e15,
          .help = "transitions in the window; below 1, their share of the capacity (or size, see "
                  "anchor)"},
      ParamSpec{.name = "anchor",
                .fallback = 0,
                .lowest = 0,
                .highest = 1,
                .help = "what a window below 1 is a share of",
                .choices = "capacity|size",
                .kind = ParamSpec::Kind::choice}};
  static constexpr std::array kExamples{std::string_view("uniform_fifo"),
                                        std::string_view("uniform_fifo:window=7"),
                                        std::string_view("uniform_fifo:window=0.5,anchor=size")};

  explicit UniformFifo(const Params& params)
      : window_(params.at("window")), of_size_(params.chosen("anchor", "size")) {}

  WindowPlan plan(const BufferView& view) const {
    return {view.size, window_count(window_, of_size_ ? view.size : view.capacity, view.size)};
  }

 private:
  double window_;
  bool of_size_;
};

}  // namespace

extern constinit const SamplerEntry uniform_fifo_entry = make_entry<UniformFifo>();
}  // namespace mneme
