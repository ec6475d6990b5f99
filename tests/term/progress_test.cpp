// tests/term/progress_test.cpp - bars, and a display that never floods.
#include "term/progress.h"

#include <gtest/gtest.h>

#include <sstream>
#include <thread>

namespace mneme::lab {
namespace {

TEST(Progress, TextHasBarShareAndTimeLeft) {
  EXPECT_EQ(progress_text("verifying", 0.5, 8, 80),
            "verifying  ━━━━━━━━━━━━━━━───────────────  50 %, 8 s left");
  EXPECT_EQ(progress_text("verifying", 0, 1, 40), "verifying  ────────────────────────  0 %");
}

TEST(Progress, TextFitsEveryWidth) {
  for (std::size_t width = 1; width < 120; ++width)
    EXPECT_LE(display_width(progress_text("a name that is much too long for it", 0.01, 1e6, width)),
              width);
}

// Lines on the screen after everything was written: a line that is wider than the screen would
// leave its rest behind.
TEST(Progress, DrawsOverItselfAtEveryWidth) {
  for (const std::size_t width : {20U, 50U, 60U, 80U, 120U}) {
    std::ostringstream out;
    {
      StatusLines lines(false, out, {.width = width, .live = true});
      for (int k = 0; k < 3; ++k) {
        lines.show({std::string(200, 'x'), "second"});
        std::this_thread::sleep_for(std::chrono::milliseconds(210));
      }
    }
    const std::string text = out.str();
    std::size_t begin = 0, drawn = 0;
    for (std::size_t at; (at = text.find('\n', begin)) != std::string::npos; begin = at + 1) {
      ++drawn;
      std::string line = text.substr(begin, at - begin);
      if (const std::size_t escape = line.rfind("\033[J"); escape != std::string::npos)
        line.erase(0, escape + 3);
      EXPECT_LT(display_width(line), width);
    }
    EXPECT_EQ(drawn, 6U);
    std::size_t taken_back = 0;
    for (std::size_t at = 0; (at = text.find("\033[2A\033[J", at)) != std::string::npos; ++at)
      taken_back += 2;
    EXPECT_EQ(taken_back, drawn);
  }
}

TEST(Progress, SaysNothingInPipesButWhatStays) {
  std::ostringstream out;
  StatusLines lines(false, out, {});
  lines.show({"passing"});
  lines.say("1 run failed");
  EXPECT_EQ(out.str(), "1 run failed\n");
  std::ostringstream none;
  StatusLines quiet(true, none, {.width = 80, .live = true});
  quiet.show({"passing"});
  quiet.say("1 run failed");
  EXPECT_EQ(none.str(), "");
}

}  // namespace
}  // namespace mneme::lab
