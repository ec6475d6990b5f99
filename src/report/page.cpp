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

// Where the template may be: named by hand, beside an installed tool, in the tree this tool was
// built from.
fs::path find_template() {
  if (const char* named = std::getenv("MNEME_PAGE_TEMPLATE")) return named;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  for (const fs::path& candidate :
       {program.parent_path() / "../share/mneme/page.html", fs::path(MNEME_PAGE_TEMPLATE)}) {
    if (fs::exists(candidate, none)) return candidate;
  }
  throw IoError(
      "the page template is not built; run scripts/demo once, or `npm ci && npm run build` in web/ "
      "(Node.js 18 or newer), "
      "or use --json");
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    throw IoError(
        concat("cannot read the page template '", path.string(),
               "'; set MNEME_PAGE_TEMPLATE to the page.html that web/ builds, or unset it"));
  return std::move(text).str();
}

}  // namespace

void write_page(const std::string& path, const std::string& json) {
  const fs::path source = find_template();
  std::string page = read(source);
  constexpr std::string_view kSlot =
      "<script id=\"mneme-data\" type=\"application/json\">null</script>";
  const std::size_t at = page.find(kSlot);
  if (at == std::string::npos)
    throw CorruptData(concat(source.string(), " is not a mneme page template; build web/ again"));
  page.replace(at + kSlot.find("null"), 4, json);

  write_file(path, page);
}

}  // namespace mneme::lab
