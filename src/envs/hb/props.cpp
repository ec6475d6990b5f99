// envs/hb/props.cpp - shapes of furniture and things.
#include "envs/hb/props.h"

#include "envs/hb/scene.h"

namespace mneme::envs::hb {

std::string chair() {
  constexpr std::string_view kTouched = R"(mass="0" rgba="0 0 0 0")";
  constexpr std::string_view kSeen = R"(contype="0" conaffinity="0")";
  std::string shapes = box(-0.23, 0, 0.65, 0.02, 0.21, 0.2, kTouched) +
                       box(0, 0, 0.2375, 0.21, 0.21, 0.2375, kTouched) +
                       box(0, 0, 0.45, 0.21, 0.21, 0.025, kSeen) +
                       box(-0.23, 0, 0.77, 0.02, 0.21, 0.08, kSeen);
  for (const double y : {0.19, -0.19}) {
    for (const double x : {0.19, -0.19}) shapes += box(x, y, 0.225, 0.02, 0.02, 0.225, kSeen);
    shapes += box(-0.23, y, 0.6375, 0.02, 0.02, 0.2125, kSeen);
  }
  return shapes;
}

std::string table() {
  std::string shapes = box(0, 0, 0.45, 0.5, 0.5, 0.05);
  for (const double x : {0.4, -0.4})
    for (const double y : {0.4, -0.4}) shapes += box(x, y, 0, 0.05, 0.05, 0.5);
  return shapes;
}

std::string shelf() {
  std::string shapes =
      box(0.025, 0, 1.825, 0.325, 0.45, 0.025) + box(0.025, 0.425, 0.9, 0.325, 0.025, 0.9) +
      box(0.025, -0.425, 0.9, 0.325, 0.025, 0.9) + box(0.325, 0, 0.9, 0.025, 0.4, 0.9);
  for (int board = 0; board < 6; ++board) shapes += box(0, 0, 0.025 + 0.3 * board, 0.3, 0.4, 0.025);
  return shapes;
}

std::string trophy() {
  return cylinder(0, 0, 0.015, 0.1, 0.015) + cylinder(0, 0, 0.115, 0.025, 0.1) +
         sphere(0, 0, 0.2, 0.035);
}

std::string headphone(double y) {
  return cylinder(0.1, y - 0.07, 0.08, 0.08, 0.025, kAlongY) +
         cylinder(0.1, y + 0.07, 0.08, 0.08, 0.025, kAlongY) +
         box(0.2, y - 0.07, 0.08, 0.1, 0.02, 0.02) + box(0.2, y + 0.07, 0.08, 0.1, 0.02, 0.02) +
         box(0.3, y, 0.08, 0.02, 0.08, 0.02);
}

std::string snow_globe() { return cylinder(0, 0, 0.015, 0.1, 0.015) + sphere(0, 0, 0.101, 0.1); }

}  // namespace mneme::envs::hb
