// report/plots.cpp - a browser is asked for the page's document after drawing; with
// #pictures in its address the page leaves every plot there as text, in one element.
//
// The text is base64, so that nothing in it needs unescaping. One more call per plot makes the PNG
// out of the SVG file.
#include "report/plots.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"
#include "os/subprocess.h"
#include "os/temp_dir.h"
#include "report/page.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

fs::path find_browser() {
  std::vector<std::string> names{"chromium", "google-chrome", "google-chrome-stable"};
  if (const char* named = std::getenv("MNEME_CHROMIUM")) names.insert(names.begin(), named);
  for (const std::string& name : names)
    if (const fs::path program = find_program(name); !program.empty()) return program;
  throw NotFound(
      "--plots needs Chromium, which is not here: install it, or name it in MNEME_CHROMIUM. The "
      "page has every plot as SVG behind a button, and --csv writes the numbers");
}

// Runs the browser to its end, its standard output in `answer`.
void browse(const fs::path& browser, const TempDir& scratch, std::vector<std::string> arguments,
            const fs::path& answer) {
  arguments.insert(
      arguments.begin(),
      {browser.string(), "--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
       "--disable-background-networking", "--disable-component-update", "--disable-sync",
       concat("--user-data-dir=", (scratch.path() / "profile").string())});
  if (geteuid() == 0) arguments.emplace_back("--no-sandbox");  // it refuses root otherwise
  const ExitStatus status =
      Subprocess(arguments, {.output_file = answer, .quiet = true, .working_directory = {}}).wait();
  if (status.code != 0)
    throw IoError(concat(browser.string(), " failed to draw the plots; the page itself has them"));
}

// Base64 without its blanks; any other character ends the text.
std::string decoded(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

struct Picture {
  std::string name, svg;
  long width = 0, height = 0;
};

// Lines of "name width height base64" between the two ends of the element.
std::vector<Picture> pictures_in(const std::string& document) {
  constexpr std::string_view kBegin = "<pre id=\"mneme-pictures\">";
  std::vector<Picture> pictures;
  const std::size_t at = document.find(kBegin);
  if (at == std::string::npos)
    throw CorruptData("the browser drew no plots; build web/ again, or look at the page itself");
  std::istringstream lines(
      document.substr(at + kBegin.size(), document.find("</pre>", at) - at - kBegin.size()));
  Picture next;
  for (std::string code; lines >> next.name >> next.width >> next.height >> code;) {
    next.svg = decoded(code);
    const bool plain = std::all_of(next.name.begin(), next.name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (plain) pictures.push_back(next);
  }
  return pictures;
}

}  // namespace

std::vector<std::string> write_pictures(const std::string& json, const fs::path& folder) {
  const fs::path browser = find_browser();
  const TempDir scratch("mneme-report");
  const fs::path page = scratch.path() / "page.html", answer = scratch.path() / "answer.txt";
  write_page(page.string(), json);
  browse(browser, scratch,
         {"--window-size=1280,900", "--virtual-time-budget=20000", "--dump-dom",
          concat("file://", page.string(), "#pictures")},
         answer);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(concat(folder.string(), ": ", error.message(), "; name another folder"));
  std::vector<std::string> names;
  for (const Picture& picture : pictures_in(read_file(answer))) {
    const fs::path svg = fs::absolute(folder / (picture.name + ".svg"));
    std::ofstream file(svg, std::ios::binary);
    file << picture.svg << std::flush;
    if (!file) throw IoError(concat(svg.string(), ": cannot write; is the disk full?"));
    file.close();
    browse(browser, scratch,
           {concat("--window-size=", picture.width, ',', picture.height),
            "--force-device-scale-factor=2",
            concat("--screenshot=", fs::absolute(folder / (picture.name + ".png")).string()),
            concat("file://", svg.string())},
           scratch.path() / "ignored.txt");
    names.push_back(picture.name);
  }
  return names;
}

}  // namespace mneme::lab
