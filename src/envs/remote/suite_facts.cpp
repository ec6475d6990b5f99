// envs/remote/suite_facts.cpp - parser of a suite's .ini file.
//
// The format is the subset of Python's configparser that the files use: [sections], `key = value`,
// indented continuation lines, comments on lines of their own.
#include "envs/remote/suite_facts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

struct Entry {
  std::string key, value;  // lines of the value joined by '\n'
  int line = 0;
};

class Reader {
 public:
  Reader(std::string_view name, std::string_view text) : name_(name) {
    std::istringstream lines{std::string(text)};
    std::vector<Entry>* section = nullptr;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::string trimmed = trim(line);
      if (trimmed.empty() || trimmed.front() == '#') continue;
      if (line.front() == '[') {
        if (trimmed.back() != ']') fail(number, "a section must end in ]");
        section = &sections_[trimmed.substr(1, trimmed.size() - 2)];
      } else if (section == nullptr) {
        fail(number, "must be inside a section");
      } else if (line.front() == ' ') {
        if (section->empty()) fail(number, "continues no key");
        std::string& value = section->back().value;
        value += (value.empty() ? "" : "\n") + trimmed;
      } else {
        const std::size_t equals = trimmed.find('=');
        if (equals == std::string::npos) fail(number, "must be key = value");
        Entry entry{trim(trimmed.substr(0, equals)), trim(trimmed.substr(equals + 1)), number};
        for (const Entry& one : *section)
          if (one.key == entry.key) fail(number, concat(entry.key, " is given twice"));
        section->push_back(std::move(entry));
      }
    }
  }

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw CorruptData(concat("suites/", name_, ".ini, line ", line, ": ", what));
  }

  /// Removes and returns a key of [suite].
  Entry take(const std::string& key, bool required = false) {
    std::vector<Entry>& facts = sections_["suite"];
    const auto at =
        std::find_if(facts.begin(), facts.end(), [&](const Entry& one) { return one.key == key; });
    if (at == facts.end()) {
      if (required) fail(1, concat("[suite] must have ", key));
      return {key, "", 0};
    }
    Entry entry = *at;
    facts.erase(at);
    return entry;
  }
  bool take_flag(const std::string& key) {
    const Entry entry = take(key);
    if (entry.value.empty() || entry.value == "no") return false;
    if (entry.value != "yes") fail(entry.line, concat(key, " must be yes or no"));
    return true;
  }
  const std::vector<Entry>& tasks() { return sections_["tasks"]; }
  void check_all_taken() {
    for (const Entry& entry : sections_["suite"])
      fail(entry.line, concat("unknown key ", entry.key));
    for (const auto& [name, entries] : sections_)
      if (name != "suite" && name != "tasks" && name != "unlisted")
        fail(entries.empty() ? 1 : entries.front().line, concat("unknown section [", name, "]"));
  }

  static std::string trim(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
  }

 private:
  std::string name_;
  std::map<std::string, std::vector<Entry>> sections_;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

PythonVersion version(const Reader& reader, const Entry& entry, const std::string& text) {
  PythonVersion found;
  if (std::sscanf(text.c_str(), "%d.%d.%d", &found.major, &found.minor, &found.patch) < 2)
    reader.fail(entry.line, "python must be FIRST or FIRST END, such as 3.11 3.14");
  return found;
}

struct Scoring {
  bool by_success = false;
  std::string_view success;
};

TaskInfo task(const Reader& reader, const Entry& entry, std::string_view name,
              const Scoring& scoring) {
  std::vector<double> numbers;
  for (const std::string& word : split(entry.value, ' ')) {
    if (word.find('=') != std::string::npos) continue;  // facts for the Python side
    const auto value = parse_number(word);
    if (!value) reader.fail(entry.line, concat("'", word, "' must be a number"));
    numbers.push_back(*value);
  }
  if (numbers.size() != 3 && numbers.size() != 5)
    reader.fail(entry.line, "a task must have 3 numbers, or 5 with the returns of score 0 and 1");
  for (std::size_t i = 0; i < 3; ++i)
    if (numbers[i] < 0 || numbers[i] != std::floor(numbers[i]))
      reader.fail(entry.line, "sizes and steps must be whole numbers");
  TaskInfo info;
  info.name = name;
  info.observation = static_cast<Index>(numbers[0]);
  info.action = static_cast<Index>(numbers[1]);
  info.horizon = static_cast<Index>(numbers[2]);
  info.score_low = numbers.size() == 5 ? numbers[3] : 0;
  info.score_high = numbers.size() == 5 ? numbers[4] : 1;
  info.success = scoring.success;
  info.score_is_success = scoring.by_success;
  return info;
}

}  // namespace

PythonSuite parse_suite_facts(std::string_view name, std::string_view text) {
  Reader reader(name, text);
  PythonSuite suite;
  suite.name = name;
  suite.title = reader.take("title", true).value;
  suite.summary = reader.take("summary", true).value;
  suite.packages = split(reader.take("packages", true).value, ' ');
  suite.open = reader.take_flag("open");
  suite.installable = reader.take_flag("pip");
  const Entry python = reader.take("python", true);
  const std::vector<std::string> versions = split(python.value, ' ');
  if (versions.empty() || versions.size() > 2)
    reader.fail(python.line, "python must be FIRST or FIRST END, such as 3.11 3.14");
  suite.pythons.first = version(reader, python, versions[0]);
  suite.pythons.end = versions.size() == 2 ? version(reader, python, versions[1]) : kAnyLaterPython;
  suite.needs = join(split(reader.take("needs").value, '\n'), " ");
  suite.steps_together = reader.take_flag("steps_together");
  suite.worker_per_task = reader.take_flag("worker_per_task");
  suite.evaluation = reader.take("evaluation").value;
  const Entry rate = reader.take("steps_per_second", true);
  const auto steps = parse_number(rate.value);
  if (!steps || *steps <= 0) reader.fail(rate.line, "steps_per_second must be above 0");
  suite.steps_per_second = *steps;
  suite.notes = split(reader.take("notes").value, '\n');
  for (const char* key : {"starts", "checked"}) reader.take(key, true);  // for the Python side

  Scoring scoring;
  const Entry score = reader.take("score");
  if (!score.value.empty() && score.value != "success" && score.value != "return")
    reader.fail(score.line, "score must be success or return");
  scoring.by_success = score.value == "success";
  if (const Entry success = reader.take("success"); !success.value.empty())
    scoring.success = suite.texts->emplace_back(success.value);
  if (scoring.by_success && scoring.success.empty())
    reader.fail(score.line, "score = success needs a line success = HOW IT IS DEFINED");
  for (const Entry& entry : reader.tasks()) {
    const std::string& full = suite.texts->emplace_back(concat(name, '/', entry.key));
    suite.tasks.push_back(task(reader, entry, full, scoring));
  }
  reader.check_all_taken();
  return suite;
}

}  // namespace mneme::envs
