// cli/main.cpp - the entry point of the `mneme` tool.
#include <iostream>

#include "cli/commands.h"

int main(int argc, char** argv) {
  return mneme::lab::run_tool(std::vector<std::string>(argv + 1, argv + argc), std::cout,
                              std::cerr);
}
