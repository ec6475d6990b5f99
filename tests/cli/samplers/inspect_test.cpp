// tests/cli/samplers/inspect_test.cpp - `mneme inspect`: the paper's numbers, exact JSON, the ways
// people write counts, and what it refuses.
#include <cstdio>

#include "mneme/diagnostics.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

const std::vector<std::string> kPaper{"inspect", "--sampler", "truncated_geometric:alpha=10",
                                      "--capacity", "1M"};

std::vector<std::string> with(std::vector<std::string> first,
                              const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

TEST(InspectCommand, TableHasThePapersNumbers) {
  const Answer answer = mneme_tool(kPaper);
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  MNEME_EXPECT_SAYS(answer.out, "1,000,000 of 1,000,000 transitions stored");
  MNEME_EXPECT_SAYS(answer.out, "expected_recency 0.856708507 ");
  MNEME_EXPECT_SAYS(answer.out, "sampling_entropy 12.8716848 nats; uniform: 13.8155106");
  MNEME_EXPECT_SAYS(answer.out, "perplexity 389,136 ");
  MNEME_EXPECT_SAYS(answer.out, "newest_probability 6.93823028e-06 6.938 times uniform");
  MNEME_EXPECT_SAYS(answer.out, "oldest_probability 6.77561551e-09 ");
  MNEME_EXPECT_SAYS(answer.out, "two draws are the same once in 287,976");
  MNEME_EXPECT_SAYS(answer.out, "10 % 0.500489");
}

// One name per quantity, everywhere; and the very double that the library computed.
TEST(InspectCommand, JsonCarriesEveryQuantityToTheLastBit) {
  for (const char* spec :
       {"truncated_geometric:alpha=10", "ere:eta=0.996", "uniform_fifo:window=0.1", "linear",
        "stretched_exponential:scale=0.3,shape=0.5"}) {
    const JsonValue json =
        json_of({"inspect", "--sampler", spec, "--size", "50k", "--capacity", "200k", "--streams",
                 "128", "--updates-per-step", "2", "--batch", "32768", "--reference", "1M"});
    const Diagnosis d = inspect(
        *make_sampler(spec), {.size = 50'000, .capacity = 200'000},
        {.updates_per_step = 2, .batch = 32768, .streams = 128, .reference_capacity = 1'000'000});
    const std::vector<std::pair<std::string, double>> quantities{
        {"expected_recency", d.expected_recency},
        {"reference_recency", d.reference_recency},
        {"sampling_entropy", d.sampling_entropy},
        {"conditional_entropy", d.conditional_entropy},
        {"perplexity", d.perplexity},
        {"collision_entropy", d.collision_entropy},
        {"newest_probability", d.newest_probability},
        {"oldest_probability", d.oldest_probability},
        {"replay_volume", d.replay_volume},
        {"updates_per_transition", d.updates_per_transition},
        {"first_replay_median", d.first_replay_median},
        {"first_replay_mean", d.first_replay_mean},
        {"never_replayed_probability", d.never_replayed_probability},
    };
    for (const auto& [name, value] : quantities) {
      const JsonValue& written = json[name];
      EXPECT_EQ(written.kind, JsonValue::Kind::number) << name;
      EXPECT_EQ(written.number, value) << spec << ' ' << name;
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.17g", value);
      EXPECT_EQ(written.text, digits) << spec << ' ' << name;
    }
    EXPECT_EQ(json["sampler"].text, make_sampler(spec)->spec());
    EXPECT_EQ(json["size"].number, 50'000);
    EXPECT_EQ(json["reference_capacity"].number, 1'000'000);
    for (std::size_t k = 0; k < d.newest_mass.size(); ++k)
      EXPECT_EQ(json["newest_mass"][k]["mass"].number, d.newest_mass[k].mass);
    for (std::size_t k = 0; k < d.expected_replays.size(); ++k)
      EXPECT_EQ(json["expected_replays"][k]["replays_per_step"].number,
                d.expected_replays[k].replays_per_step);
  }
  EXPECT_EQ(json_of(kPaper)["replay_volume"].number, 256);
}

TEST(InspectCommand, ExposureInARunFromEmpty) {
  EXPECT_FALSE(json_of(kPaper).has("lifetime_exposure"));
  const JsonValue json = json_of(with(kPaper, {"--steps", "2M"}));
  EXPECT_EQ(json["steps"].number, 2e6);
  EXPECT_EQ(json["lifetime_exposure"].size(), 7U);
  EXPECT_NEAR(json["lifetime_exposure"][3]["exposure"].number, 1, 1e-3);
  MNEME_EXPECT_SAYS(mneme_tool(with(kPaper, {"--steps", "2M"})).out, "In a run of 2,000,000 steps");
}

TEST(InspectCommand, CountsAsPeopleWriteThem) {
  const auto capacity = [](const std::string& text) {
    return json_of({"inspect", "--capacity", text})["capacity"].number;
  };
  for (const char* million : {"1000000", "1e6", "1M", "1,000,000", "1_000_000", "1000k", "1,000k"})
    EXPECT_EQ(capacity(million), 1e6) << million;
  EXPECT_EQ(capacity("51.2k"), 51'200);
  EXPECT_EQ(capacity("0.001G"), 1e6);
  const JsonValue json =
      json_of({"inspect", "--capacity", "9", "--updates-per-step", "1/64", "--batch", "0.5"});
  EXPECT_EQ(json["updates_per_step"].number, 1.0 / 64);
  EXPECT_EQ(json["replay_volume"].number, 0.5 / 64);
}

TEST(InspectCommand, SizeIsTheCapacityOnlyIfNotGiven) {
  EXPECT_EQ(json_of({"inspect", "--capacity", "77"})["size"].number, 77);
  expect_refused({"inspect", "--capacity", "77", "--size", "0"},
                 {"the buffer holds 0 transitions", "at least one"});
}

TEST(InspectCommand, ImpossibleBuffersAreRefused) {
  const std::vector<std::string> base{"inspect", "--capacity"};
  for (const char* bad : {"0", "-5"})
    expect_refused(with(base, {bad}), {bad, "allowed: 1 to 1125899906842624"});
  for (const char* bad : {"", "1.5", "nan", "inf", "1e300", "1e16", "1k2", "x", "1,0,0", ",100",
                          "1,0000", "0x10", "1 000", "k"})
    expect_refused(with(base, {bad}),
                   {"--capacity is '" + std::string(bad) + "'", "whole number", "1e6 or 1M"});
  expect_refused(with(base, {"100", "--size", "200"}),
                 {"200 transitions", "capacity is 100", "must not exceed"});
  expect_refused(with(base, {"100", "--reference", "1"}),
                 {"reference_capacity is 1", "at least 2"});
  expect_refused(with(base, {"100", "--steps", "-3"}), {"steps is -3", "allowed: 1 to"});
}

TEST(InspectCommand, ImpossibleSettingsAreRefused) {
  const std::vector<std::string> base{"inspect", "--capacity", "100"};
  for (const char* name : {"--updates-per-step", "--batch"}) {
    for (const char* bad : {"0", "-1", "nan", "inf", "1/0", "1/", "/2", "1/2/3", "x", ""})
      expect_refused(with(base, {name, bad}),
                     {std::string(name) + " is '" + bad + "'", "above 0, such as 2, 0.5 or 1/64"});
  }
  expect_refused(with(base, {"--streams", "0"}), {"streams is 0", "above 0"});
  for (const char* bad : {"2", "-0.1", "nan", "x"})
    expect_refused(with(base, {"--progress", bad}),
                   {"--progress is '" + std::string(bad) + "'", "from 0 to 1"});
  expect_refused(with(base, {"--batch", "1e308", "--updates-per-step", "1e308"}),
                 {"1e+308 * 1e+308", "not a finite number", "smaller"});
}

TEST(InspectCommand, ImpossibleSamplersAreRefused) {
  const auto refused = [](const std::string& spec, const std::vector<std::string>& words) {
    expect_refused({"inspect", "--capacity", "100", "--sampler", spec}, words);
  };
  refused("unifrom", {"unknown sampler 'unifrom'", "did you mean 'uniform'", "known: uniform, "});
  refused("nothing_like_it", {"unknown sampler 'nothing_like_it'", "known: uniform, "});
  refused("linear:ration=2",
          {"unknown parameter 'ration'", "did you mean 'ratio'", "known: ratio, "});
  for (const char* bad : {"nan", "inf", "-inf", "-3", "1e5", "1e999", "word"})
    refused("truncated_geometric:alpha=" + std::string(bad),
            {"alpha is '" + std::string(bad) + "'", "allowed: 0 to 10000"});
  refused("ere:cycle=2.5", {"cycle is '2.5'", "whole numbers from 1 to 1000000"});
  refused("linear:anchor=sise", {"'sise'", "did you mean 'size'"});
  for (const char* bad :
       {"", ":", "uniform:", "linear:ratio", "linear:ratio=", "linear:=2", "linear:ratio=1,ratio=2",
        "linear:ratio=1,", "mix:a=(uniform", "mix:a=uniform)", "mix:a=linear:ratio=2", "uni form"})
    refused(bad, {"sampler spec '" + std::string(bad) + "'", "write name or name:key=value"});
}

}  // namespace
}  // namespace mneme::lab
