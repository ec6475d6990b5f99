// envs/hb/h1hand.cpp - the H1 with two Shadow hands: 24 joints and 20 servos each, and a wrist that
// turns: 53.24 kg, 61 servos.
//
// Masses, inertias, joints and shapes are those of the Shadow Hand as HumanoidBench mounts it
// (without its forearm; assets/shadow_hand_menagerie, Apache-2.0), written as tables. All of its
// shapes but the finger tips are simple ones there too; the tips, hulls of meshes, are capsules
// here, as wide as the mean of the hull's two widths and of its full length, unless the meshes are
// asked for (assets.h).
//
// The left hand is the mirror image of the right one in x. In numbers below + is the sign of the
// right hand (nothing there, - on the left) and ~ the opposite one. What the originals do not
// mirror is written for both.
#include "base/text.h"
#include "envs/hb/h1.h"

namespace mneme::envs::hb {
namespace {

enum Side { kLeft, kRight };

std::string mirrored(std::string_view text, Side side) {
  std::string out;
  for (const char c : text) {
    if (c == '+' || c == '~') {
      if ((c == '+') == (side == kLeft)) out += '-';
    } else {
      out += c;
    }
  }
  return out;
}

// One servo; the range of its joint is its own, but for a tendon, which two joints share.
struct Servo {
  const char *joint, *range, *kp, *force;
};
constexpr Servo kServos[] = {
    {"WRJ2", "-0.523599 0.174533", "10", "10"}, {"WRJ1", "-0.698132 0.488692", "8", "5"},
    {"THJ5", "-1.0472 1.0472", "0.4", "3"},     {"THJ4", "0 1.22173", "1", "2"},
    {"THJ3", "-0.20944 0.20944", "0.5", "1"},   {"THJ2", "-0.698132 0.698132", "1.5", "1"},
    {"THJ1", "-0.261799 1.5708", "1", "1"},     {"FFJ4", "-0.349066 0.349066", "1", "1"},
    {"FFJ3", "-0.261799 1.5708", "1", "1"},     {"FFJ0", "0 3.1415", "0.5", "1"},
    {"MFJ4", "-0.349066 0.349066", "1", "1"},   {"MFJ3", "-0.261799 1.5708", "1", "1"},
    {"MFJ0", "0 3.1415", "0.5", "1"},           {"RFJ4", "-0.349066 0.349066", "1", "1"},
    {"RFJ3", "-0.261799 1.5708", "1", "1"},     {"RFJ0", "0 3.1415", "0.5", "1"},
    {"LFJ5", "0 0.785398", "1", "1"},           {"LFJ4", "-0.349066 0.349066", "1", "1"},
    {"LFJ3", "-0.261799 1.5708", "1", "1"},     {"LFJ0", "0 3.1415", "0.5", "1"}};

std::string_view range_of(std::string_view joint) {
  for (const Servo& servo : kServos)
    if (servo.joint == joint) return servo.range;
  return "0 1.5708";  // the two last of a finger, which share a servo
}

constexpr const char* kPlain = "1 0 0 0";
constexpr const char* kTurned = "1 0 0 1";
constexpr const char* kAlongX = "1 0 0";

// The hand of one side, as text.
class Shadow {
 public:
  Shadow(Side side, bool tips) : side_(side), prefix_(side == kLeft ? "lh_" : "rh_"), tips_(tips) {}

  std::string wrist() const {
    return link("wrist", "0.01 0 0.15301", kTurned, "0.1", "0 0 0.029", "0.5 0.5 0.5 0.5",
                "6.4e-05 4.38e-05 3.5e-05", "WRJ2", "0 +1 0",
                R"(<geom type="cylinder" size="0.011 0.005" pos="~0.026 0 0.034" quat="1 0 1 0"/>
                   <geom type="cylinder" size="0.011 0.005" pos="+0.031 0 0.034" quat="1 0 1 0"/>
                   <geom type="box" size="0.0135 0.009 0.005" pos="~0.021 0 0.011" quat="+0.923879 0 0.382684 0"/>
                   <geom type="box" size="0.0135 0.009 0.005" pos="+0.026 0 0.01" quat="+0.923879 0 -0.382684 0"/>)",
                palm());
  }

  std::string servos() const {
    std::string out;
    for (const auto& [joint, range, kp, force] : kServos)
      out += concat(R"(<position name=")", prefix_, "A_", joint, "\" ",
                    joint[3] == '0' ? "tendon" : "joint", "=\"", prefix_, joint, R"(" ctrlrange=")",
                    range, R"(" kp=")", kp, R"(" forcerange="-)", force, ' ', force, R"("/>)");
    return out;
  }

