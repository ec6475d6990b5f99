// suites/names.h - how to install Python suites that are missing here.
#pragma once

#include <string>

#include "envs/remote/suites.h"

namespace mneme::lab {

/// How to get the tasks of a suite on this machine: a command, or what the user has to supply.
std::string remedy_for(const envs::PythonSuite& suite);

}  // namespace mneme::lab
