// envs/hb/h1.h - the H1 with something at the end of its arms.
#pragma once

#include <string>

#include "envs/hb/robot.h"

namespace mneme::envs::hb {

/// What hangs on one forearm, all as MJCF.
struct Hand {
  std::string body;
  std::string wrist = {};   ///< servos that come right after those of the arm
  std::string servos = {};  ///< servos that come after all others
  std::string joints = {};  ///< angles in the keyframe, a space before each
};

/// `positions`: numbers in qpos, hands included. `meshes`: links are hulls of meshes but for the
/// hips, which are cylinders in the suite too, and the feet.
Robot h1_with(std::string_view name, int positions, const Hand& left, const Hand& right,
              bool meshes);

/// Mass, center of mass, principal frame and moments of a link.
std::string inertial(const char* mass, const char* centre, const char* frame, const char* moments);

}  // namespace mneme::envs::hb
