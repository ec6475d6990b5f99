// samplers/ere.cpp - Emphasizing Recent Experience (Wang and Ross 2019): a window that shrinks over
// a cycle of updates.
//
// Update k of a cycle of K draws its whole batch uniformly from the newest
//   c_k = min(n, max(floor(M * eta^(L k / K)), minimum)),
// M the number of stored transitions, L = `span`. The paper prints min where every source has max
// (E3). Within a batch the distribution is a window; over a cycle it is the mixture of all windows,
// and it matters which one an entropy means (E4). Only the product L ln(eta) matters: eta^L is the
// last window's share.
#include <numeric>

#include "samplers/kind.h"
#include "samplers/window_plan.h"

namespace mneme {
namespace {

struct Ere {
  static constexpr std::string_view kName = "ere";
  static constexpr std::string_view kSummary =
      "uniform over a recent window that shrinks over a cycle of updates";
  static constexpr std::array kParams{
      ParamSpec{.name = "eta",
                .fallback = 0.996,
                .lowest = 1e-6,
                .highest = 1,
                .help = "shrinking rate; the last window of a cycle holds the share eta^span"},
      ParamSpec{.name = "cycle",
                .fallback = 1000,
                .lowest = 1,
                .highest = 1e6,
                .help = "updates in a cycle, K",
                .kind = ParamSpec::Kind::whole},
      ParamSpec{.name = "span",
                .fallback = 1000,
                .lowest = 0,
                .highest = 1e6,
                .help = "exponent at the cycle's end, L"},
      ParamSpec{.name = "minimum",
                .fallback = 0.005,
                .lowest = 1e-12,
                .highest = 1e15,
                .help = "smallest window, c_min, in transitions; below 1, a share of the capacity"},
      ParamSpec{.name = "first",
                .fallback = 1,
                .lowest = 0,
                .highest = 1,
                .help = "k of a cycle's first update: 1 (k = 1..K) or 0 (k = 0..K-1)",
                .kind = ParamSpec::Kind::whole},
      ParamSpec{.name = "of",
                .fallback = 0,
                .lowest = 0,
                .highest = 1,
                .help = "what the window is a share of, M",
                .choices = "size|capacity",
                .kind = ParamSpec::Kind::choice},
      ParamSpec{.name = "order",
                .fallback = 0,
                .lowest = 0,
                .highest = 2,
                .help = "large windows first, small ones first, or a random k for every batch",
                .choices = "old_first|new_first|random",
                .kind = ParamSpec::Kind::choice},
      ParamSpec{.name = "eta_end",
                .fallback = 0,
                .lowest = 0,
                .highest = 1,
                .help = "eta at the end of the run, reached linearly; 0 keeps eta constant"}};
  static constexpr std::array kExamples{
      std::string_view("ere"), std::string_view("ere:eta=0.997,cycle=7,minimum=3"),
      std::string_view("ere:eta=0.998,cycle=4,minimum=2,first=0,of=capacity,order=new_first")};

  explicit Ere(const Params& params)
      : eta_(params.at("eta")),
        eta_end_(params.at("eta_end")),
        span_(params.at("span")),
        minimum_(params.at("minimum")),
        cycle_(static_cast<std::uint64_t>(params.whole("cycle"))),
        first_(static_cast<std::uint64_t>(params.whole("first"))),
        of_capacity_(params.chosen("of", "capacity")),
        new_first_(params.chosen("order", "new_first")),
        random_(params.chosen("order", "random")) {}

  WindowPlan plan(const BufferView& view, std::uint64_t batch) const {
    // A random k has to be the same when a run is repeated or resumed: it is a function of the
    // batch number.
    std::uint64_t step = random_ ? Rng(batch, kPurpose).below(cycle_) : batch % cycle_;
    if (new_first_) step = cycle_ - 1 - step;
    return {view.size, window(view, log_eta(view), step + first_)};
  }

  double mean_age(const BufferView& view) const {
    const double log_eta_now = log_eta(view);
    double sum = 0;
    for (std::uint64_t step = 0; step < cycle_; ++step)
      sum += static_cast<double>(window(view, log_eta_now, step + first_) - 1);
    return sum / (2 * static_cast<double>(cycle_));
  }

  /// The mixture of all windows of a cycle, in O(K log K).
  AgeDistribution age_distribution(const BufferView& view) const {
    const double log_eta_now = log_eta(view), share = 1.0 / static_cast<double>(cycle_);
    std::vector<Index> windows(cycle_);
    for (std::uint64_t step = 0; step < cycle_; ++step)
      windows[step] = window(view, log_eta_now, step + first_);
    std::sort(windows.begin(), windows.end());

    // An age below the smallest window is in all of them; then they drop out one by one. Summed
    // from the far end.
    std::vector<double> density(windows.size());
    double sum = 0, conditional = 0;
    for (std::size_t j = windows.size(); j-- > 0;) {
      const auto count = static_cast<double>(windows[j]);
      density[j] = sum += share / count;
      conditional += share * detail::log_of(count);
    }
    AgeDistribution distribution;
    Index covered = 0;
    for (std::size_t j = 0; j < windows.size(); ++j) {
      if (windows[j] > covered) distribution.segments.push_back({windows[j] - covered, density[j]});
      covered = std::max(covered, windows[j]);
    }
    if (covered < view.size) distribution.segments.push_back({view.size - covered, 0.0});
    distribution.mean_age = mean_age(view);
    distribution.conditional_entropy = conditional;
    return distribution;
  }

 private:
  static constexpr std::uint32_t kPurpose = 0x657265;  // "ere"

  double log_eta(const BufferView& view) const {
    return detail::log_of(eta_end_ == 0 ? eta_ : eta_ + (eta_end_ - eta_) * view.progress);
  }

  Index window(const BufferView& view, double log_eta_now, std::uint64_t k) const {
    const double whole = static_cast<double>(of_capacity_ ? view.capacity : view.size);
    const double share =
        detail::exp_of(span_ * log_eta_now * static_cast<double>(k) / static_cast<double>(cycle_));
    const Index smallest = window_count(minimum_, view.capacity, view.size);
    return std::min(view.size, std::max(static_cast<Index>(std::floor(whole * share)), smallest));
  }

  double eta_, eta_end_, span_, minimum_;
  std::uint64_t cycle_, first_;
  bool of_capacity_, new_first_, random_;
};

}  // namespace

extern constinit const SamplerEntry ere_entry = make_entry<Ere>();
}  // namespace mneme
