// tests/cli/study/page_test.cpp - `--html`: a page is the template with the data in it, or no file at
// all.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/places.h"
#include "support/tool.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBefore = "<html><script id=\"mneme-data\" type=\"application/json\">";
constexpr const char* kAfter = "</script></html>\n";

// A folder of its own, and a template in it that takes the place of the one web/ builds.
class Page : public testing::Test {
 protected:
  Page() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("mneme_page_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    if (const char* value = std::getenv("MNEME_PAGE_TEMPLATE")) before_ = value;
    use_template(std::string(kBefore) + "null" + kAfter);
  }
  ~Page() override {
    fs::remove_all(folder_);
    if (before_.empty()) {
      unsetenv("MNEME_PAGE_TEMPLATE");
    } else {
      setenv("MNEME_PAGE_TEMPLATE", before_.c_str(), 1);
    }
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void use_template(const std::string& text) {
    std::ofstream(file("template.html"), std::ios::binary) << text;
    setenv("MNEME_PAGE_TEMPLATE", file("template.html").c_str(), 1);
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  // Everything in the folder but the template.
  std::size_t others() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      count += entry.path().filename() == "template.html" ? 0 : 1;
    return count;
  }
  // Exit code 1, these words, no file.
  void expect_failed(const std::vector<std::string>& arguments, const std::string& words) const {
    const std::size_t before = others();
    const Answer answer = mneme_tool(arguments);
    EXPECT_EQ(answer.code, kFailed);
    EXPECT_EQ(answer.out, "");
    MNEME_EXPECT_SAYS(answer.err, words);
    EXPECT_EQ(others(), before) << "something is left behind";
  }

  fs::path folder_;
  std::string before_;
};

TEST_F(Page, IsTheTemplateWithTheDataInIt) {
  for (const char* command : {"frontier", "densities"}) {
    const std::string path = file(std::string("new/folder/") + command + ".html");
    const Answer answer = mneme_tool({command, "--capacity", "1k", "--html", path});
    EXPECT_EQ(answer.code, kDone) << answer.err;
    EXPECT_EQ(answer.out, "wrote " + path + "\n");
    const std::string page = read(path), begin = kBefore, end = kAfter;
    ASSERT_GT(page.size(), begin.size() + end.size());
    EXPECT_EQ(page.substr(0, begin.size()), begin);
    EXPECT_EQ(page.substr(page.size() - end.size()), end);
    const std::string data = page.substr(begin.size(), page.size() - begin.size() - end.size());
    EXPECT_EQ(test::parse_json(data)["kind"].text, command);
    EXPECT_EQ(data.find('<'), std::string::npos) << "could end the script element";
    // With --json too, the same data goes to standard output.
    EXPECT_EQ(mneme_tool({command, "--capacity", "1k", "--json", "--html", path}).out, data + "\n");
    EXPECT_FALSE(fs::exists(path + ".part"));
  }
}

TEST_F(Page, ReplacesAnOldOne) {
  const std::string path = file("page.html");
  std::ofstream(path) << "old";
  EXPECT_EQ(mneme_tool({"frontier", "--capacity", "1k", "--html", path}).code, kDone);
  EXPECT_EQ(read(path).substr(0, 6), "<html>");
  EXPECT_EQ(others(), 1U);
}

TEST_F(Page, WithoutATemplateSaysWhatToDo) {
  setenv("MNEME_PAGE_TEMPLATE", file("nowhere.html").c_str(), 1);
  for (const char* command : {"frontier", "densities"})
    expect_failed({command, "--capacity", "1k", "--html", file("page.html")},
                  "nowhere.html'; set MNEME_PAGE_TEMPLATE");
  if (fs::exists(test::source_path("web/dist/page.html"))) return;
  unsetenv("MNEME_PAGE_TEMPLATE");
  expect_failed({"frontier", "--capacity", "1k", "--html", file("page.html")},
                "not built; run scripts/demo once, or `npm ci && npm run build` in web/");
}

TEST_F(Page, ATemplateWithoutAPlaceForDataIsRefused) {
  for (const char* text : {"", "<html></html>"}) {
    use_template(text);
    expect_failed({"frontier", "--capacity", "1k", "--html", file("page.html")},
                  "is not a mneme page template; build web/ again");
  }
}

TEST_F(Page, UnwritableFileLeavesNothing) {
  fs::create_directories(file("is_a_folder"));
  expect_failed({"frontier", "--capacity", "1k", "--html", file("is_a_folder")},
                "is not a regular file");
  expect_failed({"frontier", "--capacity", "1k", "--html", file("template.html") + "/page.html"},
                "cannot write: Not a directory");
}

TEST_F(Page, BadInputComesBeforeTheFile) {
  expect_refused({"frontier", "--capacity", "1", "--html", file("page.html")}, {"capacity is 1"});
  expect_refused({"densities", "--sampler", "nope", "--html", file("page.html")}, {"'nope'"});
  EXPECT_EQ(others(), 0U);
}

}  // namespace
}  // namespace mneme::lab
