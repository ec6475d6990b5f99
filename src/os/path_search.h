// os/path_search.h - programs by name.
#pragma once

#include <filesystem>
#include <string>

namespace mneme::lab {

/// A program by its path, or by a name that PATH has; empty if it is missing.
std::filesystem::path find_program(const std::string& name);

}  // namespace mneme::lab
