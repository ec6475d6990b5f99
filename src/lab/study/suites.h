// lab/study/suites.h - tasks by the names studies use, also those that this build cannot make.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

/// The tasks of a set, or the task itself. Sets of suites that are not part of this build are
/// known too, so that a study's matrix can be shown. Throws NotFound for a name nobody knows.
std::vector<std::string> tasks_named(const std::string& name);

/// What is missing for this task here; empty if it can be made. Throws NotFound for a name nobody
/// knows, InvalidArgument for a spec that is none.
std::string missing_for(const std::string& task);

}  // namespace mneme::lab
