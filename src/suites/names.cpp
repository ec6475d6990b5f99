// suites/names.cpp - in words.
#include "suites/names.h"

#include "base/text.h"

namespace mneme::lab {

std::string_view title_of(const envs::PythonSuite& suite) {
  const std::string_view title = suite.summary.substr(0, suite.summary.find(':'));
  return title.size() < suite.summary.size() ? title : suite.name;
}

std::string remedy_for(const envs::PythonSuite& suite) {
  std::string text = concat(title_of(suite), ": ");
  if (!suite.installable) return text + std::string(suite.note);
  text += concat("mneme envs install ", suite.name);
  if (!suite.note.empty()) text += concat(" --checkout DIR (", suite.note, ")");
  return text;
}

}  // namespace mneme::lab
