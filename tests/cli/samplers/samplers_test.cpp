// tests/cli/samplers/samplers_test.cpp - `mneme samplers`, and what the tool says around commands.
#include "mneme/sampler.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

using test::JsonValue;

TEST(SamplersCommand, ListsTheRegistry) {
  const Answer answer = mneme_tool({"samplers"});
  EXPECT_EQ(answer.code, kDone);
  EXPECT_EQ(answer.err, "");
  for (const SamplerInfo* info : registered_samplers()) {
    MNEME_EXPECT_SAYS(answer.out, std::string(info->name) + ": " + std::string(info->summary));
    for (const ParamSpec& param : info->params)
      MNEME_EXPECT_SAYS(answer.out, " " + std::string(param.name) + " ");
  }
  MNEME_EXPECT_SAYS(answer.out, "alpha 10 0 to 10,000");
  MNEME_EXPECT_SAYS(answer.out, "anchor capacity capacity | size");
  MNEME_EXPECT_SAYS(answer.out, "draws independent independent | stratified");
}

TEST(SamplersCommand, JsonHasEveryParameterWithItsRange) {
  const JsonValue json = json_of({"samplers"});
  EXPECT_EQ(json.keys(),
            (std::vector<std::string>{"samplers", "common_parameters", "prioritized_samplers"}));
  EXPECT_EQ(json["prioritized_samplers"].size(), 4u);  // per, rank_per, reaper, recency_per
  const auto infos = age_samplers();
  ASSERT_EQ(json["samplers"].size(), infos.size());
  for (std::size_t k = 0; k < infos.size(); ++k) {
    const JsonValue& one = json["samplers"][k];
    EXPECT_EQ(one["name"].text, infos[k]->name);
    EXPECT_EQ(one["examples"].size(), infos[k]->examples.size());
    ASSERT_EQ(one["parameters"].size(), infos[k]->params.size());
    for (std::size_t p = 0; p < infos[k]->params.size(); ++p) {
      const ParamSpec& param = infos[k]->params[p];
      const JsonValue& written = one["parameters"][p];
      EXPECT_EQ(written["name"].text, param.name);
      if (param.kind == ParamSpec::Kind::number || param.kind == ParamSpec::Kind::whole) {
        EXPECT_EQ(written["default"].number, param.fallback);
        EXPECT_EQ(written["lowest"].number, param.lowest);
        EXPECT_EQ(written["highest"].number, param.highest);
      }
    }
  }
}

TEST(Tool, HelpAndVersionAreAnswers) {
  MNEME_EXPECT_SAYS(mneme_tool({"--help"}).out, "`mneme` alone shows where to start");
  EXPECT_EQ(mneme_tool({"--version"}).code, kDone);
  for (const char* command :
       {"samplers", "inspect", "match", "frontier", "densities", "advise", "stats"}) {
    const Answer answer = mneme_tool({command, "--help"});
    EXPECT_EQ(answer.code, kDone);
    MNEME_EXPECT_SAYS(answer.out, "--json");
  }
}

TEST(Tool, UnknownWordsAreNamed) {
  MNEME_EXPECT_SAYS(mneme_tool({}).out, "help mneme COMMAND --help");
  expect_refused({"inspct"}, {"unknown command 'inspct'", "did you mean 'inspect'", "known: "});
  expect_refused({"--jsn"}, {"unknown option '--jsn'"});
  expect_refused({"samplers", "extra"}, {"'extra' is not expected", "mneme samplers --help"});
  expect_refused({"inspect", "--capcity", "9"}, {"'--capcity'", "did you mean '--capacity'"});
  expect_refused({"inspect"}, {"--capacity is required", "mneme inspect --help"});
  expect_refused({"inspect", "--capacity"}, {"--capacity", "mneme inspect --help"});
}

// The answer is whole or absent; an output that cannot take it is a failure of the machine.
TEST(Tool, OutputThatCannotBeWrittenIsAFailure) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run_tool({"samplers"}, out, err), kFailed);
  MNEME_EXPECT_SAYS(err.str(), "cannot write the answer");
}

// The reader that these tests trust refuses what other readers refuse.
TEST(JsonReader, IsStrict) {
  const JsonValue json = test::parse_json(R"({"a":[1,-2.5e-3,"x\n\u003c",true,null],"b":{}})");
  EXPECT_EQ(json["a"][1].number, -2.5e-3);
  EXPECT_EQ(json["a"][2].text, "x\n<");
  for (const char* bad :
       {"", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "[01]", "[1.]", "[.5]", "[+1]", "[NaN]",
        "[nan]", "[1e]", "[inf]", "\"\\x\"", "\"a\nb\"", "1 2", "{a:1}", "tru", "[1}"})
    EXPECT_THROW(test::parse_json(bad), std::runtime_error) << bad;
}

}  // namespace
}  // namespace mneme::lab
