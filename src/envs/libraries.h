// envs/libraries.h - what was found on this machine.
#pragma once

#include <string>

namespace mneme::envs {

/// The folder dm_control/suite with the dog's model, or "" if there is none: MNEME_DM_CONTROL, else
/// beside the MuJoCo package in use.
const std::string& dm_control_suite();

/// Version of the MuJoCo library in use, "" without one.
std::string mujoco_version();

}  // namespace mneme::envs
