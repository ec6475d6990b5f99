// envs/remote/suites.h - suites that run in a Python interpreter of their own, and where that
// interpreter is on this machine.
//
// A suite is usable when `mneme envs install SUITE` (or `mneme envs register SUITE --python PATH`)
// has written SUITE/interpreter into the folder of suites: the path of a Python that passed the
// suite's smoke test. MNEME_PYTHON_SUITE (upper case, for example MNEME_PYTHON_METAWORLD) names
// another one for one process. Nothing is installed by looking.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/vec_env.h"

namespace mneme::envs {

struct PythonSuite {
  std::string_view name;         ///< as in "metaworld/reach"
  std::string_view summary;      ///< what it is, one line
  bool open = false;             ///< any task name may be tried, not just the listed ones
  bool installable = false;      ///< pip can bring it: worker/requirements/NAME.txt
  bool worker_per_task = false;  ///< one simulator per process: one worker for each task
  std::string_view note = {};    ///< what a user has to bring for it otherwise
  std::vector<TaskInfo> tasks =
      {};  ///< the listed ones; `available` and `install` are not filled in
};

const std::vector<PythonSuite>& python_suites();

/// The suite of a task name or of a suite's name; null if there is none.
const PythonSuite* find_python_suite(std::string_view name);

/// MNEME_SUITES, else mneme/suites in XDG_DATA_HOME or ~/.local/share.
std::filesystem::path suites_folder();

/// The interpreter that is registered for a suite; empty if there is none or it is gone.
std::filesystem::path interpreter_of(std::string_view suite);

/// The Python side: MNEME_WORKER, else share/mneme/worker beside the program, else this source
/// tree. Throws NotFound if it is nowhere.
std::filesystem::path worker_folder();

}  // namespace mneme::envs
