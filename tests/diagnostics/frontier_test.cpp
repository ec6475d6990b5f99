// tests/diagnostics/frontier_test.cpp - solvers and frontier against the reference table 3.3, E4
// and E5.
#include "mneme/frontier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "mneme/diagnostics.h"
#include "mneme/error.h"

namespace mneme {
namespace {

constexpr Index kMillion = 1'000'000;

// The reference tables solve for eta with windows that are not rounded to whole transitions, and
// then evaluate the entropies of the rounded windows at that eta. Our solver matches the sampler
// that is really run, with rounded windows: its eta differs by about 1/capacity. This is the
// reference's own equation.
double eta_without_rounding(double recency, Index capacity) {
  const auto n = static_cast<double>(capacity);
  const auto at = [&](double eta) {
    double age = 0;
    for (int k = 1; k <= 1000; ++k)
      age += (std::clamp(n * std::pow(eta, k), 0.005 * n, n) - 1) / 2000;
    return 1 - age / (n - 1);
  };
  double low = 0.9, high = 1;
  for (int k = 0; k < 60; ++k) (at((low + high) / 2) > recency ? low : high) = (low + high) / 2;
  return low;
}
const EreSetting kStock{.cycle = 1000, .span = 1000, .minimum = 5000};

TEST(Frontier, ReferenceTable) {
  struct Row {
    double recency, alpha, tg, window, fifo, eta, mix, conditional;
    Index smallest;
  };
  const std::vector<Row> table{{0.55, 0.870858456525, 13.8004653031, 900000.1, 13.7101501534,
                                0.999785690, 13.761181, 13.708236, 807079},
                               {0.60, 1.77441489020, 13.7547719954, 800000.2, 13.5923672567,
                                0.999536398, 13.696367, 13.583423, 628946},
                               {0.65, 2.75020219934, 13.6766440146, 700000.3, 13.4588360426,
                                0.999239726, 13.616977, 13.434848, 467403},
                               {0.70, 3.85502234108, 13.5626655294, 600000.4, 13.3046856009,
                                0.998875751, 13.516261, 13.252507, 324690},
                               {0.75, 5.18432925533, 13.4068726359, 500000.5, 13.1223643774,
                                0.998409780, 13.382096, 13.018971, 203622},
                               {0.80, 6.92637050021, 13.1986322642, 400000.6, 12.8992213261,
                                0.997774271, 13.190006, 12.700290, 107721},
                               {0.85, 9.53198154677, 12.9170813853, 300000.7, 12.6115400870,
                                0.996813940, 12.881163, 12.218338, 41124},
                               {0.856708507213, 10, 12.8716847607, 286583.699, 12.5657859155,
                                0.996642785, 12.823942, 12.132393, 34635},
                               {0.857, 10.0212409890, 12.8696621421, 286000.714, 12.5637495863,
                                0.996635033, 12.821335, 12.128500, 34367},
                               {0.90, 14.4203010162, 12.5128839587, 200000.8, 12.2060766455,
                                0.995059879, 12.267428, 11.336839, 7066},
                               {0.95, 28.8536110927, 11.8197872823, 100000.9, 11.5129344649,
                                0.989909544, 10.837311, 9.898530, 5000},
                               {0.98, 72.1329487340, 10.9035115521, 40000.96, 10.5966587328,
                                0.973084012, 9.559158, 9.028970, 5000},
                               {0.99, 144.262291087, 10.2103893704, 20000.98, 9.90353655134,
                                0.939402200, 9.029508, 8.739084, 5000}};
  std::vector<double> recencies;
  for (const Row& row : table) recencies.push_back(row.recency);
  const std::vector<FrontierRow> rows = frontier(recencies, kMillion, kStock);
  ASSERT_EQ(rows.size(), table.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& expected = table[k];
    EXPECT_NEAR(rows[k].alpha, expected.alpha, 1e-9 * expected.alpha);
    EXPECT_NEAR(rows[k].truncated_geometric_entropy, expected.tg, 2e-10);
    EXPECT_NEAR(rows[k].window, expected.window, 0.06);
    EXPECT_NEAR(rows[k].uniform_fifo_entropy, expected.fifo, 1e-9);
    const double eta = eta_without_rounding(expected.recency, kMillion);
    EXPECT_NEAR(eta, expected.eta, 6e-10);
    const auto ere = make_sampler(concat("ere:minimum=5000,eta=", shortest_number(eta)));
    const Entropies both = entropies(*ere, {.size = kMillion, .capacity = kMillion});
    EXPECT_NEAR(both.sampling_entropy, expected.mix, 6e-7);
    EXPECT_NEAR(both.conditional_entropy, expected.conditional, 6e-7);
    // ours: the recency is met by the sampler as it runs
    EXPECT_NEAR(expected_recency(
                    *make_sampler(concat("ere:minimum=5000,eta=", shortest_number(rows[k].eta))),
                    {.size = kMillion, .capacity = kMillion}),
                expected.recency, 1e-9);
    EXPECT_NEAR(rows[k].eta, expected.eta, 3e-7);
    EXPECT_NEAR(rows[k].ere_sampling_entropy, expected.mix, 1e-5);
    EXPECT_NEAR(static_cast<double>(rows[k].ere_smallest_window),
                static_cast<double>(expected.smallest), 1);
  }
}

TEST(Frontier, OtherCapacitiesMatchTruncatedGeometricTen) {
  struct Row {
    Index n;
    double window, eta, entropy;
  };
  for (const Row& row : std::vector<Row>{{1'000, 286.310122, 0.99663915, 5.912562},
                                         {10'000, 2865.56488, 0.99664242, 8.218423},
                                         {51'200, 14672.8245, 0.99664272, 9.851861},
                                         {100'000, 28658.1224, 0.99664275, 10.521325},
                                         {200'000, 57316.5198, 0.99664277, 11.214490},
                                         {10'000'000, 2865839.46, 0.99664279, 15.126530}}) {
    const double recency =
        expected_recency(*make_sampler("truncated_geometric"), {.size = row.n, .capacity = row.n});
    EXPECT_NEAR(alpha_for_recency(recency, row.n), 10, 1e-9);
    EXPECT_NEAR(window_for_recency(recency, row.n) / row.window, 1, 1e-8);
    const double eta = eta_without_rounding(recency, row.n);
    EXPECT_NEAR(eta, row.eta, 6e-9) << row.n;
    const auto ere = make_sampler(concat("ere:eta=", shortest_number(eta)));
    EXPECT_NEAR(entropies(*ere, {.size = row.n, .capacity = row.n}).sampling_entropy, row.entropy,
                6e-7)
        << row.n;
    EXPECT_NEAR(frontier({recency}, row.n).front().eta, row.eta, 10.0 / static_cast<double>(row.n))
        << row.n;
  }
}

// E4: ERE's mixture entropy lies above FIFO at the matched recency; only its conditional entropy is
// below. The mixture falls below FIFO from recency 0.906364 on.
TEST(Frontier, EntropyOrderDependsOnWhichEntropy) {
  const auto at = [](double recency) { return frontier({recency}, kMillion, kStock).front(); };
  const FrontierRow matched = at(0.856708507213);
  EXPECT_GT(matched.truncated_geometric_entropy, matched.ere_sampling_entropy);
  EXPECT_GT(matched.ere_sampling_entropy, matched.uniform_fifo_entropy);
  EXPECT_LT(matched.ere_conditional_entropy, matched.uniform_fifo_entropy);
  EXPECT_GT(at(0.9062).ere_sampling_entropy, at(0.9062).uniform_fifo_entropy);
  EXPECT_LT(at(0.9065).ere_sampling_entropy, at(0.9065).uniform_fifo_entropy);
}

// E5: the match needs a larger eta than the default, and the minimum window does not bind.
TEST(Frontier, MatchingEreRaisesEta) {
  EXPECT_GT(eta_for_recency(0.856708507213, kMillion, kStock), 0.996);
  EXPECT_NEAR(
      static_cast<double>(frontier({0.856708507213}, kMillion, kStock).front().ere_smallest_window),
      34635, 1);
}

TEST(Match, EveryFamilyHasTheWantedRecency) {
  for (const double recency : {0.3, 0.45, 0.55, 0.62, 0.8567085, 0.97}) {
    int reachable = 0;
    for (const Match& m : match(recency, 100'000)) {
      if (!m.reachable) {
        EXPECT_FALSE(m.reason.empty()) << m.family;
        continue;
      }
      ++reachable;
      EXPECT_NEAR(m.expected_recency, recency, m.family == "uniform_fifo" ? 1e-5 : 1e-6)
          << m.family << " " << m.spec;
      EXPECT_NEAR(expected_recency(*make_sampler(m.spec), {.size = 100'000, .capacity = 100'000}),
                  m.expected_recency, 1e-12);
    }
    EXPECT_GE(reachable, recency < 0.5 ? 1 : 4) << recency;
  }
}

// The frontier is the maximum: no other family has more entropy at the same recency.
TEST(Match, TruncatedGeometricHasTheLargestEntropy) {
  const std::vector<Match> matches = match(0.62, 100'000);
  for (const Match& m : matches) {
    if (m.reachable) {
      EXPECT_LE(m.sampling_entropy, matches.front().sampling_entropy + 1e-6) << m.spec;
    }
  }
}

TEST(Match, InverseOfTheRecencyMultiplier) {
  // alpha of expected recency and back, over the whole range
  for (const Index n : {Index{2}, Index{10}, Index{1000}, kMillion}) {
    for (const double alpha : {1e-6, 0.01, 1.0, 10.0, 100.0}) {
      if (n == 2 && alpha > 40) continue;  // saturated: the older of two is never drawn
      const double recency =
          expected_recency(*make_sampler("truncated_geometric:alpha=" + std::to_string(alpha)),
                           {.size = n, .capacity = n});
      EXPECT_NEAR(alpha_for_recency(recency, n) / alpha, 1, alpha < 1e-3 ? 1e-3 : 1e-6)
          << n << " " << alpha;
    }
  }
}

TEST(Match, BadInputIsRefused) {
  for (const double recency : {0.0, 1.0, -0.1, 1.5, std::nan("")}) {
    EXPECT_THROW(match(recency, 1000), InvalidArgument);
    EXPECT_THROW(frontier({recency}, 1000), InvalidArgument);
    EXPECT_THROW(alpha_for_recency(recency, 1000), InvalidArgument);
  }
  EXPECT_THROW(match(0.8, 1), InvalidArgument);
  EXPECT_THROW(frontier({0.5}, 1000), InvalidArgument);
  EXPECT_THROW(window_for_recency(0.4, 1000), InvalidArgument);
  EXPECT_THROW(eta_for_recency(0.999, 1000, {.minimum = 500}), InvalidArgument);
}

}  // namespace
}  // namespace mneme
