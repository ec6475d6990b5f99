// tests/samplers/paper_fixtures_test.cpp - small exact distributions and scripted draws.
//
// Reference values were computed with 30 to 40 digits; probabilities are given with 10.
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "mneme/error.h"
#include "support/chi_square.h"

namespace mneme {
namespace {

void expect_pmf(const std::string& spec, const BufferView& view,
                const std::vector<double>& expected, double tolerance = 1e-10) {
  const std::vector<double> p = test::pmf_of(*make_sampler(spec), view);
  ASSERT_EQ(p.size(), expected.size()) << spec;
  for (std::size_t i = 0; i < p.size(); ++i)
    EXPECT_NEAR(p[i], expected[i], tolerance) << spec << " index " << i;
}

std::vector<double> mirrored(std::vector<double> half, bool odd) {
  std::vector<double> whole = half;
  for (std::size_t k = half.size() - (odd ? 1 : 0); k-- > 0;) whole.push_back(half[k]);
  return whole;
}

TEST(PaperFixtures, SmallDistributions) {
  const BufferView eight{.size = 8, .capacity = 8};
  const std::vector<double> tg{0.0006139937, 0.0016527484, 0.0044488688, 0.0119754668,
                               0.0322355662, 0.0867717095, 0.2335721211, 0.6287295255};
  expect_pmf("truncated_geometric:alpha=10", eight, tg);
  expect_pmf("reverse_truncated_geometric:alpha=10", eight, {tg.rbegin(), tg.rend()});
  expect_pmf("truncated_geometric:alpha=10", {.size = 5, .capacity = 8},
             {0.0120564331, 0.0324535114, 0.0873583744, 0.2351513057, 0.6329803754});
  expect_pmf("truncated_geometric:alpha=3", {.size = 5, .capacity = 10},
             {0.1195148052, 0.1505792189, 0.1897179276, 0.2390296105, 0.3011584378});
  const std::vector<double> linear{0.0002439024, 0.0358885017, 0.0715331010, 0.1071777003,
                                   0.1428222997, 0.1784668990, 0.2141114983, 0.2497560976};
  expect_pmf("linear", eight, linear);
  expect_pmf("reverse_linear", eight, {linear.rbegin(), linear.rend()});
  expect_pmf("gaussian", eight,
             mirrored({0.0003624397, 0.0115980707, 0.1169012273, 0.3711382623}, false));
  expect_pmf("gaussian", {.size = 7, .capacity = 8},
             mirrored({0.0004835219, 0.0227407614, 0.2292125115, 0.4951264106}, true));
  expect_pmf("uniform_fifo:window=3", eight, {0, 0, 0, 0, 0, 1 / 3.0, 1 / 3.0, 1 / 3.0});
  const std::string ere = "ere:eta=0.9979227189990506,cycle=4,minimum=2";
  expect_pmf(ere, eight, {0, 0, 0, 0, 0.0625, 0.0625, 0.4375, 0.4375});
  expect_pmf(ere + ",first=0", eight,
             {0.03125, 0.03125, 0.03125, 0.03125, 0.09375, 0.09375, 0.34375, 0.34375});
}

// The stretched exponential with shape 1 is the truncated geometric distribution.
TEST(PaperFixtures, StretchedExponentialContainsTruncatedGeometric) {
  for (const BufferView& view :
       {BufferView{.size = 8, .capacity = 8}, BufferView{.size = 70'000, .capacity = 100'000}}) {
    const std::vector<double> one = test::pmf_of(*make_sampler("stretched_exponential"), view);
    const std::vector<double> other =
        test::pmf_of(*make_sampler("truncated_geometric:alpha=10"), view);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i] / other[i], 1, 1e-12);
  }
}

