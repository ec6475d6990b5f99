// run/requirements.h - memory and disk of a run, estimated before it starts.
#pragma once

#include <filesystem>
#include <string>

#include "run/run_config.h"

namespace mneme::lab {

/// Bytes while a run is training.
struct Requirements {
  double memory = 0;  ///< without rows of a buffer on disk: the system may drop those
  double disk = 0;
};

Requirements requirements_of(const RunConfig& run);
/// Throws InvalidArgument, with the numbers and what would help, if this machine has less of either
/// than the run needs.
void check_requirements(const RunConfig& run, const std::filesystem::path& directory);

/// Of the replay buffer when it is full.
double buffer_bytes(const RunConfig& run);

/// "1.2 GB".
std::string bytes_text(double bytes);

}  // namespace mneme::lab
