// tests/term/screen_test.cpp - colors, widths, clipping, wrapping.
#include "term/screen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "mneme/error.h"

namespace mneme::lab {
namespace {

// The two ends of a terminal that is not there.
class Terminal {
 public:
  Terminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (ours_ < 0 || grantpt(ours_) != 0 || unlockpt(ours_) != 0) return;
    std::array<char, 100> name{};
    if (ptsname_r(ours_, name.data(), name.size()) == 0)
      theirs_ = open(name.data(), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    if (theirs_ >= 0) close(theirs_);
    if (ours_ >= 0) close(ours_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  int descriptor() const { return theirs_; }

 private:
  int ours_, theirs_ = -1;
};

TEST(Screen, ColorsOnTerminalsUnlessRefused) {
  const Terminal terminal;
  if (terminal.descriptor() < 0) GTEST_SKIP() << "no pseudo terminals here";
  unsetenv("NO_COLOR");
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(screen_of(terminal.descriptor(), Color::automatic).color);
  EXPECT_TRUE(screen_of(terminal.descriptor(), Color::automatic).live);
  EXPECT_FALSE(screen_of(terminal.descriptor(), Color::never).color);
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(screen_of(terminal.descriptor(), Color::automatic).color);
  setenv("TERM", "xterm", 1);
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(screen_of(terminal.descriptor(), Color::automatic).color);
  EXPECT_TRUE(screen_of(terminal.descriptor(), Color::always).color);
  unsetenv("NO_COLOR");
}

TEST(Screen, PipesHaveNoColorAndNoWidth) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Screen screen = screen_of(ends[1], Color::automatic);
  EXPECT_FALSE(screen.color);
  EXPECT_FALSE(screen.live);
  EXPECT_EQ(screen.width, 0U);
  EXPECT_TRUE(screen_of(ends[1], Color::always).color);
  close(ends[0]);
  close(ends[1]);
}

TEST(Screen, NamesOfColorSettings) {
  EXPECT_EQ(color_named("always"), Color::always);
  EXPECT_THROW(color_named("yes"), InvalidArgument);
}

TEST(Screen, StyledTextHasItsWidth) {
  const std::string red = styled("bad", Style::bad, {.color = true});
  EXPECT_EQ(red, "\033[31mbad\033[0m");
  EXPECT_EQ(display_width(red), 3U);
  EXPECT_EQ(styled("bad", Style::bad, {}), "bad");
}

TEST(Screen, ClipsByCharacters) {
  EXPECT_EQ(clipped("walker-run", 20), "walker-run");
  EXPECT_EQ(clipped("walker-run", 6), "walke…");
  EXPECT_EQ(clipped("✓✓✓✓", 3), "✓✓…");
  EXPECT_EQ(clipped("walker", 0), "");
}

TEST(Screen, WrapsBetweenWords) { EXPECT_EQ(wrapped("one two three", 2, 9), "one two\n  three"); }

}  // namespace
}  // namespace mneme::lab
