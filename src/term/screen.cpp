// term/screen.cpp - terminal sizes, escape sequences, UTF-8 widths.
#include "term/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

Screen answer, progress;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

bool asks_for_no_color() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return true;
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

}  // namespace

Color color_named(const std::string& name) {
  if (name == "auto") return Color::automatic;
  if (name == "always") return Color::always;
  if (name == "never") return Color::never;
  throw InvalidArgument(concat("--color must be auto, always or never, got '", name, "'"));
}

Screen screen_of(int descriptor, Color color) {
  Screen screen;
  screen.live = isatty(descriptor) != 0;
  screen.color =
      color == Color::always || (color == Color::automatic && screen.live && !asks_for_no_color());
  if (!screen.live) return screen;
  winsize size{};
  // A terminal that does not say its size (a serial line) is taken for the usual one.
  screen.width = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  return screen;
}

const Screen& answer_screen() { return answer; }
const Screen& progress_screen() { return progress; }
void use_screens(const Screen& of_answer, const Screen& of_progress) {
  answer = of_answer;
  progress = of_progress;
}

std::string styled(std::string_view text, Style style, const Screen& screen) {
  constexpr std::array kCodes{"", "1", "32", "31", "33", "2"};
  if (!screen.color || style == Style::plain || text.empty()) return std::string(text);
  return concat("\033[", kCodes[static_cast<std::size_t>(style)], "m", text, "\033[0m");
}
std::string styled(std::string_view text, Style style) { return styled(text, style, answer); }

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\033') {
      while (at < text.size() && text[at] != 'm') ++at;
    } else if (begins_character(text[at])) {
      ++width;
    }
  }
  return width;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end)
    if (begins_character(text[end]) && ++columns == width) break;
  return concat(text.substr(0, end), "…");
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t taken = display_width(text);
  const std::string blanks(width > taken ? width - taken : 0, ' ');
  return right ? concat(blanks, text) : concat(text, blanks);
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  if (width == 0) width = answer.width == 0 ? 100 : std::min<std::size_t>(answer.width, 100);
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = indent;
  while (words >> word) {
    const std::size_t wide = display_width(word);
    if (!out.empty() && column + 1 + wide > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
  }
  return out;
}

}  // namespace mneme::lab
