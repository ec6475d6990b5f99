// envs/hb/h1.cpp - Unitree H1: 19 joints, 51.65 kg, position servos; hands are put on by others.
//
// Masses and inertias are given for every link, so shapes matter for contact alone. The suite's
// shapes are convex hulls of meshes; here they are boxes, capsules, spheres and cylinders fitted to
// those hulls, and nothing has to be installed. Without contact the motion is that of the suite's
// model bit for bit; standing, the pelvis is 0.7 mm higher. The torso is narrower than its mesh: a
// box of full width would touch the shoulders all the time.
#include "envs/hb/h1.h"

#include <iterator>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs::hb {
namespace {

// One link: where it hangs, what it weighs, how it turns, what it touches. Numbers as text, so that
// what MuJoCo reads is what stands here.
struct Link {
  const char *name, *parent, *pos, *quat;
  const char *mass, *centre, *frame, *inertia;  // center of mass; principal frame and moments
  const char *joint, *axis, *range;
  const char* shapes;  // and sites; % stands for the side, @ for the hand
};

// Both elbows, feet and so on have the same moments.
constexpr const char* kHipYaw = "0.00304494 0.00296885 0.00189201";
constexpr const char* kHipRoll = "0.00243264 0.00225325 0.00205492";
constexpr const char* kHipPitch = "0.0829503 0.0821457 0.00510909";
constexpr const char* kKnee = "0.0125237 0.0123104 0.0019428";
constexpr const char* kAnkle = "0.00362 0.00355701 0.000149987";
constexpr const char* kShoulderPitch = "0.00129936 0.000987113 0.000858198";
constexpr const char* kShoulderRoll = "0.00170388 0.00158256 0.00100336";
constexpr const char* kShoulderYaw = "0.00408038 0.00370367 0.000622687";
constexpr const char* kElbow = "0.00601829 0.00600579 0.000408305";

constexpr const char* kFoot =
    R"(<geom type="box" pos="0.05 0 -0.0575" size="0.15 0.015 0.0125"/><site name="%_foot" pos="0 0 -0.05"/>)";
constexpr const char* kHip =
    R"(<geom type="cylinder" size="0.06 0.035" pos="-0.067 0 0" quat="0.707123 0 0.70709 0"/>)";
constexpr const char* kHipBall = R"(<geom type="sphere" size="0.0595" pos="-0.0035 0 0"/>)";
constexpr const char* kUpperArm =
    R"(<geom type="capsule" size="0.0482" fromto="0 0 -0.0913 0 0 -0.0142"/>)";
constexpr const char* kArm =
    R"(<geom type="capsule" size="0.03" fromto="0.0185 0 -0.2162 0.0185 0 -0.03"/>)";

constexpr Link kLinks[] = {
    {"left_hip_yaw_link", "pelvis", "0 0.0875 -0.1742", "", "2.244", "-0.04923 0.0001 0.0072",
     "0.69699 0.219193 0.233287 0.641667", kHipYaw, "left_hip_yaw", "0 0 1", "-0.43 0.43", kHip},
    {"left_hip_roll_link", "left_hip_yaw_link", "0.039468 0 0", "", "2.232",
     "-0.0058 -0.00319 -9e-05", "0.0438242 0.70721 -0.0729075 0.701867", kHipRoll, "left_hip_roll",
     "1 0 0", "-0.43 0.43", kHipBall},
    {"left_hip_pitch_link", "left_hip_roll_link", "0 0.11536 0", "", "4.152",
     "0.00746 -0.02346 -0.08193", "0.979828 0.0513522 -0.0169854 -0.192382", kHipPitch,
     "left_hip_pitch", "0 1 0", "-3.14 2.53",
     R"(<geom type="capsule" size="0.061" fromto="0 -0.0322 -0.3851 0 -0.0322 0"/>)"},
    {"left_knee_link", "left_hip_pitch_link", "0 0 -0.4", "", "1.721", "-0.00136 -0.00512 -0.1384",
     "0.626132 -0.034227 -0.0416277 0.777852", kKnee, "left_knee", "0 1 0", "-0.26 2.05",
     R"(<geom type="capsule" size="0.0418" fromto="-0.0026 -0.0063 -0.3732 -0.0026 -0.0063 0.0053"/>)"},
    {"left_ankle_link", "left_knee_link", "0 0 -0.4", "", "0.552448", "0.048568 0 -0.045609",
     "0.489385 0.510394 0.510394 0.489385", kAnkle, "left_ankle", "0 1 0", "-0.87 0.52", kFoot},

    {"right_hip_yaw_link", "pelvis", "0 -0.0875 -0.1742", "", "2.244", "-0.04923 -0.0001 0.0072",
     "0.641667 0.233287 0.219193 0.69699", kHipYaw, "right_hip_yaw", "0 0 1", "-0.43 0.43", kHip},
    {"right_hip_roll_link", "right_hip_yaw_link", "0.039468 0 0", "", "2.232",
     "-0.0058 0.00319 -9e-05", "-0.0438242 0.70721 0.0729075 0.701867", kHipRoll, "right_hip_roll",
     "1 0 0", "-0.43 0.43", kHipBall},
    {"right_hip_pitch_link", "right_hip_roll_link", "0 -0.11536 0", "", "4.152",
     "0.00746 0.02346 -0.08193", "0.979828 -0.0513522 -0.0169854 0.192382", kHipPitch,
     "right_hip_pitch", "0 1 0", "-3.14 2.53",
     R"(<geom type="capsule" size="0.061" fromto="0 0.0322 -0.3851 0 0.0322 0"/>)"},
    {"right_knee_link", "right_hip_pitch_link", "0 0 -0.4", "", "1.721", "-0.00136 0.00512 -0.1384",
     "0.777852 -0.0416277 -0.034227 0.626132", kKnee, "right_knee", "0 1 0", "-0.26 2.05",
     R"(<geom type="capsule" size="0.0418" fromto="-0.0026 0.0063 -0.3732 -0.0026 0.0063 0.0053"/>)"},
    {"right_ankle_link", "right_knee_link", "0 0 -0.4", "", "0.552448", "0.048568 0 -0.045609",
     "0.489385 0.510394 0.510394 0.489385", kAnkle, "right_ankle", "0 1 0", "-0.87 0.52", kFoot},

    {"torso_link", "pelvis", "0 0 0", "", "17.789", "0.000489 0.002797 0.20484",
     "0.999989 -0.00130808 -0.00282289 -0.00349105", "0.487315 0.409628 0.127837", "torso", "0 0 1",
     "-2.35 2.35",
     R"(<geom type="box" pos="0.0225 0 0.25" size="0.0825 0.15 0.25"/>
        <geom type="capsule" size="0.085" fromto="0.03 0 0.5 0.04 0 0.66"/>
        <site name="head" pos="0 0 0.7"/><site name="imu" pos="-0.04452 -0.01891 0.27756"/>)"},

    {"left_shoulder_pitch_link", "torso_link", "0.0055 0.15535 0.42999", "0.976296 0.216438 0 0",
     "1.033", "0.005045 0.053657 -0.015715", "0.814858 0.579236 -0.0201072 -0.00936488",
     kShoulderPitch, "left_shoulder_pitch", "0 1 0", "-2.87 2.87",
     R"(<geom type="sphere" size="0.0348" pos="-0.0028 0.0524 -0.0133"/>)"},
    {"left_shoulder_roll_link", "left_shoulder_pitch_link", "-0.0055 0.0565 -0.0165",
     "0.976296 -0.216438 0 0", "0.793", "0.000679 0.00115 -0.094076",
     "0.732491 0.00917179 0.0766656 0.676384", kShoulderRoll, "left_shoulder_roll", "1 0 0",
     "-0.34 3.11", kUpperArm},
    {"left_shoulder_yaw_link", "left_shoulder_roll_link", "0 0 -0.1343", "", "0.839",
     "0.01365 0.002767 -0.16266", "0.703042 -0.0331229 -0.0473362 0.708798", kShoulderYaw,
     "left_shoulder_yaw", "0 0 1", "-1.3 4.45", kArm},
    {"left_elbow_link", "left_shoulder_yaw_link", "0.0185 0 -0.198", "", "0.669",
     "0.15908 -0.000144 -0.015776", "0.0765232 0.720327 0.0853116 0.684102", kElbow, "left_elbow",
     "0 1 0", "-1.25 2.61",
     R"(<geom type="capsule" size="0.0359" fromto="-0.0038 0.0005 -0.0073 0.2801 0.0005 -0.0073"/>
        <site name="left_hand" pos="0.31 0 -0.01"/>@)"},

    {"right_shoulder_pitch_link", "torso_link", "0.0055 -0.15535 0.42999", "0.976296 -0.216438 0 0",
     "1.033", "0.005045 -0.053657 -0.015715", "0.579236 0.814858 0.00936488 0.0201072",
     kShoulderPitch, "right_shoulder_pitch", "0 1 0", "-2.87 2.87",
     R"(<geom type="sphere" size="0.0348" pos="-0.0028 -0.0524 -0.0133"/>)"},
    {"right_shoulder_roll_link", "right_shoulder_pitch_link", "-0.0055 -0.0565 -0.0165",
     "0.976296 0.216438 0 0", "0.793", "0.000679 -0.00115 -0.094076",
     "0.676384 0.0766656 0.00917179 0.732491", kShoulderRoll, "right_shoulder_roll", "1 0 0",
     "-3.11 0.34", kUpperArm},
    {"right_shoulder_yaw_link", "right_shoulder_roll_link", "0 0 -0.1343", "", "0.839",
     "0.01365 -0.002767 -0.16266", "0.708798 -0.0473362 -0.0331229 0.703042", kShoulderYaw,
     "right_shoulder_yaw", "0 0 1", "-4.45 1.3", kArm},
    {"right_elbow_link", "right_shoulder_yaw_link", "0.0185 0 -0.198", "", "0.669",
     "0.15908 0.000144 -0.015776", "-0.0765232 0.720327 -0.0853116 0.684102", kElbow, "right_elbow",
     "0 1 0", "-1.25 2.61",
     R"(<geom type="capsule" size="0.0359" fromto="-0.0038 -0.0005 -0.0073 0.2801 -0.0005 -0.0073"/>
        <site name="right_hand" pos="0.31 0 -0.01"/>@)"},
};

// Stiffness, damping and force limit of the servos, in the order of the joints above.
struct Servo {
  int kp, kv, force;
};
constexpr Servo kLeg[] = {{200, 5, 200}, {200, 5, 200}, {200, 5, 200}, {300, 6, 300}, {40, 2, 40}};
constexpr Servo kTorso = {300, 6, 200};
constexpr Servo kArmServos[] = {{100, 2, 40}, {100, 2, 40}, {100, 2, 18}, {100, 2, 18}};

constexpr std::size_t kLeftElbow = 14;

const Servo& servo(std::size_t joint) {
  if (joint < 10) return kLeg[joint % 5];
  return joint == 10 ? kTorso : kArmServos[(joint - 11) % 4];
}

bool is_left(const Link& link) { return std::string_view(link.name).substr(0, 4) == "left"; }

void put_in(std::string& text, char mark, const std::string& what) {
  if (const std::size_t at = text.find(mark); at != std::string::npos) text.replace(at, 1, what);
}

std::string mesh_of(std::string_view link) {
  return concat(R"(<geom type="mesh" mesh=")", link, R"("/>)");
}

bool has_mesh(const Link& link) { return link.shapes != kHip && link.shapes != kFoot; }

// What a link has besides shapes: sites.
std::string without_shapes(std::string text) {
  for (std::size_t at = 0; (at = text.find("<geom", at)) != std::string::npos;)
    text.erase(at, text.find("/>", at) + 2 - at);
  return text;
}

// All links that hang on `parent`, with what hangs on them.
std::string children(std::string_view parent, const Hand& left, const Hand& right, bool meshes) {
  std::string out;
  for (const Link& link : kLinks) {
    if (link.parent != parent) continue;
    std::string shapes = link.shapes;
    if (meshes && has_mesh(link)) shapes = mesh_of(link.name) + without_shapes(shapes);
    put_in(shapes, '%', is_left(link) ? "left" : "right");
    put_in(shapes, '@', is_left(link) ? left.body : right.body);
    out += concat("\n<body name=\"", link.name, "\" pos=\"", link.pos, '"');
    if (*link.quat != '\0') out += concat(" quat=\"", link.quat, '"');
    out += concat(">", inertial(link.mass, link.centre, link.frame, link.inertia), "<joint name=\"",
                  link.joint, "\" axis=\"", link.axis, "\" range=\"", link.range, "\"/>", shapes,
                  children(link.name, left, right, meshes), "</body>");
  }
  return out;
}

}  // namespace

