// envs/hb/h1.cpp - links, joints, servos and shapes of the H1.
#include "envs/hb/h1.h"

#include <cstring>

#include "base/text.h"

namespace mneme::envs::hb {
namespace {

struct Link {
  const char* name;
  const char* parent;
  const char* at;    // position in the parent
  const char* turn;  // orientation in the parent
  const char* mass;
  const char* centre;  // of mass
  const char* centre_turn;
  const char* inertia;  // about the principal axes
  const char* axis;     // of its joint; empty: none
  const char* shape;    // what collides
  const char* sites;
};

constexpr const char* kNoTurn = "1 0 0 0";
constexpr const char* kHipYaw = ".00304494 .00296885 .00189201";
constexpr const char* kHipRoll = ".00243264 .00225325 .00205492";
constexpr const char* kHipPitch = ".0829503 .0821457 .00510909";
constexpr const char* kKnee = ".0125237 .0123104 .0019428";
constexpr const char* kAnkle = ".00362 .00355701 .000149987";
constexpr const char* kShoulderPitch = ".00129936 .000987113 .000858198";
constexpr const char* kShoulderRoll = ".00170388 .00158256 .00100336";
constexpr const char* kShoulderYaw = ".00408038 .00370367 .000622687";
constexpr const char* kElbow = ".00601829 .00600579 .000408305";

constexpr const char* kYawShape =
    R"(<geom type="cylinder" size=".06 .035" pos="-.067 0 0" zaxis="1 0 0"/>)";
constexpr const char* kRollShape = R"(<geom type="sphere" size=".0595" pos="-.0035 0 0"/>)";
constexpr const char* kFootShape = R"(<geom type="box" size=".15 .015 .0125" pos=".05 0 -.0575"/>)";

// In the order of the joints.
constexpr Link kLinks[] = {
    {"pelvis", "", "0 0 .98", kNoTurn, "5.39", "-.0002 4e-05 -.04522",
     ".498303 .499454 -.500496 .501741", ".0490211 .0445821 .00824619", "free",
     R"(<geom type="box" size=".0690 .1534 .0462" pos="0 0 -.0386"/>)", ""},
    {"left_hip_yaw", "pelvis", "0 .0875 -.1742", kNoTurn, "2.244", "-.04923 .0001 .0072",
     ".69699 .219193 .233287 .641667", kHipYaw, "0 0 1", kYawShape, ""},
    {"left_hip_roll", "left_hip_yaw", ".039468 0 0", kNoTurn, "2.232", "-.0058 -.00319 -9e-05",
     ".0438242 .70721 -.0729075 .701867", kHipRoll, "1 0 0", kRollShape, ""},
    {"left_hip_pitch", "left_hip_roll", "0 .11536 0", kNoTurn, "4.152", ".00746 -.02346 -.08193",
     ".979828 .0513522 -.0169854 -.192382", kHipPitch, "0 1 0",
     R"(<geom type="capsule" size=".061" fromto="0 -.0322 -.3851 0 -.0322 0"/>)", ""},
    {"left_knee", "left_hip_pitch", "0 0 -.4", kNoTurn, "1.721", "-.00136 -.00512 -.1384",
     ".626132 -.034227 -.0416277 .777852", kKnee, "0 1 0",
     R"(<geom type="capsule" size=".0418" fromto="-.0026 -.0063 -.3732 -.0026 -.0063 .0053"/>)",
     ""},
    {"left_ankle", "left_knee", "0 0 -.4", kNoTurn, ".552448", ".048568 0 -.045609",
     ".489385 .510394 .510394 .489385", kAnkle, "0 1 0", kFootShape,
     R"(<site name="left_foot" pos="0 0 -.05"/>)"},
    {"right_hip_yaw", "pelvis", "0 -.0875 -.1742", kNoTurn, "2.244", "-.04923 -.0001 .0072",
     ".641667 .233287 .219193 .69699", kHipYaw, "0 0 1", kYawShape, ""},
    {"right_hip_roll", "right_hip_yaw", ".039468 0 0", kNoTurn, "2.232", "-.0058 .00319 -9e-05",
     "-.0438242 .70721 .0729075 .701867", kHipRoll, "1 0 0", kRollShape, ""},
    {"right_hip_pitch", "right_hip_roll", "0 -.11536 0", kNoTurn, "4.152", ".00746 .02346 -.08193",
     ".979828 -.0513522 -.0169854 .192382", kHipPitch, "0 1 0",
     R"(<geom type="capsule" size=".061" fromto="0 .0322 -.3851 0 .0322 0"/>)", ""},
    {"right_knee", "right_hip_pitch", "0 0 -.4", kNoTurn, "1.721", "-.00136 .00512 -.1384",
     ".777852 -.0416277 -.034227 .626132", kKnee, "0 1 0",
     R"(<geom type="capsule" size=".0418" fromto="-.0026 .0063 -.3732 -.0026 .0063 .0053"/>)", ""},
    {"right_ankle", "right_knee", "0 0 -.4", kNoTurn, ".552448", ".048568 0 -.045609",
     ".489385 .510394 .510394 .489385", kAnkle, "0 1 0", kFootShape,
     R"(<site name="right_foot" pos="0 0 -.05"/>)"},
    {"torso", "pelvis", "0 0 0", kNoTurn, "17.789", ".000489 .002797 .20484",
     ".999989 -.00130808 -.00282289 -.00349105", ".487315 .409628 .127837", "0 0 1",
     R"(<geom type="box" size=".0825 .15 .25" pos=".0225 0 .25"/><geom type="capsule" size=".085" fromto=".03 0 .5 .04 0 .66"/>)",
     R"(<site name="head" pos="0 0 .7"/><site name="imu" pos="-.04452 -.01891 .27756"/>)"},
    {"left_shoulder_pitch", "torso", ".0055 .15535 .42999", ".976296 .216438 0 0", "1.033",
     ".005045 .053657 -.015715", ".814858 .579236 -.0201072 -.00936488", kShoulderPitch, "0 1 0",
     R"(<geom type="sphere" size=".0348" pos="-.0028 .0524 -.0133"/>)", ""},
    {"left_shoulder_roll", "left_shoulder_pitch", "-.0055 .0565 -.0165", ".976296 -.216438 0 0",
     ".793", ".000679 .00115 -.094076", ".732491 .00917179 .0766656 .676384", kShoulderRoll,
     "1 0 0", R"(<geom type="capsule" size=".0482" fromto="0 0 -.0913 0 0 -.0142"/>)", ""},
    {"left_shoulder_yaw", "left_shoulder_roll", "0 0 -.1343", kNoTurn, ".839",
     ".01365 .002767 -.16266", ".703042 -.0331229 -.0473362 .708798", kShoulderYaw, "0 0 1",
     R"(<geom type="capsule" size=".03" fromto=".0185 0 -.2162 .0185 0 -.03"/>)", ""},
    {"left_elbow", "left_shoulder_yaw", ".0185 0 -.198", kNoTurn, ".669",
     ".15908 -.000144 -.015776", ".0765232 .720327 .0853116 .684102", kElbow, "0 1 0",
     R"(<geom type="capsule" size=".0359" fromto="-.0038 .0005 -.0073 .2801 .0005 -.0073"/>)",
     R"(<site name="left_hand" pos=".31 0 -.01"/>)"},
    {"right_shoulder_pitch", "torso", ".0055 -.15535 .42999", ".976296 -.216438 0 0", "1.033",
     ".005045 -.053657 -.015715", ".579236 .814858 .00936488 .0201072", kShoulderPitch, "0 1 0",
     R"(<geom type="sphere" size=".0348" pos="-.0028 -.0524 -.0133"/>)", ""},
    {"right_shoulder_roll", "right_shoulder_pitch", "-.0055 -.0565 -.0165", ".976296 .216438 0 0",
     ".793", ".000679 -.00115 -.094076", ".676384 .0766656 .00917179 .732491", kShoulderRoll,
     "1 0 0", R"(<geom type="capsule" size=".0482" fromto="0 0 -.0913 0 0 -.0142"/>)", ""},
    {"right_shoulder_yaw", "right_shoulder_roll", "0 0 -.1343", kNoTurn, ".839",
     ".01365 -.002767 -.16266", ".708798 -.0473362 -.0331229 .703042", kShoulderYaw, "0 0 1",
     R"(<geom type="capsule" size=".03" fromto=".0185 0 -.2162 .0185 0 -.03"/>)", ""},
    {"right_elbow", "right_shoulder_yaw", ".0185 0 -.198", kNoTurn, ".669",
     ".15908 .000144 -.015776", "-.0765232 .720327 -.0853116 .684102", kElbow, "0 1 0",
     R"(<geom type="capsule" size=".0359" fromto="-.0038 -.0005 -.0073 .2801 -.0005 -.0073"/>)",
     R"(<site name="right_hand" pos=".31 0 -.01"/>)"},
};

struct Servo {  // force = kp (target - angle) - kv velocity, limited
  const char* joint;
  const char* range;  // of the joint and of the target
  int kp, kv, force;
};

constexpr Servo kServos[] = {
    {"left_hip_yaw", "-.43 .43", 200, 5, 200},
    {"left_hip_roll", "-.43 .43", 200, 5, 200},
    {"left_hip_pitch", "-3.14 2.53", 200, 5, 200},
    {"left_knee", "-.26 2.05", 300, 6, 300},
    {"left_ankle", "-.87 .52", 40, 2, 40},
    {"right_hip_yaw", "-.43 .43", 200, 5, 200},
    {"right_hip_roll", "-.43 .43", 200, 5, 200},
    {"right_hip_pitch", "-3.14 2.53", 200, 5, 200},
    {"right_knee", "-.26 2.05", 300, 6, 300},
    {"right_ankle", "-.87 .52", 40, 2, 40},
    {"torso", "-2.35 2.35", 300, 6, 200},
    {"left_shoulder_pitch", "-2.87 2.87", 100, 2, 40},
    {"left_shoulder_roll", "-.34 3.11", 100, 2, 40},
    {"left_shoulder_yaw", "-1.3 4.45", 100, 2, 18},
    {"left_elbow", "-1.25 2.61", 100, 2, 18},
    {"right_shoulder_pitch", "-2.87 2.87", 100, 2, 40},
    {"right_shoulder_roll", "-3.11 .34", 100, 2, 40},
    {"right_shoulder_yaw", "-4.45 1.3", 100, 2, 18},
    {"right_elbow", "-1.25 2.61", 100, 2, 18},
};

const char* range_of(const char* joint) {
  for (const Servo& servo : kServos)
    if (std::strcmp(servo.joint, joint) == 0) return servo.range;
  return "";
}

// A link with everything that hangs on it.
std::string body(const Link& link) {
  std::string out =
      concat(R"(<body name=")", link.name, R"(" pos=")", link.at, R"(" quat=")", link.turn,
             R"("><inertial mass=")", link.mass, R"(" pos=")", link.centre, R"(" quat=")",
             link.centre_turn, R"(" diaginertia=")", link.inertia, R"("/>)");
  out += std::strcmp(link.axis, "free") == 0
             ? std::string("<freejoint/>")
             : concat(R"(<joint name=")", link.name, R"(" axis=")", link.axis, R"(" range=")",
                      range_of(link.name), R"("/>)");
  out += link.shape;
  out += link.sites;
  for (const Link& child : kLinks)
    if (std::strcmp(child.parent, link.name) == 0) out += body(child);
  return out + "</body>\n";
}

}  // namespace

