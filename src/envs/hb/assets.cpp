// envs/hb/assets.cpp - puts the suite's files together.
#include "envs/hb/assets.h"

#include <fstream>
#include <sstream>

#include "base/text.h"
#include "envs/hb/robot.h"
#include "envs/hb/scene.h"
#include "mneme/error.h"

namespace mneme::envs::hb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModel = ":model=";

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw NotFound(concat("model=suite: cannot read ", path.string()));
  return std::move(text).str();
}

// Text between `open` and `close` goes, both included.
void drop_all(std::string& text, std::string_view open, std::string_view close) {
  for (std::size_t begin = 0; (begin = text.find(open, begin)) != std::string::npos;) {
    const std::size_t end = text.find(close, begin);
    text.erase(begin, end == std::string::npos ? end : end + close.size() - begin);
  }
}

// What stands inside the outermost element.
std::string inside(const std::string& text, const fs::path& path) {
  const std::size_t open = text.find('>'), close = text.rfind("</");
  if (open == std::string::npos || close == std::string::npos || close <= open)
    throw CorruptData(concat(path.string(), " is not a model"));
  return text.substr(open + 1, close - open - 1);
}

// A class may stand at the top of a file of its own, which newer versions of MuJoCo refuse: it gets
// the element around it that they want.
std::string with_default_element(const std::string& text) {
  constexpr std::string_view kOpen = "<default", kClose = "</default>";
  const std::size_t begin = text.find(kOpen);
  if (begin == std::string::npos || text.compare(begin, 15, "<default class=") != 0) return text;
  const std::size_t end = text.rfind(kClose) + kClose.size();
  return concat(text.substr(0, begin), "<default>", text.substr(begin, end - begin), kClose,
                text.substr(end));
}

// A file without comments, the files it includes in their places. MuJoCo looks for those relative
// to the folder of the outermost file.
std::string expanded(const fs::path& folder, const fs::path& file, int depth = 0) {
  if (depth > 10) throw CorruptData(concat(file.string(), " includes itself"));
  const fs::path path = (folder / file).lexically_normal();
  std::string text = read_file(path);
  drop_all(text, "<!--", "-->");
  drop_all(text, "<?", "?>");
  text = inside(text, path);
  for (std::size_t begin = 0; (begin = text.find("<include", begin)) != std::string::npos;) {
    const std::size_t end = text.find("/>", begin), quote = text.find('"', begin);
    const std::size_t close = quote == std::string::npos ? quote : text.find('"', quote + 1);
    if (end == std::string::npos || close == std::string::npos || close > end)
      throw CorruptData(concat(path.string(), ": an include without a file"));
    const std::string name = text.substr(quote + 1, close - quote - 1);
    const std::string what = with_default_element(expanded(folder, name, depth + 1));
    text.replace(begin, end + 2 - begin, what);
    begin += what.size();
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string_view model_of(std::string_view name) {
  const std::size_t at = name.find(kModel);
  return at == std::string_view::npos ? "shapes" : name.substr(at + kModel.size());
}

std::string mesh_element(std::string_view name, const fs::path& file, std::string_view more) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    throw NotFound(concat("the mesh ", file.string(), " is not there, others beside it are"));
  return concat("<mesh name=\"", name, "\" file=\"", escaped(fs::absolute(file).string()), "\" ",
                more, "/>\n");
}

SuiteModel suite_model(std::string_view name, const Scene& scene) {
  std::string task(task_of(name));
  if (const std::size_t fixed = task.find("_fixed"); fixed != std::string::npos) task.resize(fixed);
  const std::string file = concat(robot_of(name).name, "_pos_", task, ".xml");
  const fs::path folder = suite_scenes(file);
  // Contact and solver as in the suite's version of MuJoCo, see flags.
  return {concat("<mujoco>", expanded(folder, file),
                 "<asset><material name=\"goal\" rgba=\".4 .75 .42 .6\"/></asset><worldbody>",
                 scene.marks, "</worldbody><option>", flags(scene), "</option></mujoco>"),
          folder.string()};
}

}  // namespace mneme::envs::hb
