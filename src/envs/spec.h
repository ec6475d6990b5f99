// envs/spec.h - the text that names a task and how it is run; see mneme/vec_env.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/index.h"
#include "mneme/schema.h"

namespace mneme::envs {

/// What to do when an environment in another process fails.
enum class Fault {
  stop,     ///< the step throws
  restart,  ///< its worker is restarted, the current episodes are cut
  drop      ///< continue without it: its rows are cut from then on
};
std::string_view name_of(Fault fault);

struct EnvSpec {
  std::string name;    ///< "suite/task"
  Index repeat = 1;    ///< steps an action is held
  Index limit = 0;     ///< 0: the task's own horizon
  bool sorted = true;  ///< observation parts by name
  DType dtype = DType::f32;
  std::string model = "shapes";  ///< of HumanoidBench's robots; see mneme/vec_env.h

  // For Python suites only:
  Fault fault = Fault::stop;
  double timeout = 60;  ///< seconds for one step of a worker
  Index seed = -1;      ///< environment i gets seed + i; -1: drawn from the seed of the VecEnv
  /// The suite's own keys, sorted by name.
  std::vector<std::pair<std::string, std::string>> options;

  /// The shortest text that means the same.
  std::string text() const;
};

/// Throws InvalidArgument for an unknown key or value. The task is not looked up; a Python suite has
/// keys of its own.
EnvSpec parse_env_spec(std::string_view text);

}  // namespace mneme::envs
