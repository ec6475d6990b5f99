// envs/hb/robot.h - the bodies that play: text of a robot's model and the numbers tasks need of it.
//
// A task is written once and runs with any robot that has the sites head, imu, left_foot,
// right_foot, left_hand and right_hand, the bodies pelvis (free, first in qpos) and torso_link, and
// the sensor pelvis_subtreelinvel. Another robot is another file like h1hand.cpp and a line in
// robot_of.
#pragma once

#include <string>
#include <string_view>

#include "envs/hb/assets.h"

namespace mneme::envs::hb {

struct Robot {
  std::string_view name;
  int positions = 0;        ///< its numbers in qpos; one less in qvel
  std::string defaults;     ///< MJCF: classes its bodies use
  std::string body;         ///< MJCF: the pelvis and everything that hangs on it
  std::string rest;         ///< MJCF: actuators and sensors
  std::string joints;       ///< angles of the keyframe, after the seven numbers of the root
  std::string assets = {};  ///< MJCF: meshes its bodies use
};

/// Unitree H1 without hands. Throws NotFound where meshes are asked for and are not there, and
/// InvalidArgument for finger tips that it does not have.
Robot h1(Meshes meshes);
/// The same with two Shadow hands.
Robot h1hand(Meshes meshes);

/// The robot that "hb/h1-walk" names, shapes or meshes as its model says; lives for ever. The
/// suite's own models have robots of their own: here the one of simple shapes stands for it. Throws
/// Error: a registry line without its robot.
const Robot& robot_of(std::string_view task);

/// "walk" of "hb/h1-walk" and of "hb/h1-walk:model=suite".
std::string_view task_of(std::string_view name);

}  // namespace mneme::envs::hb
