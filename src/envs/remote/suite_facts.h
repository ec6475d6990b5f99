// envs/remote/suite_facts.h - facts of one Python suite, read from its .ini file.
//
// python/mneme/worker/suites/NAME.ini is the only place that has them: it is compiled into the
// program, and the suite's own module reads the same file. docs/suites/adding.md has the keys.
#pragma once

#include <compare>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/vec_env.h"

namespace mneme::envs {

struct PythonVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const PythonVersion&) const = default;
};

/// Versions of Python that a suite's packages support: from `first`, before `end`.
struct PythonRange {
  PythonVersion first, end;
};
constexpr PythonVersion kAnyLaterPython{4, 0, 0};

struct PythonSuite {
  std::string name;                   ///< as in "metaworld/reach"
  std::string title;                  ///< "Meta-World"
  std::string summary;                ///< one line
  std::vector<std::string> packages;  ///< distributions whose versions are reported
  bool open = false;                  ///< makes tasks that are not listed, too
  bool installable = false;           ///< by pip, from worker/requirements/NAME.txt
  PythonRange pythons;
  std::string needs;               ///< what the user has to supply; empty: nothing
  bool steps_together = false;     ///< many environments cost little more than one: evaluated so
  bool worker_per_task = false;    ///< one simulator per process: one worker for each task
  std::string evaluation;          ///< options of the task spec in evaluations: "key=value,..."
  double steps_per_second = 0;     ///< of one environment, for time estimates
  std::vector<std::string> notes;  ///< what a user of its scores has to know
  std::vector<TaskInfo> tasks;     ///< listed; `available` and `install` are not filled in

  /// What `tasks` points at; copies of the suite share it.
  std::shared_ptr<std::deque<std::string>> texts = std::make_shared<std::deque<std::string>>();
};

/// Reads the text of NAME.ini. Throws CorruptData with the line.
PythonSuite parse_suite_facts(std::string_view name, std::string_view text);

}  // namespace mneme::envs