  // Tendons, and pairs that overlap by construction.
  std::string rest() const {
    std::string tendons;
    for (const char* finger : {"FF", "MF", "RF", "LF"}) {
      const std::string joint = concat(prefix_, finger, "J");
      tendons += concat(R"(<fixed name=")", joint, R"(0"><joint coef="1" joint=")", joint,
                        R"(2"/><joint coef="1" joint=")", joint, R"(1"/></fixed>)");
    }
    return concat("<tendon>", tendons, "</tendon><contact><exclude body1=\"", prefix_,
                  "wrist\" body2=\"", side_ == kLeft ? "left" : "right",
                  "_elbow_link\"/><exclude body1=\"", prefix_, "thproximal\" body2=\"", prefix_,
                  "thmiddle\"/></contact>");
  }

 private:
  std::string link(std::string_view name, const char* pos, const char* quat, const char* mass,
                   const char* centre, const char* frame, const char* moments,
                   std::string_view joint, const char* axis, std::string_view shapes,
                   const std::string& children = "") const {
    const bool wrist = joint.substr(0, 3) == "WRJ";
    return concat("\n<body name=\"", prefix_, name, "\" pos=\"", mirrored(pos, side_), "\" quat=\"",
                  mirrored(quat, side_), name == "wrist" ? R"(" childclass="hand">)" : "\">",
                  inertial(mass, centre, frame, moments), "<joint name=\"", prefix_, joint,
                  "\" axis=\"", mirrored(axis, side_), "\" range=\"", range_of(joint),
                  wrist ? R"(" damping="0.5"/>)" : "\"/>", mirrored(shapes, side_), children,
                  "</body>");
  }

  std::string palm() const {
    // One block of the palm is 0.8 mm lower on the left, another is not quite mirrored.
    const char* uneven =
        side_ == kLeft
            ? R"(<geom type="box" size="0.013 0.007 0.009" pos="-0.0265 -0.001 0.07" quat="0.987241 0.0990545 0.0124467 -0.124052"/>
                 <geom type="box" size="0.0105 0.0135 0.0112" pos="-0.0315 -0.0085 0.001"/>)"
            : R"(<geom type="box" size="0.013 0.007 0.009" pos="0.0265 -0.001 0.07" quat="0.987241 0.0990545 0.0124467 0.124052"/>
                 <geom type="box" size="0.0105 0.0135 0.012" pos="0.0315 -0.0085 0.001"/>)";
    const std::string even = mirrored(
        R"(<geom type="box" size="0.031 0.0035 0.049" pos="+0.011 0.0085 0.038"/>
           <geom type="box" size="0.018 0.0085 0.049" pos="~0.002 -0.0035 0.038"/>
           <geom type="box" size="0.013 0.0085 0.005" pos="+0.029 -0.0035 0.082"/>
           <geom type="box" size="0.011 0.0025 0.015" pos="+0.0125 -0.015 0.004" quat="+0.971338 0 0 -0.237703"/>
           <geom type="box" size="0.009 0.012 0.002" pos="+0.011 0 0.089"/>
           <geom type="box" size="0.01 0.012 0.02" pos="~0.03 0 0.009"/>)",
        side_);
    return link("palm", "0 0 0.034", kPlain, "0.3", "0 0 0.035", kTurned,
                "0.0005287 0.0003581 0.000191", "WRJ1", kAlongX, even + uneven,
                finger("ff", "FF", "+0.033 0 0.095", "0 ~1 0") +
                    finger("mf", "MF", "+0.011 0 0.099", "0 ~1 0") +
                    finger("rf", "RF", "~0.011 0 0.095", "0 +1 0") +
                    link("lfmetacarpal", "~0.033 0 0.02071", kPlain, "0.03", "0 0 0.04", kTurned,
                         "1.638e-05 1.45e-05 4.272e-06", "LFJ5", "0.573576 0 +0.819152",
                         R"(<geom type="box" size="0.011 0.012 0.025" pos="+0.002 0 0.033"/>)",
                         finger("lf", "LF", "0 0 0.06579", "0 +1 0")) +
                    thumb());
  }

  std::string finger(std::string_view body, std::string_view joint, const char* pos,
                     const char* axis) const {
    const auto named = [&](std::string_view part) { return concat(body, part); };
    const auto hinge = [&](int number) { return concat(joint, 'J', number); };
    const std::string distal =
        link(named("distal"), "0 0 0.025", kPlain, "0.013", "0 0 0.0130769", kTurned,
             "1.28092e-06 1.12092e-06 5.3e-07", hinge(1), kAlongX,
             tips_ ? R"(<geom type="mesh" mesh="finger_tip"/>)"
                   : R"(<geom type="capsule" size="0.0077" fromto="0 0 0.0124 0 0 0.0243"/>)");
    const std::string middle =
        link(named("middle"), "0 0 0.045", kPlain, "0.017", "0 0 0.0125", kTurned,
             "2.7e-06 2.6e-06 8.7e-07", hinge(2), kAlongX,
             R"(<geom type="capsule" size="0.009 0.0125" pos="0 0 0.0125"/>)", distal);
    const std::string proximal = link(
        named("proximal"), "0 0 0", kPlain, "0.03", "0 0 0.0225", kTurned, "1e-05 9.8e-06 1.8e-06",
        hinge(3), kAlongX, R"(<geom type="capsule" size="0.009 0.02" pos="0 0 0.025"/>)", middle);
    return link(named("knuckle"), pos, kPlain, "0.008", "0 0 0", "0.5 0.5 -0.5 0.5",
                "3.2e-07 2.6e-07 2.6e-07", hinge(4), axis,
                R"(<geom type="cylinder" size="0.009 0.009" quat="1 0 1 0"/>)", proximal);
  }

  std::string thumb() const {
    const std::string distal =
        link("thdistal", "0 0 0.032", "1 0 0 -1", "0.017", "0 0 0.0145588", kTurned,
             "2.37794e-06 2.27794e-06 1e-06", "THJ1", kAlongX,
             tips_ ? R"(<geom type="mesh" mesh="thumb_tip"/>)"
                   : R"(<geom type="capsule" size="0.0097" fromto="0 0 0.013 0 0 0.0253"/>)");
    const std::string middle = link("thmiddle", "0 0 0", kPlain, "0.02", "0 0 0.016", kPlain,
                                    "5.1e-06 5.1e-06 1.21e-06", "THJ2", "0 -1 0",
                                    R"(<geom type="capsule" size="0.009 0.009" pos="0 0 0.012"/>
                <geom type="sphere" size="0.01" pos="0 0 0.03"/>)",
                                    distal);
    const std::string hub =
        link("thhub", "0 0 0.038", kPlain, "0.005", "0 0 0", kPlain, "1e-06 1e-06 3e-07", "THJ3",
             "+1 0 0", R"(<geom type="sphere" size="0.011"/>)", middle);
    const std::string proximal = link(
        "thproximal", "0 0 0", kPlain, "0.04", "0 0 0.019", kPlain, "1.36e-05 1.36e-05 3.13e-06",
        "THJ4", "+1 0 0", R"(<geom type="capsule" size="0.0105 0.009" pos="0 0 0.02"/>)", hub);
    // Mirrored, then turned by half a turn, with which the axes above change signs.
    return link("thbase", "+0.034 -0.00858 0.029",
                side_ == kLeft ? "0 -0.382683 0 0.92388" : "0.92388 0 0.382683 0", "0.01", "0 0 0",
                kPlain, "1.6e-07 1.6e-07 1.6e-07", "THJ5", "0 0 ~1",
                R"(<geom type="sphere" size="0.013"/>)", proximal);
  }

  Side side_;
  std::string_view prefix_;
  bool tips_;  // finger tips are meshes
};

