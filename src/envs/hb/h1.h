// envs/hb/h1.h - the Unitree H1 without hands as MJCF text, from tables of its links.
//
// Masses and inertia are given per link, so that shapes only decide what touches what: boxes,
// capsules, spheres and two cylinders stand in for the meshes of HumanoidBench, and with contacts
// switched off the motion is that of the original.
#pragma once

#include <array>
#include <string>

namespace mneme::envs::hb {

inline constexpr int kRobotQpos = 26, kRobotQvel = 25, kRobotJoints = 19;

/// Angles of the 19 joints in the pose every episode begins with: hips, knees and ankles bent.
inline constexpr std::array<double, kRobotJoints> kPose = {
    0, 0, -0.4, 0.8, -0.4, 0, 0, -0.4, 0.8, -0.4, 0, 0, 0, 0, 0, 0, 0, 0, 0};
inline constexpr double kPelvisHeight = 0.98;

/// A whole model: floor, `world` (fixed things of the task), robot, `objects` (its bodies), and
/// `rest` (assets, options).
std::string h1_scene(const std::string& world, const std::string& objects,
                     const std::string& rest = "");

}  // namespace mneme::envs::hb
