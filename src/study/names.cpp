// study/names.cpp - checks of names.
#include "study/names.h"

#include <algorithm>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

void check_study_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= 100 && name.front() != '.' &&
                    name.front() != '-' && name.find('/') == std::string::npos &&
                    !has_control(name) && !name.starts_with("ledger.db");
  if (!good)
    throw InvalidArgument(concat("a study's name becomes a directory: it must have 1 to 100 ",
                                 "characters, no slash, no dot or dash at its beginning, got '",
                                 name.substr(0, 120), "'; --name gives it another one"));
}

void check_label(std::string_view what, const std::string& name) {
  if (name.empty() || name.size() > 200 || has_control(name))
    throw InvalidArgument(concat("the name of a ", what, " must have 1 to 200 printable ",
                                 "characters, got '", name.substr(0, 60), "'"));
}

}  // namespace mneme::lab
