// tests/support/tool.h - the `mneme` tool from the outside: what it answers, complains and returns.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "support/json.h"

namespace mneme::lab {

struct Answer {
  int code;
  std::string out, err;
};

inline Answer mneme_tool(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run_tool(arguments, out, err);
  return {code, out.str(), err.str()};
}

/// `arguments` with --json, read back; the call must succeed.
inline test::JsonValue json_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Answer answer = mneme_tool(arguments);
  EXPECT_EQ(answer.code, kDone) << answer.err;
  EXPECT_EQ(answer.err, "");
  return test::parse_json(answer.out);
}

/// Runs of blanks as one: the width of a column is not the point.
inline std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  return out;
}

/// Bad usage: exit code 2, one sentence on standard error with these words in it, nothing else.
inline void expect_refused(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& words) {
  const Answer answer = mneme_tool(arguments);
  std::string line = "mneme";
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  EXPECT_EQ(answer.code, kUsage) << line;
  EXPECT_EQ(answer.out, "") << line;
  EXPECT_EQ(answer.err.rfind("mneme: ", 0), 0U) << line << '\n' << answer.err;
  EXPECT_EQ(answer.err.find('\n'), answer.err.size() - 1) << line << '\n' << answer.err;
  for (const std::string& word : words)
    EXPECT_NE(answer.err.find(word), std::string::npos) << line << '\n' << answer.err << word;
}

}  // namespace mneme::lab

#define MNEME_EXPECT_SAYS(text, words)                                                       \
  EXPECT_NE(::mneme::lab::squeezed(text).find(words), std::string::npos) << words << " in\n" \
                                                                         << (text)
