// study/allowed_commands.cpp - the list.
#include "study/allowed_commands.h"

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::lab {
namespace {

struct Allowed {
  std::string command;               // its first words
  std::vector<std::string> options;  // all that may follow
  std::string required;              // an option that must be there; empty: none
};

const std::vector<Allowed>& list() {
  static const std::vector<Allowed> all{
      {"advise",
       {"--envs", "--updates-per-step", "--batch", "--capacity", "--steps", "--json"},
       ""},
      {"densities", {"--capacity", "--low", "--high", "--sampler", "--json"}, ""},
      {"envs list", {"--suite", "--json"}, ""},
      {"frontier",
       {"--capacity", "--expected-recency", "--cycle", "--span", "--minimum", "--json"},
       ""},
      {"inspect",
       {"--sampler", "--capacity", "--size", "--streams", "--updates-per-step", "--batch",
        "--reference", "--steps", "--progress", "--json"},
       ""},
      {"match",
       {"--expected-recency", "--capacity", "--cycle", "--span", "--minimum", "--json"},
       ""},
      {"samplers", {"--json"}, ""},
      {"train",
       {"--settings", "--preset", "--set", "--steps", "--sampler", "--critic-sampler",
        "--actor-sampler", "--batch-size", "--utd", "--n-step", "--capacity", "--json"},
       "--settings"}};
  return all;
}

[[noreturn]] void refuse(const std::string& line, const std::string& why) {
  std::vector<std::string> names;
  for (const Allowed& one : list())
    names.push_back(one.required.empty() ? one.command
                                         : concat(one.command, " ... ", one.required));
  throw InvalidArgument(concat("commands: '", line.substr(0, 120), "': ", why,
                               "; a study may have mneme compute: ", join(names)));
}

}  // namespace

std::vector<std::string> allowed_command(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) refuse(line, "it is empty");
  for (const Allowed& one : list()) {
    std::istringstream names(one.command);
    std::size_t at = 0;
    bool same = true;
    for (std::string name; same && names >> name; ++at)
      same = at < words.size() && words[at] == name;
    if (!same) continue;
    bool has_required = one.required.empty();
    for (; at < words.size(); ++at) {
      if (!words[at].starts_with('-') || parse_fraction(words[at])) continue;
      const std::string option = words[at].substr(0, words[at].find('='));
      if (std::find(one.options.begin(), one.options.end(), option) == one.options.end())
        refuse(line, concat(option, " is not allowed here"));
      has_required |= words[at] == one.required;
    }
    if (!has_required) refuse(line, concat(one.command, " without ", one.required));
    return words;
  }
  refuse(line, concat("'", words.front(), "' is not allowed here"));
}

}  // namespace mneme::lab
