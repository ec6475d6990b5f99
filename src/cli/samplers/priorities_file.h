// cli/samplers/priorities_file.h - priorities of prioritized samplers, from a text file.
#pragma once

#include <string>
#include <vector>

#include "mneme/sampler.h"

namespace mneme::lab {

/// Priorities from a text file: one number per line, the oldest transition first. Throws IoError
/// unless it is a regular file, InvalidArgument with the line for anything but a finite number of
/// at least 0.
std::vector<float> read_priorities(const std::string& path);

/// Throws InvalidArgument if one of the samplers draws by priorities and none were given, if they
/// were given and none of the samplers draws by them, or if their number is not the capacity.
void check_priorities(const std::vector<float>& priorities, const std::vector<std::string>& specs,
                      Index capacity);

}  // namespace mneme::lab
