// envs/spec.h - the text that names a task and how it is run; see mneme/vec_env.h.
#pragma once

#include <string>
#include <string_view>

#include "mneme/index.h"
#include "mneme/schema.h"

namespace mneme::envs {

struct EnvSpec {
  std::string name;    ///< "suite/task"
  Index repeat = 1;    ///< steps an action is held
  Index limit = 0;     ///< 0: the task's own horizon
  bool sorted = true;  ///< observation parts by name
  DType dtype = DType::f32;
  std::string model = "shapes";  ///< of HumanoidBench's robots; see mneme/vec_env.h

  /// The shortest text that means the same.
  std::string text() const;
};

/// Throws InvalidArgument for a key or value that means nothing. The name is not looked up.
EnvSpec parse_env_spec(std::string_view text);

}  // namespace mneme::envs
