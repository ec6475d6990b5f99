// study/allowed_commands.h - what a study file may have mneme compute.
#pragma once

#include <string>
#include <vector>

namespace mneme::lab {

/// The words of one entry of `commands`. A study file may come from anywhere, so that the list is
/// closed: commands that compute and print, with options that read no file and write none. Throws
/// InvalidArgument for anything else, with what is allowed.
std::vector<std::string> allowed_command(const std::string& line);

}  // namespace mneme::lab
