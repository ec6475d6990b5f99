// term/screen.h - width and color of the terminal that the answer and the progress go to.
//
// The tool writes plain text of any width into files and pipes. On a terminal it fits tables to
// the width, and colors mean something: bold what an answer is about, green good, red bad, yellow
// a warning, dim what may be skipped.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace mneme::lab {

enum class Style { plain, strong, good, bad, warning, dim };

struct Screen {
  std::size_t width = 0;  ///< columns; 0: no limit
  bool color = false;
  bool live = false;  ///< a line may be drawn again over itself
};

enum class Color { automatic, always, never };
/// "auto", "always" or "never". Throws InvalidArgument.
Color color_named(const std::string& name);

/// Of a file descriptor: a terminal has a width, and colors unless NO_COLOR is set (to anything but
/// nothing) or TERM is "dumb".
Screen screen_of(int descriptor, Color color);

/// Where the answer (standard output) and the progress (standard error) go. Plain and without limit
/// until `use_screens` is called.
const Screen& answer_screen();
const Screen& progress_screen();
void use_screens(const Screen& answer, const Screen& progress);

/// `text` in that style on the screen of the answer; the same text where colors are off.
std::string styled(std::string_view text, Style style);
std::string styled(std::string_view text, Style style, const Screen& screen);

/// Columns that a text takes: UTF-8 characters, without escape sequences.
std::size_t display_width(std::string_view text);
/// The first `width` columns, the last of them "…" where something was cut off. `text` has no
/// escape sequences.
std::string clipped(std::string_view text, std::size_t width);
/// `text` with as many blanks as fill `width` columns, before it or behind it.
std::string padded(std::string_view text, std::size_t width, bool right);

/// `text` broken into lines of at most `width` columns, each after the first indented by `indent`.
/// Without a width: that of the answer's screen, at most 100.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 0);

}  // namespace mneme::lab
