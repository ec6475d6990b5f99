// tests/cli/samplers/explore_test.cpp - `mneme explore`: the explorer's template with a starting state in it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/places.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "MNEME_EXPLORER_TEMPLATE";
constexpr const char* kTemplate =
    "<html><script id=\"mneme-data\" type=\"application/json\">null</script></html>\n";

class ExploreCommand : public testing::Test {
 protected:
  ExploreCommand() : folder_(fs::path(testing::TempDir()) / "mneme_explore") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    if (const char* value = std::getenv(kVariable)) before_ = value;
    std::ofstream(file("template.html"), std::ios::binary) << kTemplate;
    setenv(kVariable, file("template.html").c_str(), 1);
  }
  ~ExploreCommand() override {
    fs::remove_all(folder_);
    before_.empty() ? unsetenv(kVariable) : setenv(kVariable, before_.c_str(), 1);
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
  std::string before_;
};

TEST_F(ExploreCommand, WritesTheStateItWasGiven) {
  const std::string path = file("explorer.html");
  const Answer answer =
      mneme_tool({"explore", "-o", path, "--sampler", "ere:eta=0.99", "--sampler", "uniform",
                  "--capacity", "50k", "--size", "20k", "--streams", "8", "--updates-per-step",
                  "1/4", "--batch", "512", "--steps", "1M"});
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_EQ(answer.out, "wrote " + path + "\n");
  std::ifstream in(path, std::ios::binary);
  std::stringstream page;
  page << in.rdbuf();
  const std::string text = page.str(), begin = "json\">";
  const std::size_t from = text.find(begin) + begin.size();
  const auto data = test::parse_json(text.substr(from, text.find("</script>") - from));
  EXPECT_EQ(data["kind"].text, "explorer");
  const auto& state = data["state"];
  ASSERT_EQ(state["samplers"].size(), 2U);
  EXPECT_EQ(state["samplers"][0].text, "ere:eta=0.99");
  EXPECT_EQ(state["capacity"].number, 50'000);
  EXPECT_EQ(state["stored"].number, 20'000);
  EXPECT_EQ(state["streams"].number, 8);
  EXPECT_EQ(state["updates"].number, 0.25);
  EXPECT_EQ(state["batch"].number, 512);
  EXPECT_EQ(state["steps"].number, 1'000'000);
}

TEST_F(ExploreCommand, RefusesWhatThePageCouldNotShow) {
  const std::string path = file("explorer.html");
  expect_refused({"explore", "-o", path, "--sampler", "unifrom"}, {"did you mean 'uniform'"});
  expect_refused({"explore", "-o", path, "--capacity", "1"}, {"--capacity must be at least 2"});
  expect_refused({"explore", "-o", path, "--size", "2M"}, {"--size must be at most the capacity"});
  expect_refused({"explore", "-o", path, "--sampler", "ere", "--sampler", "ere", "--sampler", "ere",
                  "--sampler", "ere", "--sampler", "ere"},
                 {"at most 4 times, got 5"});
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(ExploreCommand, WithoutATemplateSaysWhatToInstall) {
  setenv(kVariable, file("nowhere.html").c_str(), 1);
  const Answer named = mneme_tool({"explore", "-o", file("explorer.html")});
  EXPECT_EQ(named.code, kFailed);
  MNEME_EXPECT_SAYS(named.err, "set MNEME_EXPLORER_TEMPLATE to the explorer.html");
  if (fs::exists(test::source_path("web/dist/explorer.html"))) return;
  unsetenv(kVariable);
  const Answer missing = mneme_tool({"explore", "-o", file("explorer.html")});
  EXPECT_EQ(missing.code, kFailed);
  MNEME_EXPECT_SAYS(missing.err, "apt-get install emscripten");
}

}  // namespace
}  // namespace mneme::lab