// The printed formula loses the newest index and doubles the oldest (E1).
TEST(PaperFixtures, PaperLiteralDistribution) {
  expect_pmf(
      "truncated_geometric:alpha=10,form=paper_literal", {.size = 8, .capacity = 8},
      {0.00226674, 0.00444887, 0.01197547, 0.03223557, 0.08677171, 0.23357212, 0.62872953, 0},
      5e-9);
}

struct InverseRow {
  double u;
  std::array<Index, 4> literal, age;  // for the four views below
};

TEST(PaperFixtures, InverseDistributionTable) {
  const std::array<BufferView, 4> views{BufferView{.size = 8, .capacity = 8},
                                        BufferView{.size = 1'000'000, .capacity = 1'000'000},
                                        BufferView{.size = 250'000, .capacity = 1'000'000},
                                        BufferView{.size = 51'200, .capacity = 51'200}};
  const std::vector<InverseRow> rows{
      {0.001, {0, 101649, 669, 5203}, {0, 144, 118, 7}},
      {0.01, {2, 348928, 6565, 17864}, {0, 1448, 1192, 74}},
      {0.1, {4, 669068, 55156, 34255}, {0, 15184, 12394, 777}},
      {0.25, {5, 800421, 111383, 40980}, {0, 41456, 33243, 2122}},
      {0.5, {6, 900139, 173483, 46086}, {0, 99859, 76515, 5112}},
      {0.75, {6, 958542, 216755, 49076}, {1, 199577, 138615, 10218}},
      {0.9, {6, 984814, 237604, 50421}, {2, 330930, 194842, 16943}},
      {0.99, {6, 998550, 248806, 51124}, {4, 651070, 243433, 33334}},
      {0.999999, {6, 999998, 249998, 51198}, {7, 999852, 249999, 51192}}};
  const auto exact = make_sampler("truncated_geometric:alpha=10");
  const auto literal = make_sampler("truncated_geometric:alpha=10,form=paper_literal");
  for (const InverseRow& row : rows) {
    for (std::size_t v = 0; v < views.size(); ++v) {
      std::vector<Index> out(1);
      exact->invert(views[v], {&row.u, 1}, out);
      EXPECT_EQ(views[v].size - 1 - out[0], row.age[v]) << "u " << row.u << " view " << v;
      literal->invert(views[v], {&row.u, 1}, out);
      EXPECT_EQ(out[0], row.literal[v]) << "u " << row.u << " view " << v;
    }
  }
}

// alpha 0 is uniform, exactly; the limit is approached without a jump.
TEST(TruncatedGeometric, AlphaZeroIsUniform) {
  const BufferView view{.size = 700, .capacity = 1000};
  EXPECT_EQ(test::pmf_of(*make_sampler("truncated_geometric:alpha=0"), view),
            test::pmf_of(*make_sampler("uniform"), view));
  for (const char* spec : {"truncated_geometric:alpha=1e-300", "truncated_geometric:alpha=1e-17",
                           "truncated_geometric:alpha=1e-13"}) {
    for (const double p : test::pmf_of(*make_sampler(spec), view))
      EXPECT_NEAR(p * 700, 1, 1e-12) << spec;
  }
}

TEST(TruncatedGeometric, ExtremeParametersStayInRange) {
  std::vector<double> u{0, 0x1p-53, 1e-9, 0.25, 0.5, 0.999999, 1 - 0x1p-53};
  std::vector<Index> out(u.size());
  for (const char* spec : {"alpha=0", "alpha=1e-12", "alpha=0.1", "alpha=10", "alpha=1000",
                           "alpha=2000", "alpha=10000"}) {
    for (const Index n : {Index{1}, Index{2}, Index{1'000'000'000}, Index{1'000'000'000'000}}) {
      const auto s = make_sampler(std::string("truncated_geometric:") + spec);
      s->invert({.size = n, .capacity = n}, u, out);
      EXPECT_EQ(out.front(), std::string_view(spec) == "alpha=0" ? 0 : n - 1) << spec;
      for (const Index i : out) {
        EXPECT_GE(i, 0) << spec;
        EXPECT_LT(i, n) << spec;
      }
      std::vector<double> p(1);
      s->probabilities({.size = n, .capacity = n}, n - 1, p);
      EXPECT_TRUE(std::isfinite(p[0]) && p[0] > 0) << spec;
    }
  }
}

// Every index whose probability exceeds the grid of the uniforms is reached by some uniform: for a
// sample of indices the uniforms around the edges of their share are tried one by one. Small slack,
// for the last digit of the edge itself.
TEST(TruncatedGeometric, NoIndexIsUnreachable) {
  for (const double alpha : {0.0, 1e-9, 0.1, 1.0, 10.0, 15.0, 40.0, 300.0, 1000.0}) {
    for (const Index n :
         {Index{51'200}, Index{1'000'000}, Index{1'000'000'000}, Index{1'000'000'000'000}}) {
      const auto s = make_sampler(concat("truncated_geometric:alpha=", alpha));
      const BufferView view{.size = n, .capacity = n};
      const long double rate =
          static_cast<long double>(alpha) * std::log(2.0L) / static_cast<long double>(n - 1);
      for (int k = 0; k <= 40; ++k) {
        const Index age =
            k == 40 ? n - 1 : static_cast<Index>(static_cast<double>(n - 1) * k / 40.0);
        std::vector<double> p(1);
        s->probabilities(view, n - 1 - age, p);
        if (p[0] < 0x1p-53 * 1.01) continue;
        // share of uniforms that belongs to this age, in units of 2^-53
        const auto below = [&](Index a) {
          const auto x = static_cast<long double>(a);
          return std::ldexp(
              rate == 0 ? x / static_cast<long double>(n)
                        : std::expm1(-rate * x) / std::expm1(-rate * static_cast<long double>(n)),
              53);
        };
        // with rate 0 the inverse runs from the oldest
        const Index place = rate == 0 ? n - 1 - age : age;
        const auto middle =
            static_cast<std::int64_t>(std::floor((below(place) + below(place + 1)) / 2));
        bool reached = false;
        for (std::int64_t step = -1; step <= 2 && !reached; ++step) {
          const double u = std::ldexp(static_cast<double>(std::clamp<std::int64_t>(
                                          middle + step, 0, (std::int64_t{1} << 53) - 1)),
                                      -53);
          std::vector<Index> out(1);
          s->invert(view, {&u, 1}, out);
          reached = out[0] == n - 1 - age;
        }
        EXPECT_TRUE(reached) << "alpha " << alpha << " n " << n << " age " << age << " p " << p[0];
      }
    }
  }
}

TEST(TruncatedGeometric, LiteralFormRefusesWhatItCannotCompute) {
  EXPECT_THROW(make_sampler("truncated_geometric:alpha=0,form=paper_literal"), InvalidArgument);
  EXPECT_THROW(make_sampler("truncated_geometric:alpha=2000,form=paper_literal"), InvalidArgument);
  EXPECT_THROW(make_sampler("truncated_geometric:alpha=200,form=paper_float32"), InvalidArgument);
  // 2^(1e-9) is 1 in float32
  const auto s = make_sampler("truncated_geometric:alpha=1,form=paper_float32");
  EXPECT_THROW(s->age_distribution({.size = 1000, .capacity = 1'000'000'000}), InvalidArgument);
  // A size that float32 rounds up, and a normalizer beyond its range.
  const double last_u = 1 - 0x1p-53;
  Index drawn = 0;
  make_sampler("truncated_geometric:alpha=25,form=paper_float32")
      ->invert({.size = 87'357'391, .capacity = 226'639'225}, {&last_u, 1}, {&drawn, 1});
  EXPECT_LT(drawn, 87'357'391);
  const auto steep = make_sampler("truncated_geometric:alpha=100,form=paper_float32");
  EXPECT_THROW(steep->age_distribution({.size = 1'000'000'000, .capacity = 1'000'000'000}),
               InvalidArgument);
}

// The stratified batch hits every share once; its marginal distribution is unchanged (conformance),
// its counts vary less.
TEST(Stratified, CountsVaryLessThanIndependentOnes) {
  const BufferView view{.size = 10, .capacity = 10};
  const auto spread = [&](const char* spec) {
    const auto s = make_sampler(spec);
    Rng rng(3);
    std::vector<Index> batch(100);
    double sum = 0, squares = 0;
    for (int k = 0; k < 2000; ++k) {
      s->sample(view, rng, batch);
      double old = 0;
      for (const Index i : batch) old += i < 5 ? 1 : 0;
      sum += old;
      squares += old * old;
    }
    return squares / 2000 - sum / 2000 * (sum / 2000);
  };
  EXPECT_NEAR(spread("uniform"), 25, 3);
  EXPECT_LT(spread("uniform:draws=stratified"), 0.01);
}

TEST(Ere, WindowsOfACycleInEveryOrder) {
  const BufferView view{.size = 8, .capacity = 8};
  const std::string base = "ere:eta=0.9979227189990506,cycle=4,minimum=2,first=0";
  const auto windows = [&](const std::string& spec, int batches) {
    const auto s = make_sampler(spec);
    std::vector<Index> sizes;
    for (int k = 0; k < batches; ++k) {
      const std::vector<double> p = test::pmf_of(*s, view, Scope::batch);
      sizes.push_back(
          static_cast<Index>(std::count_if(p.begin(), p.end(), [](double x) { return x > 0; })));
      Rng rng(1);
      std::vector<Index> one(1);
      s->sample(view, rng, one);
    }
    return sizes;
  };
  EXPECT_EQ(windows(base, 5), (std::vector<Index>{8, 4, 2, 2, 8}));
  EXPECT_EQ(windows(base + ",order=new_first", 5), (std::vector<Index>{2, 2, 4, 8, 2}));
  // Random order: every window turns up, about equally often.
  const std::vector<Index> random = windows(base + ",order=random", 4000);
  EXPECT_NEAR(static_cast<double>(std::count(random.begin(), random.end(), 8)), 1000, 150);
  EXPECT_NEAR(static_cast<double>(std::count(random.begin(), random.end(), 4)), 1000, 150);
  EXPECT_NEAR(static_cast<double>(std::count(random.begin(), random.end(), 2)), 2000, 170);
}

TEST(Ere, WindowOfCapacityAndAnnealedEta) {
  const auto window = [](const std::string& spec, const BufferView& view) {
    const std::vector<double> p = test::pmf_of(*make_sampler(spec), view, Scope::batch);
    return std::count_if(p.begin(), p.end(), [](double x) { return x > 0; });
  };
  // eta^span = 1/2 in one update
  EXPECT_EQ(window("ere:eta=0.5,span=1,cycle=1,minimum=1", {.size = 40, .capacity = 100}), 20);
  EXPECT_EQ(
      window("ere:eta=0.5,span=1,cycle=1,minimum=1,of=capacity", {.size = 40, .capacity = 100}),
      40);
  EXPECT_EQ(
      window("ere:eta=0.5,span=1,cycle=1,minimum=1,of=capacity", {.size = 60, .capacity = 100}),
      50);
  EXPECT_EQ(window("ere:eta=0.5,span=1,cycle=1,minimum=30", {.size = 40, .capacity = 100}), 30);
  EXPECT_EQ(window("ere:eta=0.5,span=1,cycle=1,minimum=0.3", {.size = 40, .capacity = 100}), 30);
  EXPECT_EQ(window("ere:eta=0.5,span=1,cycle=1,minimum=1,eta_end=1",
                   {.size = 40, .capacity = 100, .progress = 0.5}),
            30);
  EXPECT_EQ(window("ere:eta=0.5,span=1,cycle=1,minimum=1,eta_end=1",
                   {.size = 40, .capacity = 100, .progress = 1}),
            40);
}

// Sums and their inverse agree at large sizes, where no table of every age exists.
TEST(StretchedExponential, InverseAgreesWithItsSumsAtLargeSizes) {
  for (const char* spec : {"shape=0.3", "shape=0.7", "shape=2", "shape=8", "scale=1e-6",
                           "scale=1e-6,shape=0.4", "scale=50"}) {
    const auto s = make_sampler(std::string("stretched_exponential:") + spec);
    for (const BufferView& view : {BufferView{.size = 1'000'000, .capacity = 1'000'000},
                                   BufferView{.size = 300'001, .capacity = 1'000'000}}) {
      const std::vector<double> p = test::pmf_of(*s, view);
      long double sum = 0;
      std::vector<long double> below(p.size() + 1);
      for (std::size_t a = 0; a < p.size(); ++a) {
        sum += p[p.size() - 1 - a];
        below[a + 1] = sum;
      }
      EXPECT_NEAR(static_cast<double>(sum), 1, 1e-12) << spec;
      Rng rng(4);
      std::vector<double> u(20'000);
      rng.fill_uniform(u);
      std::vector<Index> out(u.size());
      s->invert(view, u, out);
      for (std::size_t k = 0; k < u.size(); ++k) {
        const auto age = static_cast<std::size_t>(view.size - 1 - out[k]);
        ASSERT_LE(static_cast<double>(below[age]) - u[k], 1e-13) << spec << " u " << u[k];
        ASSERT_GT(static_cast<double>(below[age + 1]) - u[k], -1e-13) << spec << " u " << u[k];
      }
    }
  }
}

TEST(Gaussian, InverseAgreesWithItsSumsAtLargeSizes) {
  for (const char* spec : {"gaussian", "gaussian:ratio=1.5", "gaussian:ratio=1e9"}) {
    for (const Index n : {Index{256}, Index{257}, Index{1000}, Index{1'000'000}, Index{999'999}}) {
      const BufferView view{.size = n, .capacity = n};
      const auto s = make_sampler(spec);
      const std::vector<double> p = test::pmf_of(*s, view);
      std::vector<long double> below(p.size() + 1);
      for (std::size_t i = 0; i < p.size(); ++i) below[i + 1] = below[i] + p[i];
      EXPECT_NEAR(static_cast<double>(below.back()), 1, 1e-12) << spec << " n " << n;
      Rng rng(4);
      std::vector<double> u(20'000);
      rng.fill_uniform(u);
      std::vector<Index> out(u.size());
      s->invert(view, u, out);
      for (std::size_t k = 0; k < u.size(); ++k) {
        const auto i = static_cast<std::size_t>(out[k]);
        ASSERT_LE(static_cast<double>(below[i]) - u[k], 1e-12)
            << spec << " n " << n << " u " << u[k];
        ASSERT_GT(static_cast<double>(below[i + 1]) - u[k], -1e-12)
            << spec << " n " << n << " u " << u[k];
      }
    }
  }
}

TEST(Mix, IsTheWeightedSumOfItsParts) {
  const BufferView view{.size = 30, .capacity = 50};
  const std::vector<double> a = test::pmf_of(*make_sampler("linear:ratio=8"), view),
                            b = test::pmf_of(*make_sampler("uniform_fifo:window=9"), view);
  const std::vector<double> mix = test::pmf_of(
      *make_sampler("mix:eps=0.25,a=(linear:ratio=8),b=(uniform_fifo:window=9)"), view);
  for (std::size_t i = 0; i < mix.size(); ++i)
    EXPECT_NEAR(mix[i], 0.75 * a[i] + 0.25 * b[i], 1e-16);
  EXPECT_THROW(make_sampler("mix:a=(uniform:draws=stratified)"), InvalidArgument);
}

}  // namespace
}  // namespace mneme
