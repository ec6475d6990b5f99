// diagnostics/frontier.cpp - solving for the parameter that gives a sampler a wanted expected
// recency.
//
// alpha by Newton's method on the closed form of the mean age, the window in closed form,
// everything else by bisection on the exact expected recency of the sampler itself.
#include "mneme/frontier.h"

#include <algorithm>
#include <cmath>

#include "base/elementary.h"
#include "base/text.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"
#include "samplers/geometric_plan.h"

namespace mneme {
namespace {

void check(double recency, Index capacity) {
  if (!(recency > 0 && recency < 1))
    throw InvalidArgument(
        concat("expected recency is ", recency, "; allowed: above 0 and below 1"));
  if (capacity < 2 || capacity > kMaxCapacity)
    throw InvalidArgument(concat("the capacity is ", capacity, "; allowed: 2 to ", kMaxCapacity));
}

std::string ere_spec(double eta, const EreSetting& setting) {
  return concat("ere:eta=", shortest_number(eta), ",cycle=", setting.cycle,
                ",span=", shortest_number(setting.span),
                ",minimum=", shortest_number(setting.minimum));
}

// Throws InvalidArgument where the setting itself is impossible, as against a recency that it
// cannot reach.
void check(const EreSetting& setting) { make_sampler(ere_spec(1, setting)); }

double recency_of(const std::string& spec, Index capacity) {
  return expected_recency(*make_sampler(spec), {.size = capacity, .capacity = capacity});
}

// x in [low, high] with f(x) = target to within `tolerance`, for monotone f: false position with
// the Illinois rule, which halves the weight of an end that does not move. Steps of f (windows are
// whole numbers) end it as well.
template <class F>
double solve(const F& f, double target, double low, double high, double tolerance = 1e-13) {
  double at_low = f(low) - target, at_high = f(high) - target;
  int side = 0;
  for (int k = 0; k < 200; ++k) {
    const double x = (low * at_high - high * at_low) / (at_high - at_low), y = f(x) - target;
    if (std::abs(y) <= tolerance || high - low <= 1e-15 * std::abs(high)) return x;
    if ((y > 0) == (at_high > 0)) {
      high = x;
      at_high = y;
      at_low = side == 1 ? at_low / 2 : at_low;
      side = 1;
    } else {
      low = x;
      at_low = y;
      at_high = side == -1 ? at_high / 2 : at_high;
      side = -1;
    }
  }
  return (low + high) / 2;
}

Match describe(std::string family, std::string parameter, double value, std::string spec,
               Index capacity) {
  const auto sampler = make_sampler(spec);
  const Diagnosis d = inspect(*sampler, {.size = capacity, .capacity = capacity});
  return {std::move(family),
          std::move(parameter),
          true,
          "",
          value,
          std::move(spec),
          d.expected_recency,
          d.sampling_entropy,
          d.conditional_entropy,
          d.collision_entropy};
}

Match unreachable(std::string family, std::string parameter, std::string reason) {
  return {std::move(family), std::move(parameter), false, std::move(reason), 0, "", 0, 0, 0, 0};
}

Match match_linear(double recency, Index capacity) {
  const bool reversed = recency < 0.5;
  const std::string family = reversed ? "reverse_linear" : "linear";
  const auto at = [&](double log_ratio) {
    return recency_of(concat(family, ":ratio=", shortest_number(std::exp2(log_ratio))), capacity);
  };
  constexpr double kLargest = 29;
  const double best = at(kLargest);
  if (reversed ? recency < best : recency > best) {
    return unreachable(
        family, "ratio",
        concat("linear distributions stay between expected recency 1/3 and 2/3; this is ",
               recency));
  }
  const double ratio = std::exp2(solve(at, recency, 0, kLargest));
  return describe(family, "ratio", ratio, concat(family, ":ratio=", shortest_number(ratio)),
                  capacity);
}

Match match_stretched(double recency, double shape, Index capacity) {
  const auto spec = [&](double log_scale) {
    return concat("stretched_exponential:scale=", shortest_number(std::exp2(log_scale)),
                  ",shape=", shape);
  };
  if (recency <= 0.5)
    return unreachable("stretched_exponential", "scale",
                       "it favors the newest: expected recency above 1/2");
  const auto at = [&](double log_scale) { return recency_of(spec(log_scale), capacity); };
  constexpr double kSmallest = -29, kLargest = 19;
  if (at(kSmallest) < recency || at(kLargest) > recency)
    return unreachable("stretched_exponential", "scale",
                       concat("no scale gives ", recency, " with shape ", shape));
  const double solution = solve(at, recency, kSmallest, kLargest);
  return describe("stretched_exponential", "scale", std::exp2(solution), spec(solution), capacity);
}

}  // namespace

double alpha_for_recency(double recency, Index capacity) {
  check(recency, capacity);
  if (recency < 0.5) return -alpha_for_recency(1 - recency, capacity);
  const auto n = static_cast<double>(capacity);
  const double age = (1 - recency) * (n - 1);
  // Newton on E[age](rate), whose derivative is minus the variance; convex, so it approaches from
  // one side.
  double rate =
      recency > 0.6 ? 1 / std::max(age, 1e-9) : 12 * (recency - 0.5) * (n - 1) / (n * n - 1);
  for (int k = 0; k < 200; ++k) {
    const double off = geometric_mean_age(rate, capacity) - age;
    double next = rate + off / geometric_age_variance(rate, capacity);
    if (!(next > 0)) next = rate / 2;
    if (std::abs(next - rate) <= 1e-16 * rate) break;
    rate = next;
  }
  return rate * (n - 1) / detail::kLn2;
}

double window_for_recency(double recency, Index capacity) {
  check(recency, capacity);
  if (recency < 0.5)
    throw InvalidArgument(
        concat("a window of the newest has an expected recency of 1/2 or more, not ", recency));
  return 1 + 2 * (1 - recency) * static_cast<double>(capacity - 1);
}

double eta_for_recency(double recency, Index capacity, const EreSetting& setting) {
  check(recency, capacity);
  // By the logarithm of the rate of shrinking, from hardly any (uniform) to windows at their
  // minimum all the time.
  const auto eta_at = [](double x) { return std::exp(-std::exp2(x)); };
  const auto at = [&](double x) { return recency_of(ere_spec(eta_at(x), setting), capacity); };
  constexpr double kSlowest = -40, kFastest = 3.7;
  const double least = at(kSlowest), most = at(kFastest);
  if (recency < least || recency > most)
    throw InvalidArgument(concat("ERE with a minimum window of ", setting.minimum,
                                 " has expected recencies from ", least, " to ", most, ", not ",
                                 recency));
  // One window one transition longer moves the recency by 1 / (2 cycle (capacity - 1)): no use in
  // looking closer.
  const double step =
      1 / (2 * static_cast<double>(setting.cycle) * static_cast<double>(capacity - 1));
  return eta_at(solve(at, recency, kSlowest, kFastest, step));
}

std::vector<Match> match(double recency, Index capacity, const EreSetting& setting) {
  check(recency, capacity);
  check(setting);
  std::vector<Match> matches;
  const double alpha = alpha_for_recency(recency, capacity);
  const std::string geometric = alpha < 0 ? "reverse_truncated_geometric" : "truncated_geometric";
  try {
    matches.push_back(describe(geometric, "alpha", std::abs(alpha),
                               concat(geometric, ":alpha=", shortest_number(std::abs(alpha))),
                               capacity));
  } catch (const InvalidArgument& error) {  // an alpha beyond what samplers take
    matches.push_back(unreachable(geometric, "alpha", error.what()));
  }
  if (recency < 0.5) {
    matches.push_back(unreachable("uniform_fifo", "window",
                                  "it favors the newest: expected recency of 1/2 or more"));
    matches.push_back(
        unreachable("ere", "eta", "it favors the newest: expected recency of 1/2 or more"));
  } else {
    const double window = window_for_recency(recency, capacity);
    matches.push_back(describe("uniform_fifo", "window", window,
                               concat("uniform_fifo:window=", std::llround(std::max(1.0, window))),
                               capacity));
    try {
      const double eta = eta_for_recency(recency, capacity, setting);
      matches.push_back(describe("ere", "eta", eta, ere_spec(eta, setting), capacity));
    } catch (const InvalidArgument& error) {
      matches.push_back(unreachable("ere", "eta", error.what()));
    }
  }
  matches.push_back(match_linear(recency, capacity));
  for (const double shape : {0.5, 2.0})
    matches.push_back(match_stretched(recency, shape, capacity));
  return matches;
}

std::vector<FrontierRow> frontier(const std::vector<double>& recencies, Index capacity,
                                  const EreSetting& setting) {
  check(setting);
  std::vector<FrontierRow> rows;
  for (const double recency : recencies) {
    check(recency, capacity);
    if (recency <= 0.5)
      throw InvalidArgument(concat("expected recency is ", recency,
                                   "; the frontier of recency samplers starts above 1/2"));
  }
  for (const double recency : recencies) {
    FrontierRow row{};
    row.expected_recency = recency;
    row.alpha = alpha_for_recency(recency, capacity);
    row.truncated_geometric_entropy =
        geometric_entropy(geometric_rate(row.alpha, capacity), capacity);
    row.window = window_for_recency(recency, capacity);
    row.uniform_fifo_entropy = std::log(row.window);
    try {
      row.eta = eta_for_recency(recency, capacity, setting);
      const auto ere = make_sampler(ere_spec(row.eta, setting));
      const BufferView full{.size = capacity, .capacity = capacity};
      const Entropies both = entropies(*ere, full);
      row.ere_sampling_entropy = both.sampling_entropy;
      row.ere_conditional_entropy = both.conditional_entropy;
      row.ere_smallest_window = ere->age_distribution(full).segments.front().length;
    } catch (const InvalidArgument&) {  // beyond what the minimum window allows
      row.eta = row.ere_sampling_entropy = row.ere_conditional_entropy = std::nan("");
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace mneme
