// tests/diagnostics/paper_numbers_test.cpp - the reference tables, to the digits they are given
// with.
#include <gtest/gtest.h>

#include <cmath>

#include "mneme/diagnostics.h"

namespace mneme {
namespace {

constexpr Index kMillion = 1'000'000;

Diagnosis full(const std::string& spec, Index n = kMillion, const ReplaySetting& setting = {}) {
  return inspect(*make_sampler(spec), {.size = n, .capacity = n}, setting);
}

// relative tolerance for numbers given with that many significant digits
void expect_digits(double value, double reference, int digits, const std::string& what) {
  EXPECT_NEAR(value, reference, std::abs(reference) * 0.51 * std::pow(10.0, 1 - digits)) << what;
}

TEST(PaperNumbers, SmallDistributions) {
  const auto check = [](const std::string& spec, const BufferView& view, double recency,
                        double entropy) {
    const Diagnosis d = inspect(*make_sampler(spec), view);
    EXPECT_NEAR(d.expected_recency, recency, 1e-12) << spec;
    EXPECT_NEAR(d.sampling_entropy, entropy, 1e-12) << spec;
  };
  const BufferView eight{.size = 8, .capacity = 8};
  check("truncated_geometric:alpha=10", eight, 0.915973871956, 1.046478859403);
  check("truncated_geometric:alpha=10", {.size = 5, .capacity = 8}, 0.861136419739, 1.007332426344);
  check("truncated_geometric:alpha=3", {.size = 5, .capacity = 10}, 0.612934414175, 1.557843340630);
  check("linear", eight, 0.713867595819, 1.811469832859);
  check("gaussian", eight, 0.5, 1.346695979360);
  check("gaussian", {.size = 7, .capacity = 8}, 0.5, 1.202820287570);
  check("uniform_fifo:window=3", eight, 0.857142857143, std::log(3.0));
  check("ere:eta=0.9979227189990506,cycle=4,minimum=2", eight, 0.892857142857, 1.069917341816);
  check("ere:eta=0.9979227189990506,cycle=4,minimum=2,first=0", eight, 0.785714285714,
        1.611193098626);
}

// Table 3.1
TEST(PaperNumbers, TruncatedGeometricFullBuffer) {
  struct Row {
    const char* alpha;
    double recency, entropy, perplexity, newest, oldest;
  };
  const std::vector<Row> rows{
      {"0.1", 0.505775775574, 13.8153103929, 999799.855, 1.035057704e-6, 9.65742986e-7},
      {"1", 0.557305072817, 13.7957290783, 980412.890, 1.386294306e-6, 6.93147153e-7},
      {"2", 0.611986030092, 13.7390959593, 926432.029, 1.848392195e-6, 4.620980486e-7},
      {"5", 0.743719473192, 13.4290383354, 679449.598, 3.577530813e-6, 1.117978379e-7},
      {"10", 0.856708507213, 12.8716847607, 389136.228, 6.938230283e-6, 6.775615511e-9},
      {"20", 0.927866701618, 12.1862760308, 196079.610, 1.38628746e-5, 1.322066746e-11},
      {"50", 0.971146599180, 11.2699994732, 78432.956, 3.465679312e-5, 3.078141575e-20},
  };
  for (const Row& row : rows) {
    const Diagnosis d = full(std::string("truncated_geometric:alpha=") + row.alpha);
    EXPECT_NEAR(d.expected_recency, row.recency, 1e-12) << row.alpha;
    EXPECT_NEAR(d.sampling_entropy, row.entropy, 1e-10) << row.alpha;
    EXPECT_EQ(d.conditional_entropy, d.sampling_entropy);
    expect_digits(d.perplexity, row.perplexity, 8, row.alpha);
    expect_digits(d.newest_probability, row.newest, 9, row.alpha);
    expect_digits(d.oldest_probability, row.oldest, 9, row.alpha);
  }
  const Diagnosis ten = full("truncated_geometric:alpha=10");
  EXPECT_NEAR(std::exp(ten.collision_entropy), 287975.7, 0.06);
  const std::array masses{0.0670325341415532, 0.500489102074752, 0.824028320613076,
                          0.969697071536712};
  for (std::size_t k = 0; k < masses.size(); ++k)
    EXPECT_NEAR(ten.newest_mass[k].mass, masses[k], 1e-13);

  struct Other {
    Index n;
    double recency, entropy;
  };
  for (const Other& row : std::vector<Other>{{1'000, 0.857202141, 5.9629788585},
                                             {10'000, 0.8567574319, 8.2664202428},
                                             {51'200, 0.8567176652, 9.8996513542},
                                             {100'000, 0.8567129550, 10.569091091},
                                             {200'000, 0.8567104840, 11.262243036},
                                             {10'000'000, 0.8567080624, 15.174270711}}) {
    const auto s = make_sampler("truncated_geometric:alpha=10");
    const BufferView view{.size = row.n, .capacity = row.n};
    EXPECT_NEAR(expected_recency(*s, view), row.recency, 6e-10) << row.n;
    EXPECT_NEAR(entropies(*s, view).sampling_entropy, row.entropy, 6e-10) << row.n;
  }
}

// E2: the printed formula in float32. Mean recency, and what the newest slot gets.
TEST(PaperNumbers, TruncatedGeometricInFloat32) {
  const auto d = [](const char* alpha, Index n) {
    return inspect(
        *make_sampler(std::string("truncated_geometric:form=paper_float32,alpha=") + alpha),
        {.size = n, .capacity = n});
  };
  const Diagnosis ten = d("10", kMillion);
  EXPECT_NEAR(ten.expected_recency, 0.854217, 6e-7);
  std::vector<double> newest(2507);
  make_sampler("truncated_geometric:form=paper_float32")
      ->probabilities({.size = kMillion, .capacity = kMillion}, kMillion - 2507, newest);
  EXPECT_GT(newest.front(), 0);  // 997,493 is the last index that is ever drawn
  for (std::size_t k = 1; k < newest.size(); ++k) EXPECT_EQ(newest[k], 0);
  EXPECT_NEAR(d("1", kMillion).expected_recency, 0.576249, 6e-7);
  EXPECT_NEAR(d("1", kMillion).newest_probability, 0.0428, 6e-5);
  EXPECT_NEAR(d("0.1", kMillion).expected_recency, 0.719821, 6e-7);
  EXPECT_NEAR(d("0.1", kMillion).newest_probability, 0.43, 5e-3);
  EXPECT_NEAR(d("10", 51'200).expected_recency, 0.856916, 6e-7);
  EXPECT_NEAR(
      d("10", 51'200).newest_probability / full("truncated_geometric", 51'200).newest_probability,
      11.2, 0.06);
}

// Table 3.2
TEST(PaperNumbers, TruncatedGeometricPartlyFilled) {
  struct Row {
    Index n;
    double recency, entropy, newest, oldest;
  };
  for (const Row& row :
       std::vector<Row>{{2, 0.50000173287, 0.693147180554, 0.5000017329, 0.4999982671},
                        {1'000, 0.500578200388, 6.90775327709, 1.003466265e-3, 9.965417182e-4},
                        {10'000, 0.505776347375, 9.21014020686, 1.035054153e-4, 9.657462996e-5},
                        {100'000, 0.557305588562, 11.4931439853, 1.386289982e-5, 6.931493151e-6},
                        {250'000, 0.637659893197, 12.3127991134, 8.419892993e-6, 1.488448596e-6},
                        {500'000, 0.743719716911, 12.7358911549, 7.155049228e-6, 2.235960633e-7},
                        {750'000, 0.813196200960, 12.8450199192, 6.969958459e-6, 3.850401118e-8},
                        {900'000, 0.841658025862, 12.8652743554, 6.945019120e-6, 1.356449987e-8}}) {
    const Diagnosis d = inspect(*make_sampler("truncated_geometric:alpha=10"),
                                {.size = row.n, .capacity = kMillion});
    const std::string what = std::to_string(row.n);
    EXPECT_NEAR(d.expected_recency, row.recency, 6e-12) << what;
    EXPECT_NEAR(d.sampling_entropy, row.entropy, 6e-11) << what;
    expect_digits(d.newest_probability, row.newest, 10, what);
    expect_digits(d.oldest_probability, row.oldest, 10, what);
  }
}

// 3.3, ERE at stock settings
TEST(PaperNumbers, EreStockSettings) {
  struct Row {
    const char* spec;
    double recency, entropy;
  };
  for (const Row& row : std::vector<Row>{{"eta=0.999", 0.684164306, 13.551049699},
                                         {"eta=0.998", 0.784199134, 13.259406928},
                                         {"eta=0.997", 0.842069653, 12.942646797},
                                         {"eta=0.996", 0.877762705, 12.603642926},
                                         {"eta=0.995", 0.901162724, 12.245497900},
                                         {"eta=0.994", 0.917282466, 11.878958819},
                                         {"eta=0.99", 0.949566020, 10.853394301},
                                         {"eta=0.996,first=0", 0.877271789, 12.607650965}}) {
    const Diagnosis d = full(std::string("ere:minimum=5000,") + row.spec);
    EXPECT_NEAR(d.expected_recency, row.recency, 6e-10) << row.spec;
    EXPECT_NEAR(d.sampling_entropy, row.entropy, 6e-10) << row.spec;
  }
  EXPECT_NEAR(full("ere:eta=0.996,minimum=5000").conditional_entropy, 11.809489034, 6e-10);
  for (const Row& row : std::vector<Row>{{"eta=0.996,minimum=10240", 0.877640, 12.604647},
                                         {"eta=0.994,minimum=10240", 0.916670, 11.922609},
                                         {"eta=0.994,minimum=5000", 0.917158, 11.880422}}) {
    const Diagnosis d = full(std::string("ere:cycle=2000,") + row.spec);
    EXPECT_NEAR(d.expected_recency, row.recency, 6e-7) << row.spec;
    EXPECT_NEAR(d.sampling_entropy, row.entropy, 6e-7) << row.spec;
  }
  const Diagnosis half = inspect(*make_sampler("ere:cycle=2000,eta=0.994,minimum=5000"),
                                 {.size = 500'000, .capacity = kMillion});
  EXPECT_NEAR(half.expected_recency, 0.916699, 6e-7);
  EXPECT_NEAR(half.sampling_entropy, 11.227314, 6e-7);
}

// Checklist 5: the O(cycle) entropy equals the sum over every index.
TEST(PaperNumbers, EreEntropyEqualsDirectSummation) {
  const auto s = make_sampler("ere:eta=0.994,minimum=500");
  const BufferView view{.size = 100'000, .capacity = 100'000};
  std::vector<double> p(100'000);
  s->probabilities(view, 0, p);
  double direct = 0;
  for (const double q : p) direct -= q > 0 ? q * std::log(q) : 0;
  EXPECT_NEAR(entropies(*s, view).sampling_entropy, direct, 1e-9);
}

// 3.3, ablation distributions
TEST(PaperNumbers, AblationDistributions) {
  struct Row {
    const char* spec;
    double recency, entropy, perplexity, newest, oldest, collision;
  };
  for (const Row& row : std::vector<Row>{
           {"linear", 0.666341796098, 13.623332360, 825159.8, 1.998049e-6, 1.951220e-9, 750731.3},
           {"reverse_linear", 0.333658203902, 13.623332360, 825159.8, 1.951220e-9, 1.998049e-6,
            750731.3},
           {"gaussian", 0.5, 13.225043746, 554068.6, 2.901708e-9, 2.901708e-9, 475856.5},
           {"reverse_truncated_geometric", 0.143291492787, 12.871684761, 389136.2, 6.775616e-9,
            6.938230e-6, 287975.7}}) {
    const Diagnosis d = full(row.spec);
    EXPECT_NEAR(d.expected_recency, row.recency, 1e-12) << row.spec;
    EXPECT_NEAR(d.sampling_entropy, row.entropy, 6e-10) << row.spec;
    expect_digits(d.perplexity, row.perplexity, 7, row.spec);
    expect_digits(d.newest_probability, row.newest, 7, row.spec);
    expect_digits(d.oldest_probability, row.oldest, 7, row.spec);
    expect_digits(std::exp(d.collision_entropy), row.collision, 7, row.spec);
  }
  EXPECT_NEAR(full("linear").expected_recency, 62090878.0 / 93181725.0, 1e-14);
}

// 6.6, the stretched exponential at mean age 0.143292 N
TEST(PaperNumbers, StretchedExponentialFamily) {
  struct Row {
    double shape, entropy, collision;
  };
  for (const Row& row : std::vector<Row>{{0.5, -1.003614, 0.21335},
                                         {0.7, -0.959853, 0.25398},
                                         {1, -0.943825, 0.28798},
                                         {1.5, -0.962259, 0.31140},
                                         {2, -0.991288, 0.31831},
                                         {4, -1.075485, 0.31594},
                                         {8, -1.146498, 0.30579}}) {
    const Index n = 200'000;
    const auto recency = [&](double scale) {
      return expected_recency(
          *make_sampler("stretched_exponential:shape=" + std::to_string(row.shape) +
                        ",scale=" + std::to_string(scale)),
          {.size = n, .capacity = n});
    };
    double low = 0.001, high = 1;
    for (int k = 0; k < 22; ++k)
      (recency((low + high) / 2) > 1 - 0.143292 ? low : high) = (low + high) / 2;
    const auto s = make_sampler("stretched_exponential:shape=" + std::to_string(row.shape) +
                                ",scale=" + std::to_string(low));
    const Diagnosis d = inspect(*s, {.size = n, .capacity = n});
    EXPECT_NEAR(d.sampling_entropy - std::log(n), row.entropy, 3e-5) << row.shape;
    EXPECT_NEAR(std::exp(d.collision_entropy) / n, row.collision, 3e-5) << row.shape;
  }
}

// Table 3.4: V = 256 (2 updates of 128 per step)
TEST(PaperNumbers, ExpectedReplaysPerIndexAndStep) {
  struct Row {
    const char* spec;
    std::array<double, 6> replays;
  };
  for (const Row& row : std::vector<Row>{
           {"uniform", {2.56e-4, 2.56e-4, 2.56e-4, 2.56e-4, 2.56e-4, 2.56e-4}},
           {"truncated_geometric",
            {1.734558e-6, 9.812156e-6, 5.550603e-5, 3.139879e-4, 8.880929e-4, 1.776187e-3}},
           {"uniform_fifo:window=288000", {0, 0, 0, 8.888889e-4, 8.888889e-4, 8.888889e-4}},
           {"ere:eta=0.996", {0, 2.106815e-5, 6.351871e-5, 1.910989e-4, 5.747351e-4, 3.458473e-3}},
           {"ere:eta=0.996642785",
            {0, 2.523113e-5, 7.619314e-5, 2.285190e-4, 6.844672e-4, 2.125338e-3}},
           {"linear",
            {4.995122e-7, 1.282499e-4, 2.560003e-4, 3.837501e-4, 4.604003e-4, 5.115005e-4}},
           {"reverse_truncated_geometric",
            {1.776187e-3, 3.139879e-4, 5.550565e-5, 9.812156e-6, 3.469118e-6, 1.734558e-6}},
           {"gaussian",
            {7.428372e-7, 1.344684e-4, 7.606653e-4, 1.344684e-4, 9.007465e-6, 7.428372e-7}}}) {
    const Diagnosis d = full(row.spec, kMillion, {.updates_per_step = 2, .batch = 128});
    EXPECT_EQ(d.replay_volume, 256);
    for (std::size_t k = 0; k < row.replays.size(); ++k)
      expect_digits(d.expected_replays[k].replays_per_step, row.replays[k], 7,
                    std::string(row.spec) + " " + std::to_string(k));
  }
  EXPECT_NEAR(full("uniform", kMillion, {.updates_per_step = 16, .batch = 128})
                  .expected_replays[3]
                  .replays_per_step,
              2.048e-3, 1e-15);
}

// Table 3.5: time to first replay; means are given with four digits
TEST(PaperNumbers, TimeToFirstReplay) {
  struct Row {
    double volume;
    std::array<double, 14> values;  // median, mean for the seven samplers
  };
  const std::array specs{"uniform",
                         "truncated_geometric",
                         "uniform_fifo:window=288000",
                         "ere:eta=0.996",
                         "linear",
                         "gaussian",
                         "reverse_truncated_geometric"};
  for (const Row& row :
       std::vector<Row>{{1,
                         {693147, 6.321e5, 170120, 4.374e5, 199627, 4.440e5, 121182, 4.234e5,
                          446492, 5.382e5, 567774, 6.604e5, 947186, 8.860e5}},
                        {4,
                         {173287, 2.454e5, 27425, 6.487e4, 49907, 8.372e4, 12827, 4.721e4, 90851,
                          1.508e5, 373633, 3.860e5, 747795, 7.194e5}},
                        {16,
                         {43322, 6.250e4, 6384, 9659, 12477, 1.800e4, 3207, 4660, 21923, 3.237e4,
                          270043, 2.658e5, 550202, 5.270e5}},
                        {102.4,
                         {6770, 9766, 979, 1422, 1950, 2813, 502, 723, 3394, 4912, 169085, 1.643e5,
                          298637, 2.905e5}},
                        {512,
                         {1354, 1954, 196, 283, 390, 563, 101, 145, 678, 979, 100120, 9.766e4,
                          125396, 1.331e5}}}) {
    for (std::size_t k = 0; k < specs.size(); ++k) {
      const Diagnosis d = full(specs[k], kMillion, {.updates_per_step = 1, .batch = row.volume});
      const std::string what = std::string(specs[k]) + " V " + std::to_string(row.volume);
      EXPECT_NEAR(d.first_replay_median, row.values[2 * k], 1) << what;
      const double mean = row.values[2 * k + 1];
      EXPECT_NEAR(d.first_replay_mean, mean, mean >= 1e4 ? mean * 5.1e-4 : 0.6) << what;
    }
  }
  const Diagnosis once = full("uniform", kMillion, {.updates_per_step = 1, .batch = 1});
  EXPECT_NEAR(once.never_replayed_probability, 0.3678793, 6e-8);
  EXPECT_NEAR(full("truncated_geometric", kMillion, {.updates_per_step = 1, .batch = 1})
                  .never_replayed_probability,
              0.3678788, 6e-8);
  EXPECT_NEAR(full("ere", kMillion, {.updates_per_step = 1, .batch = 1}).never_replayed_probability,
              0.3678783, 6e-8);
  // e^-V (1 - V/2 * sum of squares): the same for every sampler to that order
  for (const char* spec : {"linear", "gaussian", "truncated_geometric"}) {
    for (const double volume : {4.0, 16.0, 64.0}) {
      const Diagnosis d = full(spec, kMillion, {.updates_per_step = 1, .batch = volume});
      const double relative = d.never_replayed_probability / std::exp(-volume) - 1;
      EXPECT_NEAR(relative, -volume / 2 * std::exp(-d.collision_entropy), 1e-6)
          << spec << " V " << volume;
    }
  }
}

// Table 3.5: growing buffers (continuous limit, so a large capacity)
TEST(PaperNumbers, LifetimeExposureOfGrowingBuffers) {
  struct Row {
    double inserted;
    std::array<double, 12> exposure;  // uniform, TG, FIFO, ERE for T = N, N/2, 1.953 N
  };
  const std::array specs{"uniform", "truncated_geometric", "uniform_fifo:window=0.288",
                         "ere:eta=0.996,cycle=20000"};
  const Index n = 100'000'000;
  const std::array<Index, 3> steps{n, n / 2, 195'312'500};
  for (const Row& row :
       std::vector<Row>{{0.01,
                         {4.605170, 2.896552, 3.395098, 1.193002, 4.605170, 3.465834, 4.070884,
                          1.150612, 3.955271, 2.365216, 2.758762, 1.215113}},
                        {0.1,
                         {2.302585, 1.384340, 1.405013, 1.217076, 2.302585, 1.691680, 1.924549,
                          1.211133, 1.828467, 1.155827, 1.066528, 1.197603}},
                        {0.5,
                         {0.693147, 0.984693, 1, 1.074279, 0.693147, 0.920818, 0.877611, 1.074081,
                          0.976842, 0.999841, 1, 1.003498}},
                        {0.9,
                         {0.105361, 0.500734, 0.347222, 0.672725, 0.105361, 0.304380, 0.173611,
                          0.672725, 0.195313, 0.742469, 0.678168, 0.793298}},
                        {0.99,
                         {0.010050, 0.067035, 0.034722, 0.135503, 0.010050, 0.035183, 0.017361,
                          0.135503, 0.019531, 0.126740, 0.067817, 0.262661}}}) {
    for (std::size_t t = 0; t < steps.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double value = lifetime_exposure(*make_sampler(specs[k]), n, steps[t], row.inserted);
        EXPECT_NEAR(value, row.exposure[4 * t + k], 2e-6)
            << specs[k] << " T " << steps[t] << " s " << row.inserted;
      }
    }
  }
}

// Table 3.1, last column: recency averaged over a run that fills the buffer exactly, and its slope
// in alpha below the table.
TEST(PaperNumbers, RecencyAveragedWhileTheBufferFills) {
  struct Row {
    const char* alpha;
    double average;
  };
  for (const Row& row : std::vector<Row>{{"0.1", 0.502887998},
                                         {"1", 0.528766373},
                                         {"5", 0.632206918},
                                         {"10", 0.720542871},
                                         {"20", 0.810341845},
                                         {"50", 0.897698204}}) {
    const auto s = make_sampler(std::string("truncated_geometric:alpha=") + row.alpha);
    // Simpson's rule over the fill; at an empty buffer the recency is 1/2.
    constexpr int kPieces = 400;
    double sum = 0.5;
    for (int k = 1; k <= kPieces; ++k) {
      const double at =
          expected_recency(*s, {.size = kMillion * k / kPieces, .capacity = kMillion});
      sum += at * (k == kPieces ? 1 : k % 2 == 1 ? 4 : 2);
    }
    // the table's limit of many transitions, against a million: about 1e-6 apart
    EXPECT_NEAR(sum / (3 * kPieces), row.average, 2e-6) << row.alpha;
  }
  const auto recency = [](double alpha) {
    return expected_recency(*make_sampler("truncated_geometric:alpha=" + std::to_string(alpha)),
                            {.size = kMillion, .capacity = kMillion});
  };
  for (const auto& [alpha, slope] : std::vector<std::pair<double, double>>{
           {1, 0.05640079}, {5, 0.03462698}, {10, 0.01374873}, {20, 0.00360608}})
    EXPECT_NEAR((recency(alpha + 1e-3) - recency(alpha - 1e-3)) / 2e-3, slope, 1e-7) << alpha;
}

// 3.5: not yet replayed after 1, 10 and 50 % of the capacity in steps
TEST(PaperNumbers, NotYetReplayed) {
  struct Row {
    const char* spec;
    double volume;
    std::array<double, 3> unseen;
  };
  for (const Row& row :
       std::vector<Row>{{"uniform", 4, {0.960789, 0.670320, 0.135335}},
                        {"uniform", 16, {0.852144, 0.201896, 0.000335}},
                        {"truncated_geometric", 4, {0.764808, 0.135070, 0.020676}},
                        {"truncated_geometric", 16, {0.342144, 0.000333, 0}},
                        {"uniform_fifo:window=288000", 4, {0.870325, 0.249352, 0.018316}},
                        {"ere:eta=0.996", 4, {0.582521, 0.074123, 0.022187}},
                        {"ere:eta=0.996", 16, {0.115145, 0.000030, 0}},
                        {"linear", 4, {0.923557, 0.467995, 0.049884}}}) {
    const AgeDistribution distribution =
        make_sampler(row.spec)->age_distribution({.size = kMillion, .capacity = kMillion});
    const std::array<double, 3> ages{1e4, 1e5, 5e5};
    for (std::size_t k = 0; k < ages.size(); ++k) {
      double log_unseen = 0, age = 0;
      for (const mneme::Segment& segment : distribution.segments) {
        const double taken = std::min(static_cast<double>(segment.length), ages[k] - age);
        if (taken <= 0) break;
        log_unseen += row.volume * taken * std::log1p(-segment.probability);
        age += static_cast<double>(segment.length);
      }
      EXPECT_NEAR(std::exp(log_unseen), row.unseen[k], 6e-7) << row.spec << " V " << row.volume;
    }
  }
}

// The exposure of ERE in a growing buffer: windows in whole steps of a cycle against the
// reference's continuous cycle.
TEST(PaperNumbers, LifetimeExposureOfEre) {
  struct Row {
    double inserted, exposure;
  };
  const Index n = 10'000'000;
  const auto ere = make_sampler("ere:eta=0.996,cycle=1000");
  for (const Row& row : std::vector<Row>{{0.1, 1.217076}, {0.5, 1.074279}, {0.9, 0.672725}})
    EXPECT_NEAR(lifetime_exposure(*ere, n, n, row.inserted), row.exposure, 2e-3) << row.inserted;
}

}  // namespace
}  // namespace mneme
