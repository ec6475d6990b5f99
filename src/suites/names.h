// suites/names.h - what to say about suites in Python that are not on this machine.
#pragma once

#include <string>

#include "envs/remote/suites.h"

namespace mneme::lab {

/// "Meta-World" of the suite metaworld.
std::string_view title_of(const envs::PythonSuite& suite);

/// What to do so that the tasks of a suite run here: a command, or what to bring for it.
std::string remedy_for(const envs::PythonSuite& suite);

}  // namespace mneme::lab