std::string inertial(const char* mass, const char* centre, const char* frame, const char* moments) {
  return concat(R"(<inertial mass=")", mass, R"(" pos=")", centre, R"(" quat=")", frame,
                R"(" diaginertia=")", moments, R"("/>)");
}

Robot h1_with(std::string_view name, int positions, const Hand& left, const Hand& right,
              bool meshes) {
  std::string actuators, assets;
  if (meshes) {
    const std::filesystem::path folder = h1_meshes();
    assets = mesh_element("pelvis", folder / "pelvis.stl");
    for (const Link& link : kLinks)
      if (has_mesh(link)) assets += mesh_element(link.name, folder / concat(link.name, ".stl"));
  }
  for (std::size_t i = 0; i < std::size(kLinks); ++i) {
    const auto& [kp, kv, force] = servo(i);
    actuators += concat(R"(<position name=")", kLinks[i].joint, R"(" joint=")", kLinks[i].joint,
                        R"(" ctrlrange=")", kLinks[i].range, R"(" kp=")", kp, R"(" kv=")", kv,
                        R"(" forcerange="-)", force, ' ', force, R"("/>)");
    if (i == kLeftElbow) actuators += left.wrist;
  }
  actuators += concat(right.wrist, left.servos, right.servos);
  return {.name = name,
          .positions = positions,
          .defaults = R"(
    <default class="robot">
      <geom mass="0" material="body"/>
      <joint damping="1" armature="0.1"/>
    </default>)",
          .body = concat(
              R"(
    <body name="pelvis" pos="0 0 2.7" childclass="robot">)",
              inertial("5.39", "-0.0002 4e-05 -0.04522", "0.498303 0.499454 -0.500496 0.501741",
                       "0.0490211 0.0445821 0.00824619"),
              R"(<freejoint name="free_base"/>)",
              meshes ? mesh_of("pelvis")
                     : R"(<geom type="box" pos="0 0 -0.0386" size="0.069 0.1534 0.0462"/>)",
              children("pelvis", left, right, meshes), "</body>"),
          // The suite has more sensors, which no task reads.
          .rest = concat(
              "<actuator>", actuators, "</actuator>",
              R"(<sensor><subtreelinvel name="pelvis_subtreelinvel" body="pelvis"/></sensor>)"),
          .joints = concat("0 0 -0.4 0.8 -0.4 0 0 -0.4 0.8 -0.4 0 0 0 0 0", left.joints, " 0 0 0 0",
                           right.joints),
          .assets = assets};
}

Robot h1(Meshes meshes) {
  if (meshes == Meshes::tips)
    throw InvalidArgument(
        "model=tips is for the robot with hands, hb/h1hand-...; this one has no finger tips");
  return h1_with("h1", 26, {.body = R"(<body name="left_hand" pos="0.31 0 -0.01"/>)"},
                 {.body = R"(<body name="right_hand" pos="0.31 0 -0.01"/>)"},
                 meshes == Meshes::all);
}

}  // namespace mneme::envs::hb