Hand hand_of(Side side, bool tips) {
  const Shadow hand(side, tips);
  const std::string name = side == kLeft ? "left" : "right";
  std::string zeros;
  for (int i = 0; i < 25; ++i) zeros += " 0";
  return {
      .body = concat(R"(<body name=")", name, R"(_hand" pos="0.169 0 -0.02912" quat="0 1 0 1">)",
                     inertial("0.001", "0 0 0.001", kPlain, "1e-05 1e-05 1e-05"),
                     R"(<joint name=")", name, R"(_wrist_yaw" axis=")", mirrored("0 0 ~1", side),
                     R"(" range="-0.15 1.57"/>)", hand.wrist(), "</body>"),
      .wrist =
          concat(R"(<position name=")", name, R"(_wrist_yaw" joint=")", name,
                 R"(_wrist_yaw" ctrlrange="-0.15 1.57" kp="100" kv="2" forcerange="-18 18"/>)"),
      .servos = hand.servos(),
      .joints = zeros};
}

}  // namespace

Robot h1hand(Meshes meshes) {
  const bool tips = meshes != Meshes::none;
  Robot robot =
      h1_with("h1hand", 76, hand_of(kLeft, tips), hand_of(kRight, tips), meshes == Meshes::all);
  robot.defaults += R"(
    <default class="hand">
      <geom mass="0" material="body" solimp="0.5 0.99 0.0001" solref="0.005 1"/>
      <joint damping="0.05" armature="0.0002" frictionloss="0.01"/>
    </default>)";
  robot.rest += Shadow(kLeft, tips).rest() + Shadow(kRight, tips).rest();
  if (tips) {
    constexpr std::string_view kMillimetres = R"(scale="0.001 0.001 0.001")";
    const std::filesystem::path folder = hand_meshes();
    robot.assets += mesh_element("finger_tip", folder / "f_distal_pst.obj", kMillimetres) +
                    mesh_element("thumb_tip", folder / "th_distal_pst.obj", kMillimetres);
  }
  return robot;
}

}  // namespace mneme::envs::hb
