// envs/mujoco/version.h - what was found on this machine.
#pragma once

#include <string>
#include <vector>

namespace mneme::envs {

/// The folder dm_control/suite with the dog's model, or "" if there is none: MNEME_DM_CONTROL, else
/// beside the MuJoCo package in use.
const std::string& dm_control_suite();

/// Version of the MuJoCo library in use, "" without one.
std::string mujoco_version();

/// Why the MuJoCo library in use cannot be worked with, "" if it can: its structures are those of
/// the version that mneme was compiled for, and of no other.
const std::string& mujoco_mismatch();
std::string mismatch_of(int compiled_for, int library);

/// What is not as with the version that the fixtures were made with.
std::vector<std::string> notes_of(const std::string& version);

}  // namespace mneme::envs
