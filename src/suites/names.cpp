// suites/names.cpp - titles of Python suites and how to install them.
#include "suites/names.h"

#include "base/text.h"

namespace mneme::lab {

std::string remedy_for(const envs::PythonSuite& suite) {
  std::string text = concat(suite.title, ": ");
  if (!suite.installable) return text + suite.needs;
  text += concat("mneme envs install ", suite.name);
  if (!suite.needs.empty()) text += concat(" --checkout DIR (", suite.needs, ")");
  return text;
}

}  // namespace mneme::lab
