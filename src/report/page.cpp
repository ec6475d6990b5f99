// report/page.cpp - the page template and its data.
#include "report/page.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

struct Template {
  const char* name;      // the file
  const char* variable;  // names another file
  const char* built;     // where the tree this tool was built from has it
  const char* missing;   // what to do without it
};

constexpr Template kPage{
    "page.html", "MNEME_PAGE_TEMPLATE", MNEME_PAGE_TEMPLATE,
    "the page template is not built; run scripts/demo once, or `npm ci && npm run build` in web/ "
    "(Node.js 18 or newer), or use --json"};
constexpr Template kExplorer{
    "explorer.html", "MNEME_EXPLORER_TEMPLATE", MNEME_EXPLORER_TEMPLATE,
    "the explorer is not built; it needs Emscripten (apt-get install emscripten): run "
    "src/explorer/build, then `npm ci && npm run build` in web/ (Node.js 18 or newer)"};

// Where a template may be: named by hand, beside an installed tool, in the tree this tool was
// built from.
fs::path find_template(const Template& wanted) {
  if (const char* named = std::getenv(wanted.variable)) return named;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  const fs::path installed = program.parent_path() / "../share/mneme" / wanted.name;
  for (const fs::path& candidate : {installed, fs::path(wanted.built)}) {
    if (fs::exists(candidate, none)) return candidate;
  }
  throw IoError(wanted.missing);
}

std::string read(const fs::path& path, const Template& wanted) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    throw IoError(concat("cannot read the page template '", path.string(), "'; set ",
                         wanted.variable, " to the ", wanted.name,
                         " that web/ builds, or unset it"));
  return std::move(text).str();
}

std::string filled(const Template& wanted, const std::string& json) {
  const fs::path source = find_template(wanted);
  std::string page = read(source, wanted);
  constexpr std::string_view kSlot =
      "<script id=\"mneme-data\" type=\"application/json\">null</script>";
  const std::size_t at = page.find(kSlot);
  if (at == std::string::npos)
    throw CorruptData(concat(source.string(), " is not a mneme page template; build web/ again"));
  return page.replace(at + kSlot.find("null"), 4, json);
}

}  // namespace

std::string filled_page(const std::string& json) { return filled(kPage, json); }

void write_page(const std::string& path, const std::string& json) {
  write_file(path, filled_page(json));
}

void write_explorer(const std::string& path, const std::string& json) {
  write_file(path, filled(kExplorer, json));
}

}  // namespace mneme::lab
