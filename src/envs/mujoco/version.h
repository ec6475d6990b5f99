// envs/mujoco/version.h - the MuJoCo library in use, its version, and the files of dm_control.
#pragma once

#include <string>
#include <vector>

namespace mneme::envs {

/// The folder dm_control/suite with the dog's model, or "" if it is missing: MNEME_DM_CONTROL, else
/// beside the MuJoCo package in use.
const std::string& dm_control_suite();

/// Version of the MuJoCo library in use, "" without one.
std::string mujoco_version();

/// Why the MuJoCo library in use cannot be used, "" if it can: its structures must be those of the
/// version that mneme was compiled for.
const std::string& mujoco_mismatch();
std::string mismatch_of(int compiled_for, int library);

/// What differs from the version that the fixtures were made with.
std::vector<std::string> notes_of(const std::string& version);

}  // namespace mneme::envs
