// tests/term/table_test.cpp - tables at every width.
#include "term/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace mneme::lab {
namespace {

Table runs() {
  Table table({"id", "run", "state", "score", "what it is about"});
  table.expendable({"state", "id"});
  table.add({"1", "dmc-walker-run,uniform,s0", "done", "0.5", "a sentence of several words"});
  table.add({"12", "dmc-walker-run,per,s0", "failed", "-", "short"}).style(2, Style::bad);
  return table;
}

std::string printed(const Table& table, const Screen& screen) {
  std::ostringstream out;
  table.print(out, screen);
  return std::move(out).str();
}

std::size_t widest(const std::string& text) {
  std::istringstream in(text);
  std::size_t width = 0;
  for (std::string line; std::getline(in, line);) width = std::max(width, display_width(line));
  return width;
}

TEST(Table, AlignsNumbersRightAndTextLeft) {
  EXPECT_EQ(printed(runs(), {}),
            "id  run                        state   score  what it is about\n"
            " 1  dmc-walker-run,uniform,s0  done      0.5  a sentence of several words\n"
            "12  dmc-walker-run,per,s0      failed      -  short\n");
}

TEST(Table, WrapsTextBeforeItDropsColumns) {
  EXPECT_EQ(printed(runs(), {.width = 66}),
            "id  run                        state   score  what it is about\n"
            " 1  dmc-walker-run,uniform,s0  done      0.5  a sentence of\n"
            "                                              several words\n"
            "12  dmc-walker-run,per,s0      failed      -  short\n");
}

TEST(Table, DropsExpendableColumnsAndSaysWhich) {
  EXPECT_EQ(printed(runs(), {.width = 56}),
            "id  run                        score  what it is about\n"
            " 1  dmc-walker-run,uniform,s0    0.5  a sentence of\n"
            "                                      several words\n"
            "12  dmc-walker-run,per,s0          -  short\n"
            "left out at this width: state\n");
}

TEST(Table, NeverExceedsTheScreen) {
  for (std::size_t width = 40; width < 90; ++width)
    EXPECT_LE(widest(printed(runs(), {.width = width})), width);
}

TEST(Table, ColorsDoNotMoveColumns) {
  const std::string plain = printed(runs(), {.width = 66});
  std::string colored = printed(runs(), {.width = 66, .color = true});
  EXPECT_NE(colored.find("\033[31mfailed\033[0m"), std::string::npos);
  for (std::size_t at; (at = colored.find('\033')) != std::string::npos;)
    colored.erase(at, colored.find('m', at) - at + 1);
  EXPECT_EQ(colored, plain);
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({"state", "n"});
  table.add({"✓✓ done", "1"}).add({"open", "2"});
  EXPECT_EQ(printed(table, {}), "state    n\n✓✓ done  1\nopen     2\n");
}

}  // namespace
}  // namespace mneme::lab
