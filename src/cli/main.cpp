// cli/main.cpp - the entry point of the `mneme` tool.
#include <unistd.h>

#include <iostream>

#include "cli/commands.h"
#include "term/screen.h"

int main(int argc, char** argv) {
  using namespace mneme::lab;
  use_screens(screen_of(STDOUT_FILENO, Color::automatic),
              screen_of(STDERR_FILENO, Color::automatic));
  return run_tool({argv + 1, argv + argc}, std::cout, std::cerr);
}
