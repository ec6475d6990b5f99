// envs/hb/scene.h - a robot, a floor and what else stands there, as one model.
//
// Coordinates are the suite's: x forwards, z up, meters; boxes and cylinders by half sizes. Things
// that never move hang on bodies without joints: they collide with what moves, not with each other.
// Where the suite has a shape to look at and another to touch, here is one, unless the visible ones
// carry the mass (the chair).
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "envs/hb/robot.h"

namespace mneme::envs::hb {

struct Scene {
  std::string bodies = {};      ///< MJCF after the robot
  std::string assets = {};      ///< MJCF
  std::string objects = {};     ///< keyframe of everything in qpos after the robot
  double x = 0, height = 0.98;  ///< of the pelvis in the keyframe
  double y = 0, turn = 0;       ///< turn: quaternion 1 0 0 turn, normalized at the start
  std::string defaults = {};    ///< MJCF: classes its bodies use
  std::string rest = {};        ///< MJCF: sensors, equalities
  bool multiccd = false;        ///< several contacts for a pair of convex shapes
  std::string marks = {};       ///< MJCF after the bodies: what the suite's own models get, too
};

/// MJCF that switches off what MuJoCo does by default only since the suite's version of it.
std::string flags(const Scene& scene);

/// The whole model, with a keyframe.
std::string model_text(const Robot& robot, const Scene& scene);

/// Shapes. `more` are further attributes, such as name="..." or density="...".
std::string box(double x, double y, double z, double half_x, double half_y, double half_z,
                std::string_view more = "");
std::string cylinder(double x, double y, double z, double radius, double half_height,
                     std::string_view more = "");
std::string capsule(double x, double y, double z, double radius, double half_height,
                    std::string_view more = "");
std::string sphere(double x, double y, double z, double radius, std::string_view more = "");
/// Attributes that lay a cylinder down.
inline constexpr std::string_view kAlongX = R"(zaxis="1 0 0")", kAlongY = R"(zaxis="0 1 0")";
/// A place on a body that rewards ask for.
std::string site(std::string_view name, double x, double y, double z);

/// A body that stays where it is.
std::string fixed(std::string_view name, double x, double y, double z, const std::string& shapes);
/// A body that can go anywhere; its place is in the keyframe.
std::string loose(std::string_view name, const std::string& shapes);
/// A mark that touches nothing. Its place belongs to the environment, not to the model: see
/// mjData::mocap_pos.
std::string mark(std::string_view name, double x, double y, double z, double lift = 0);

/// "a b c ..." with all digits.
std::string numbers(std::initializer_list<double> values);

}  // namespace mneme::envs::hb