std::string h1_scene(const std::string& world, const std::string& objects,
                     const std::string& rest) {
  std::string servos;
  for (const Servo& servo : kServos)
    servos += concat(R"(<general joint=")", servo.joint, R"(" ctrllimited="true" ctrlrange=")",
                     servo.range, R"(" forcelimited="true" forcerange=")", -servo.force, ' ',
                     servo.force, R"(" gainprm=")", servo.kp, R"(" biastype="affine" biasprm="0 )",
                     -servo.kp, ' ', -servo.kv, R"("/>)");
  return concat(R"(<mujoco>
  <compiler angle="radian"/>
  <option timestep=".002"/>
  <default>
    <default class="robot">
      <joint type="hinge" damping="1" armature=".1" limited="true"/>
      <geom material="body"/>
      <site size=".001" group="4"/>
    </default>
    <default class="fixed"><geom type="box" material="prop"/></default>
    <default class="thing"><geom type="box" material="thing"/></default>
  </default>
  <visual><headlight ambient=".4 .4 .4" diffuse=".7 .7 .7"/><global offwidth="1920" offheight="1080"/></visual>
  <asset>
    <texture name="sky" type="skybox" builtin="gradient" rgb1=".36 .53 .71" rgb2="0 0 0" width="64" height="64"/>
    <texture name="ground" type="2d" builtin="checker" rgb1=".16 .24 .34" rgb2=".22 .32 .44" width="128" height="128"/>
    <material name="ground" texture="ground" texrepeat="1 1" texuniform="true"/>
    <material name="body" rgba=".3 .33 .38 1"/>
    <material name="prop" rgba=".6 .58 .52 1"/>
    <material name="thing" rgba=".84 .62 .36 1"/>
    <material name="goal" rgba=".4 .75 .42 .5"/>
  </asset>
)",
                rest,
                R"(<worldbody><geom name="floor" type="plane" size="0 0 1" material="ground"/>)",
                world, std::string(body(kLinks[0])).insert(5, R"( childclass="robot")"), objects,
                R"(</worldbody><sensor><subtreelinvel body="pelvis"/></sensor><actuator>)", servos,
                "</actuator></mujoco>");
}

}  // namespace mneme::envs::hb
