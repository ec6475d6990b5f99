// envs/hb/scene.cpp - text of the shapes and of the whole model.
#include "envs/hb/scene.h"

#include "base/text.h"

namespace mneme::envs::hb {
namespace {

std::string geom(std::string_view type, const std::string& pos, const std::string& size,
                 std::string_view more) {
  return concat(R"(<geom material="prop" type=")", type, R"(" pos=")", pos, R"(" size=")", size,
                R"(" )", more, "/>\n");
}

// Colors and light, for pictures.
constexpr std::string_view kLooks = R"(
  <visual><headlight ambient=".4 .4 .4" diffuse=".7 .7 .7"/><global offwidth="1920" offheight="1080"/></visual>)";
constexpr std::string_view kAssets = R"(
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".36 .53 .71" rgb2="0 0 0" width="64" height="64"/>
    <texture name="ground" type="2d" builtin="checker" rgb1=".16 .24 .34" rgb2=".22 .32 .44" width="128" height="128"/>
    <material name="ground" texture="ground" texrepeat="1 1" texuniform="true" reflectance=".1"/>
    <material name="body" rgba=".84 .62 .36 1"/>
    <material name="prop" rgba=".45 .5 .56 1"/>
    <material name="goal" rgba=".4 .75 .42 .6"/>)";

}  // namespace

std::string numbers(std::initializer_list<double> values) {
  std::string out;
  for (const double value : values) {
    if (!out.empty()) out += ' ';
    out += shortest_number(value);
  }
  return out;
}

std::string box(double x, double y, double z, double half_x, double half_y, double half_z,
                std::string_view more) {
  return geom("box", numbers({x, y, z}), numbers({half_x, half_y, half_z}), more);
}

std::string cylinder(double x, double y, double z, double radius, double half_height,
                     std::string_view more) {
  return geom("cylinder", numbers({x, y, z}), numbers({radius, half_height}), more);
}

std::string capsule(double x, double y, double z, double radius, double half_height,
                    std::string_view more) {
  return geom("capsule", numbers({x, y, z}), numbers({radius, half_height}), more);
}

std::string sphere(double x, double y, double z, double radius, std::string_view more) {
  return geom("sphere", numbers({x, y, z}), numbers({radius}), more);
}

std::string site(std::string_view name, double x, double y, double z) {
  return concat("<site name=\"", name, "\" pos=\"", numbers({x, y, z}), "\"/>\n");
}

std::string fixed(std::string_view name, double x, double y, double z, const std::string& shapes) {
  return concat("<body name=\"", name, "\" pos=\"", numbers({x, y, z}), "\">\n", shapes,
                "</body>\n");
}

std::string loose(std::string_view name, const std::string& shapes) {
  return concat("<body name=\"", name, "\"><freejoint name=\"free_", name, "\"/>\n", shapes,
                "</body>\n");
}

std::string mark(std::string_view name, double x, double y, double z, double lift) {
  const std::string at = numbers({0, 0, lift});
  return concat("<body name=\"", name, "\" mocap=\"true\" pos=\"", numbers({x, y, z}),
                "\"><site name=\"", name, "\" pos=\"", at,
                "\"/><geom type=\"sphere\" size=\"0.05\" pos=\"", at,
                "\" contype=\"0\" conaffinity=\"0\" material=\"goal\"/></body>\n");
}

// multiccd: a foot on a slope has three contacts with it where the suite's version finds one, and
// stands firmer. Islands: groups of constraints that do not touch, solved one by one; the suite's
// version solves all at once. A robot is a single group, so that finding them costs more than it
// saves.
std::string flags(const Scene& scene) {
  return concat("<flag island=\"disable\" multiccd=\"", scene.multiccd ? "enable" : "disable",
                "\"/>");
}

std::string model_text(const Robot& robot, const Scene& scene) {
  // The suite's physics: Euler with implicit damping, Newton, pyramidal cones, all as MuJoCo has
  // them by default, but for what later versions have switched on.
  return concat(R"(<mujoco>
  <compiler angle="radian" autolimits="true"/>
  <option timestep="0.002" iterations="100" ls_iterations="50" solver="Newton" integrator="Euler">
    )",
                flags(scene), R"(
  </option>)",
                kLooks, "<default>", robot.defaults, scene.defaults, "\n  </default>\n  <asset>",
                kAssets, robot.assets, scene.assets, R"(</asset>
  <worldbody>
    <light pos="0 0 10" dir="0 0 -1" directional="true"/>
    <geom name="floor" type="plane" size="20 20 1" material="ground"/>)",
                robot.body, scene.bodies, scene.marks, "</worldbody>\n", robot.rest, scene.rest,
                "<keyframe><key qpos=\"",
                numbers({scene.x, scene.y, scene.height, 1, 0, 0, scene.turn}), ' ', robot.joints,
                ' ', scene.objects, "\"/></keyframe></mujoco>");
}

}  // namespace mneme::envs::hb
