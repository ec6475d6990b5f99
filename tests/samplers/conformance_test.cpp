// tests/samplers/conformance_test.cpp - what every registered sampler must satisfy, run for each of
// its examples.
//
// A new line in registry.def is tested here without a word being added.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/cpu.h"
#include "base/text.h"
#include "mneme/error.h"
#include "support/chi_square.h"
#include "support/places.h"

namespace mneme {
namespace {

using test::chi_square_p;
using test::histogram;
using test::pmf_of;

std::vector<std::string> all_examples() {
  std::vector<std::string> specs;
  for (const SamplerInfo* info : age_samplers())
    for (const std::string_view example : info->examples) specs.emplace_back(example);
  return specs;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return concat(info.index, "_", name);
}

class EverySampler : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Sampler> sampler() const { return make_sampler(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Registry, EverySampler, testing::ValuesIn(all_examples()), test_name);

const std::vector<Index> kSizes{1, 2, 3, 7, 8, 255, 256, 1000, 5000, 10000};
constexpr Index kCapacity = 10000;

TEST_P(EverySampler, ProbabilitiesSumToOne) {
  for (const Index size : kSizes) {
    for (const Scope scope : {Scope::cycle, Scope::batch}) {
      double sum = 0;
      for (const double p : pmf_of(*sampler(), {.size = size, .capacity = kCapacity}, scope)) {
        EXPECT_GE(p, 0);
        sum += p;
      }
      EXPECT_NEAR(sum, 1, 1e-12) << "size " << size;
    }
  }
}

TEST_P(EverySampler, InverseAgreesWithTheDistributionFunction) {
  Rng rng(1);
  for (const Index size : kSizes) {
    const BufferView view{.size = size, .capacity = kCapacity};
    auto s = sampler();
    const std::vector<double> p = pmf_of(*s, view, Scope::batch);
    // The order in which the inverse runs: u = 0 at the oldest or at the newest. A mixture has one
    // for each part and is checked by its frequencies below.
    std::vector<double> ends{0.0, 1 - 0x1p-53};
    std::vector<Index> at_ends(2);
    s->invert(view, ends, at_ends);
    if (s->info().name == "mix") continue;
    const bool newest_first = at_ends[0] > at_ends[1];
    std::vector<double> below(p.size() +
                              1);  // probability of all indices before this one, in that order
    for (std::size_t k = 0; k < p.size(); ++k)
      below[k + 1] = below[k] + p[newest_first ? p.size() - 1 - k : k];

    std::vector<double> u(2000);
    rng.fill_uniform(u);
    u.insert(u.end(), ends.begin(), ends.end());
    std::vector<Index> out(u.size());
    s->invert(view, u, out);
    for (std::size_t k = 0; k < u.size(); ++k) {
      ASSERT_GE(out[k], 0);
      ASSERT_LT(out[k], size);
      const auto place = static_cast<std::size_t>(newest_first ? size - 1 - out[k] : out[k]);
      constexpr double slack = 1e-12;  // what a sum of 10^4 doubles may be off by
      EXPECT_LE(below[place], u[k] + slack) << "u " << u[k] << " size " << size;
      EXPECT_GT(below[place + 1], u[k] - slack) << "u " << u[k] << " size " << size;
    }
  }
}

TEST_P(EverySampler, DrawsFollowItsPmf) {
  constexpr double kFalseAlarm = 1e-6;  // if the seed were rotated; it is fixed, so no flakes
  const BufferView part_filled{.size = 40, .capacity = 64};
  const BufferView wrapped{.size = 48, .capacity = 48, .oldest = 31};
  for (const BufferView& view : {part_filled, wrapped}) {
    const auto s = sampler();
    const std::vector<double> p = pmf_of(*s, view);
    // 14,000 batches are whole cycles of every example.
    const std::vector<double> counts = histogram(*s, view, Rng(20260), 14'000 * 72, 72);
    EXPECT_GT(chi_square_p(counts, p), kFalseAlarm);
    const bool flat =
        *std::max_element(p.begin(), p.end()) == *std::min_element(p.begin(), p.end());
    if (!flat) {
      EXPECT_LT(chi_square_p(test::one_too_old(counts), p), kFalseAlarm)
          << "this check has no power";
    }
    // Power for flat distributions too: the likeliest index is never drawn, its draws go next door.
    std::vector<double> missing = counts;
    const auto likeliest =
        static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
    missing[likeliest == 0 ? 1 : likeliest - 1] += missing[likeliest];
    missing[likeliest] = 0;
    EXPECT_LT(chi_square_p(missing, p), kFalseAlarm) << "this check has no power";
  }
}

TEST_P(EverySampler, AgeDistributionAgreesWithProbabilities) {
  for (const Index size : kSizes) {
    const BufferView view{.size = size, .capacity = kCapacity};
    const auto s = sampler();
    const std::vector<double> p = pmf_of(*s, view);
    const AgeDistribution distribution = s->age_distribution(view);
    ASSERT_TRUE(distribution.exact);
    Index age = 0;
    double mean_age = 0, entropy = 0;
    for (const mneme::Segment& segment : distribution.segments) {
      for (Index k = 0; k < segment.length; ++k, ++age) {
        ASSERT_LT(age, size);
        const double q = p[static_cast<std::size_t>(size - 1 - age)];
        ASSERT_NEAR(segment.probability, q, 1e-15);
        mean_age += static_cast<double>(age) * q;
        entropy -= q > 0 ? q * std::log(q) : 0;
      }
    }
    EXPECT_EQ(age, size);
    if (distribution.mean_age) {
      EXPECT_NEAR(*distribution.mean_age, mean_age, 1e-11 * static_cast<double>(size));
    }
    if (distribution.entropy) {
      EXPECT_NEAR(*distribution.entropy, entropy, 1e-11);
    }
  }
}

TEST_P(EverySampler, PortableAndVectorPathsDrawTheSame) {
  for (const BufferView& view : {BufferView{.size = 37, .capacity = 64},
                                 BufferView{.size = 700'000, .capacity = 1'000'000}}) {
    std::vector<Index> fast(1000), plain(1000);
    Rng one(5), other(5);
    sampler()->sample(view, one, fast);
    detail::force_portable(true);
    sampler()->sample(view, other, plain);
    detail::force_portable(false);
    EXPECT_EQ(fast, plain);
    EXPECT_EQ(one.state(), other.state());
  }
}

TEST_P(EverySampler, DrawsAreTheInverseOfTheGenerator) {
  const BufferView view{.size = 900, .capacity = 1000};
  Rng rng(8), same(8);
  std::vector<double> u(777);
  same.fill_uniform(u);
  std::vector<Index> drawn(u.size()), mapped(u.size());
  const auto s = sampler();
  if (GetParam().find("stratified") == std::string::npos) {
    s->invert(view, u, mapped);
    s->sample(view, rng, drawn);
  } else {
    // One uniform from each share of [0, 1), in random order: equal as sets, not as sequences.
    for (std::size_t k = 0; k < u.size(); ++k)
      u[k] = (static_cast<double>(k) + u[k]) / static_cast<double>(u.size());
    s->invert(view, u, mapped);
    s->sample(view, rng, drawn);
    EXPECT_NE(drawn, mapped);
    std::sort(drawn.begin(), drawn.end());
    std::sort(mapped.begin(), mapped.end());
  }
  EXPECT_EQ(drawn, mapped);
}

// Golden: the first draws of every example. They change only in a commit that says so.
TEST_P(EverySampler, GoldenSequence) {
  const std::string path = test::source_path("tests/samplers/fixtures/golden.txt");
  std::vector<Index> out(12);
  Rng rng(20260, 1, 7);
  const auto s = sampler();
  s->sample({.size = 60'000, .capacity = 100'000}, rng, std::span(out).first(6));
  s->sample({.size = 100'000, .capacity = 100'000, .oldest = 5}, rng, std::span(out).last(6));
  std::string line = GetParam();
  for (const Index i : out) line += concat(' ', i);

  std::ifstream in(path);
  std::map<std::string, std::string> golden;
  for (std::string text; std::getline(in, text);) golden[text.substr(0, text.find(' '))] = text;
  ASSERT_TRUE(golden.count(GetParam())) << "add this line to tests/samplers/fixtures/golden.txt:\n"
                                        << line;
  EXPECT_EQ(golden[GetParam()], line);
}

TEST_P(EverySampler, SpecRoundTrips) {
  const auto s = sampler();
  EXPECT_EQ(make_sampler(s->spec())->spec(), s->spec());
}

TEST_P(EverySampler, ResumesWhereItStopped) {
  const BufferView view{.size = 900, .capacity = 1000};
  const auto s = sampler();
  Rng rng(8);
  std::vector<Index> batch(33), again(33);
  for (int k = 0; k < 5; ++k) s->sample(view, rng, batch);
  const auto resumed = sampler();
  resumed->set_batches(s->batches());
  Rng resumed_rng(rng.state());
  s->sample(view, rng, batch);
  resumed->sample(view, resumed_rng, again);
  EXPECT_EQ(batch, again);
}

TEST_P(EverySampler, BadViewsAreRefusedAndNothingMoves) {
  const auto s = sampler();
  Rng rng(1);
  std::vector<Index> out(4, -7);
  const std::vector<BufferView> bad{{.size = 0, .capacity = 10},
                                    {.size = -1, .capacity = 10},
                                    {.size = 11, .capacity = 10},
                                    {.size = 1, .capacity = 0},
                                    {.size = 1, .capacity = kMaxCapacity + 1},
                                    {.size = 1, .capacity = 1, .progress = std::nan("")},
                                    {.size = 1, .capacity = 1, .progress = 1.5}};
  for (const BufferView& view : bad) {
    EXPECT_THROW(s->sample(view, rng, out), InvalidArgument);
    EXPECT_THROW(s->age_distribution(view), InvalidArgument);
  }
  EXPECT_EQ(out, std::vector<Index>(4, -7));
  EXPECT_EQ(rng.state(), Rng(1).state());
  EXPECT_EQ(s->batches(), 0u);
  std::vector<double> p(3);
  EXPECT_THROW(s->probabilities({.size = 5, .capacity = 5}, 3, p), InvalidArgument);
  EXPECT_THROW(s->probabilities({.size = 5, .capacity = 5}, -1, p), InvalidArgument);
  const std::vector<double> bad_u{1.0}, nan_u{std::nan("")}, low_u{-0.1};
  std::vector<Index> one(1);
  EXPECT_THROW(s->invert({.size = 5, .capacity = 5}, bad_u, one), InvalidArgument);
  EXPECT_THROW(s->invert({.size = 5, .capacity = 5}, nan_u, one), InvalidArgument);
  EXPECT_THROW(s->invert({.size = 5, .capacity = 5}, low_u, one), InvalidArgument);
  EXPECT_THROW(s->invert({.size = 5, .capacity = 5}, bad_u, out), InvalidArgument);
}

class EveryRegistered : public testing::TestWithParam<const SamplerInfo*> {};
INSTANTIATE_TEST_SUITE_P(Registry, EveryRegistered, testing::ValuesIn(age_samplers()),
                         [](const auto& registered) {
                           return std::string(registered.param->name);
                         });

TEST_P(EveryRegistered, BadParametersAreRefused) {
  const SamplerInfo& info = *GetParam();
  const std::string name(info.name);
  EXPECT_THROW(make_sampler(name + ":no_such_parameter=1"), NotFound);
  for (const ParamSpec& param : info.params) {
    const std::string key = name + ":" + std::string(param.name) + "=";
    for (const char* value :
         {"nan", "inf", "-inf", "", "1e999", "0x10", "1 2", "--1", "1e", "word"})
      EXPECT_THROW(make_sampler(key + value), Error) << key << value;
    if (param.kind == ParamSpec::Kind::number || param.kind == ParamSpec::Kind::whole) {
      EXPECT_THROW(make_sampler(concat(key, shortest_number(param.highest * 1.001 + 1))),
                   InvalidArgument);
      EXPECT_THROW(make_sampler(concat(key, "-1")), InvalidArgument);
    }
    if (param.kind == ParamSpec::Kind::whole) {
      EXPECT_THROW(make_sampler(key + "0.5"), InvalidArgument);
    }
  }
}

TEST_P(EveryRegistered, HasItsOwnFile) {
  const std::string path = test::source_path(concat("src/samplers/", GetParam()->name, ".cpp"));
  EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

// The other direction: a file that declares an entry has a line in registry.def.
TEST(Registry, ListsEveryFileThatDeclaresASampler) {
  std::size_t declared = 0;
  for (const char* folder : {"src/samplers", "src/priorities"}) {
    for (const auto& file : std::filesystem::directory_iterator(test::source_path(folder))) {
      if (file.path().extension() != ".cpp") continue;
      std::ifstream in(file.path());
      std::stringstream text;
      text << in.rdbuf();
      for (const char* kind : {"constinit const SamplerEntry", "constinit const PrioritizedEntry"})
        declared += text.str().find(kind) != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_EQ(declared, registered_samplers().size());
}

std::string complaint(std::string_view spec) {
  try {
    make_sampler(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Registry, UnknownNameListsAndSuggestsSamplersOfBothKinds) {
  EXPECT_THROW(make_sampler("prr"), NotFound);
  EXPECT_NE(complaint("prr").find("did you mean 'per'?"), std::string::npos) << complaint("prr");
  for (const SamplerInfo* info : registered_samplers())
    EXPECT_NE(complaint("nothing_like_it").find(info->name), std::string::npos) << info->name;
  EXPECT_THROW(sampler_info("prr"), NotFound);
}

TEST(Registry, SamplerThatNeedsFeedbackAsksForABuffer) {
  std::size_t prioritized = 0;
  for (const SamplerInfo* info : registered_samplers()) {
    if (!info->needs_feedback) continue;
    ++prioritized;
    EXPECT_THROW(make_sampler(info->name), InvalidArgument);
    EXPECT_NE(complaint(info->name).find("ReplayBuffer"), std::string::npos) << info->name;
    EXPECT_THROW(make_sampler(concat("mix:a=(", info->name, ")")), InvalidArgument);
    EXPECT_THROW(make_sampler(concat(info->name, ":no_such_parameter=1")), NotFound);
  }
  EXPECT_EQ(prioritized + age_samplers().size(), registered_samplers().size());
  EXPECT_GE(prioritized, 4u);
}

// P(i) = p_i^alpha / sum_j p_j^alpha, by hand.
TEST(FixedPriorities, ProbabilitiesOfPerFollowItsFormula) {
  const std::vector<float> priorities{1, 0, 4, 4, 16};
  const auto sampler = make_sampler("per:alpha=0.5,eps=0", priorities);
  const BufferView view{.size = 5, .capacity = 5};
  std::vector<double> p(5);
  sampler->probabilities(view, 0, p);
  const std::vector<double> expected{1 / 9.0, 0, 2 / 9.0, 2 / 9.0, 4 / 9.0};
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(p[k], expected[k], 1e-7) << k;
  EXPECT_NEAR(sampler->mean_age(view), (4 * 1 + 2 * 2 + 1 * 2) / 9.0, 1e-6);
  const AgeDistribution ages = sampler->age_distribution(view);
  ASSERT_EQ(ages.segments.size(), 4u);  // the two rows of equal priority are one
  EXPECT_EQ(ages.segments[1].length, 2);
  const auto counts = histogram(*sampler, view, Rng{7}, 100'000, 100);
  EXPECT_EQ(counts[1], 0);
  EXPECT_GT(chi_square_p(counts, p), 1e-6);
}

TEST(FixedPriorities, EveryPrioritizedSamplerHasADistributionThatSumsToOne) {
  const std::vector<float> priorities{1, 2, 3, 2, 1, 0.5f};
  for (const SamplerInfo* info : registered_samplers()) {
    if (!info->needs_feedback) continue;
    const auto sampler = make_sampler(info->name, priorities);
    double sum = 0;
    for (const Segment& segment : sampler->age_distribution({.size = 6, .capacity = 6}).segments)
      sum += static_cast<double>(segment.length) * segment.probability;
    EXPECT_NEAR(sum, 1, 1e-12) << info->name;
    EXPECT_THROW(sampler->age_distribution({.size = 5, .capacity = 6}), InvalidArgument);
  }
}

TEST(FixedPriorities, RefusesEmptyNegativeAndNonFinitePriorities) {
  const float nan = std::nanf("");
  for (const std::vector<float>& bad : {std::vector<float>{}, {1, nan}, {1, -1}, {HUGE_VALF}})
    EXPECT_THROW(make_sampler("per", bad), InvalidArgument);
  EXPECT_THROW(make_sampler("per:eps=0", std::vector<float>{0, 0}), InvalidArgument);
  EXPECT_NO_THROW(make_sampler("uniform", std::vector<float>{}));
}

}  // namespace
}  // namespace mneme
