// envs/hb/kitchen.cpp - open the microwave, move the kettle, light a burner, switch on the light.
//
// Each pays 1 when its numbers come within 0.3 of the goal, and only in this order. What stands in
// the kitchen is touched by the robot and the kettle, not by itself.
#include <array>
#include <cmath>

#include "base/text.h"
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

// Quarter turns as the suite writes them.
constexpr std::string_view kQuarterX = R"(euler="1.57 0 0")", kQuarterY = R"(euler="0 1.57 0")";

std::string weighing(std::string_view mass, std::string_view more = "") {
  return concat(R"(mass=")", mass, "\" ", more);
}

// `kind`: class; `turn`: attributes; `joint`: attributes, nothing for a body that stays.
std::string body(std::string_view kind, double x, double y, double z, std::string_view turn,
                 const std::string& inside) {
  return concat("<body childclass=\"", kind, "\" pos=\"", numbers({x, y, z}), "\" ", turn, ">",
                inside, "</body>\n");
}

std::string joint(std::string_view name, std::string_view attributes) {
  return concat("<joint name=\"", name, "\" ", attributes, "/>");
}

// A bar across on two posts.
std::string rail(double x, double y, double z, double left, double right) {
  return cylinder(x, y - 0.03, z, 0.022, 0.28, kQuarterY) +
         cylinder(left, y, z, 0.018, 0.03, kQuarterX) +
         cylinder(right, y, z, 0.018, 0.03, kQuarterX);
}

std::string counters() {
  return body(
      "kitchen", 0, 0, 0, "",
      rail(0.909, -0.665, 0.87, 0.71, 1.108) + rail(0.909, -0.665, 0.64, 0.71, 1.108) +
          box(-0.86, -0.5, 0.46, 0.46, 1.07, 0.46) + box(0.907, -0.045, 0.46, 0.304, 0.606, 0.46) +
          box(-0.855, -0.508, 0.95, 0.463, 1.08, 0.03) +
          box(1.159, -0.045, 0.95, 0.051, 0.611, 0.03) +
          box(0.649, -0.045, 0.95, 0.051, 0.611, 0.03) + box(0.904, 0.4, 0.95, 0.204, 0.165, 0.03) +
          box(0.904, -0.617, 0.95, 0.204, 0.039, 0.03) +
          box(1.158, -0.04, 0.95, 0.05, 0.61, 0.076) + box(0.652, -0.04, 0.95, 0.05, 0.61, 0.076) +
          box(0.904, 0.401, 0.95, 0.204, 0.166, 0.076) +
          box(0.904, -0.611, 0.95, 0.206, 0.034, 0.076) +
          // the tap
          cylinder(0.9, 0.085, 1.24, 0.035, 0.05) + capsule(0.9, 0.085, 1.33, 0.025, 0.08) +
          capsule(0.9, 0.2, 1.41, 0.025, 0.11, kQuarterX) + capsule(0.9, 0.317, 1.21, 0.025, 0.2) +
          cylinder(0.9, 0.317, 1.08, 0.032, 0.07) +
          cylinder(0.947, 0.318, 1.09, 0.029, 0.03, kQuarterY) +
          cylinder(0.99, 0.318, 1.09, 0.035, 0.013, kQuarterY) +
          capsule(0.99, 0.26, 1.09, 0.01, 0.03, kQuarterX));
}

// A body of given inertia that shows what a knob or switch does.
std::string follower(std::string_view name, double x, double y, double z, const char* centre,
                     std::string_view slide) {
  return body("oven", x, y, z, "",
              concat(R"(<inertial mass="0.01" diaginertia="0.001 0.001 0.001" pos=")", centre,
                     "\"/>", joint(name, slide)));
}

std::string oven() {
  std::string inside = box(-0.017, 0.28, -0.5, 0.5, 0.602, 0.51) +
                       rail(-0.015, -0.36, -0.85, -0.215, 0.184) +
                       rail(-0.015, -0.36, -0.17, -0.215, 0.184);
  constexpr double kKnobs[4][2] = {
      {-0.148, 0.613}, {-0.271, 0.613}, {-0.148, 0.727}, {-0.271, 0.727}};
  constexpr double kBurners[4][2] = {
      {0.206, -0.119}, {-0.24, -0.119}, {0.204, 0.322}, {-0.237, 0.322}};
  for (int i = 0; i < 4; ++i) {
    inside += body("oven", kKnobs[i][0], 0.22, kKnobs[i][1], kQuarterX,
                   joint(concat("knob_", i + 1), R"(range="-1.57 0")") +
                       box(0, 0, 0.038, 0.014, 0.048, 0.018, weighing("0.01")) +
                       cylinder(0, 0, 0.013, 0.05, 0.008, weighing("0.01")));
    // The first burner has no spring.
    inside += follower(concat("burner_", i + 1), kBurners[i][0], kBurners[i][1], -0.02, "0 0 0",
                       i == 0 ? R"(type="slide" axis="0 0 -1" range="-0.009 0")"
                              : R"(type="slide" axis="0 0 -1" range="-0.009 0" stiffness="1")");
  }
  const std::string lever =
      concat(R"(<inertial pos="-0.0046 0.35 0.0131" mass="0.1" diaginertia="0.001 0.001 0.001"/>)",
             joint("switch", R"(range="-0.7 0" frictionloss="1")"),
             capsule(0.0263, -0.065, 0, 0.021, 0.03, R"(euler="-1.57 -0.4 0")"));
  return body("oven", 0.115, -0.2921, 0.9834, "", inside) +
         body("oven", 0.1, 0.188, 1.7, "",
              box(0, 0.073, -0.046, 0.502, 0.336, 0.12) +
                  body("oven", -0.4, -0.2473, -0.05, "", lever) +
                  follower("light", -0.0044, -0.3, -0.1361, "-0.0046 0.35 0.0131",
                           R"(type="slide" axis="0 0 -1" range="-0.05 0" frictionloss="1")"));
}

std::string walls() {
  return body("kitchen", 0.059, 0.584, 1.587 - 0.605, "",
              box(-0.11, 0.06, 0.6, 1.26, 0.07, 0.6) + box(-0.11, 0.06, 0.145, 1.26, 0.08, 0.145)) +
         body(
             "kitchen", -1.305, -0.546, 1.587 - 0.605, R"(euler="0 0 1.57")",
             box(0.044, 0.06, 0.6, 1.079, 0.07, 0.6) + box(0.044, 0.06, 0.145, 1.079, 0.08, 0.145));
}

// Of cupboard doors, upright, x from the hinge.
std::string handle(double x, double y, double height, double post) {
  return cylinder(x, y, 0, 0.022, height, weighing("0.1")) +
         cylinder(x, post, 0.114, 0.019, 0.053, weighing("0.02", kQuarterX)) +
         cylinder(x, post, -0.114, 0.019, 0.053, weighing("0.02", kQuarterX));
}

std::string cupboards() {
  const std::string sliding =
      box(-0.225, 0, -0.18, 0.223, 0.3, 0.02) + box(0.224, 0, 0, 0.226, 0.3, 0.2) +
      box(-0.225, 0, 0.18, 0.223, 0.3, 0.02) + box(-0.426, 0, 0, 0.022, 0.3, 0.16) +
      box(-0.2, 0.276, 0, 0.2, 0.024, 0.16) +
      body("kitchen", -0.225, -0.32, 0, "",
           joint("slide_door", R"(type="slide" axis="1 0 0" range="0 0.44")") +
               box(0, -0.02, 0, 0.225, 0.03, 0.195, weighing("0.2")) +
               handle(-0.183, -0.123, 0.159, -0.06));
  std::string hinged = box(0, 0, 0, 0.04, 0.3, 0.2);
  for (const double side : {1.0, -1.0})
    hinged += box(0.38 * side, 0, 0, 0.02, 0.3, 0.2) + box(0.2 * side, 0, 0.18, 0.16, 0.3, 0.02) +
              box(0.2 * side, 0, -0.18, 0.16, 0.3, 0.02) +
              box(0.2 * side, 0.28, 0, 0.16, 0.02, 0.16);
  hinged += body("soft", -0.38, -0.32, 0, "",
                 joint("left_hinge", R"(range="-1.57 0")") +
                     box(0.184, -0.015, 0, 0.193, 0.03, 0.2, weighing("0.2")) +
                     handle(0.302, -0.128, 0.16, -0.061)) +
            body("soft", 0.38, -0.32, 0, "",
                 joint("right_hinge", R"(range="0 1.57")") +
                     box(-0.185, -0.015, 0, 0.193, 0.03, 0.2, weighing("0.2")) +
                     handle(-0.302, -0.128, 0.16, -0.061));
  return body("kitchen", 0.4, 0.3, 1.98, "", sliding) +
         body("soft", -0.504, 0.28, 1.98, "", hinged);
}

std::string microwave() {
  const std::string door = joint("microwave", R"(range="-2.094 0")") +
                           capsule(0.475, -0.108, 0, 0.02, 0.13, weighing("0.02")) +
                           capsule(0.475, -0.075, 0.13, 0.02, 0.03, weighing("0.02", kQuarterX)) +
                           capsule(0.475, -0.075, -0.13, 0.02, 0.03, weighing("0.02", kQuarterX)) +
                           box(0.259, -0.026, 0, 0.259, 0.024, 0.185, weighing("0.2"));
  return body("soft", -0.75, -0.025, 0.99, R"(euler="0 0 0.25")",
              box(-0.316, 0.023, 0.187, 0.029, 0.199, 0.187) +
                  box(0.236, 0.023, 0.187, 0.109, 0.199, 0.187) +
                  box(-0.081, 0.191, 0.187, 0.207, 0.03, 0.187) +
                  box(-0.08, -0.007, 0.355, 0.207, 0.169, 0.019) +
                  box(-0.08, -0.008, 0.024, 0.207, 0.168, 0.024) +
                  box(0.26, -0.197, 0.187, 0.085, 0.024, 0.187) +
                  body("soft", -0.345, -0.176, 0.192, "", door));
}

std::string kettle() {
  return concat(R"(<body name="kettle" childclass="kettle"><freejoint name="free_kettle"/>)",
                capsule(0, 0, 0.259, 0.032, 0.1, weighing("0.02", kQuarterY)),
                capsule(0.092, 0, 0.18, 0.023, 0.06, weighing("0.02")),
                capsule(-0.092, 0, 0.18, 0.023, 0.06, weighing("0.02")),
                cylinder(-0.126, 0, 0.07, 0.031, 0.05, weighing("0.02", R"(euler="0 2.25 0")")),
                box(0, 0, 0.058, 0.122, 0.122, 0.058, weighing("0.8")), "</body>");
}

Scene kitchen() {
  std::string coupled;
  for (int i = 1; i <= 4; ++i)
    coupled += concat(R"(<joint polycoef="0 174 0 0 0" joint1="knob_)", i, R"(" joint2="burner_)",
                      i, R"("/>)");
  return {.bodies = fixed("desk", -0.1, 0.75, 0,
                          counters() + oven() + walls() + cupboards() + microwave()) +
                    kettle(),
          .objects =
              "1.25561e-05 1.57437e-07 1.25561e-05 1.57437e-07 1.25561e-05 1.57437e-07 "
              "1.25561e-05 1.57437e-07 8.24417e-05 9.48283e-05 0 0 0 0 "
              "-0.269 0.35 0.994 1 1.34939e-19 -3.51612e-05 -7.50168e-19",
          .y = -0.6,
          .turn = 1.57,
          .defaults = R"(
    <default class="kitchen">
      <geom contype="0" conaffinity="1" margin="0.001"/>
      <joint damping="2" frictionloss="2" armature="0.01"/>
      <default class="soft"><geom solimp="0.8 0.9 0.01"/></default>
      <default class="oven"><joint frictionloss="0" armature="0.001"/></default>
      <default class="kettle"><geom contype="1" condim="4" solimp="0.8 0.9 0.01"/></default>
    </default>)",
          .rest = concat(
              "<equality>", coupled,
              R"(<joint polycoef="0 14 0 0 0" joint1="switch" joint2="light"/></equality>)")};
}

// What has to be done, in this order: numbers among those of the kitchen, and where they should be.
struct Goal {
  int first, count;
  double numbers[7];
};
constexpr std::array<Goal, 4> kGoals = {{{13, 1, {-0.75}},
                                         {14, 7, {-0.23, 0.75, 1, 0.99, 0, 0, -0.06}},
                                         {2, 2, {-0.88, -0.01}},
                                         {8, 2, {-0.69, -0.05}}}};

class Kitchen final : public RobotTask {
 public:
  explicit Kitchen(std::string_view name) : RobotTask(name, kitchen(), Success::by_task) {}

  // No velocities.
  void observe(std::span<double> out) const override { Put(out).all(d()->qpos, m()->nq); }

 private:
  double noise() const override { return 0; }
  std::span<double> own_numbers() override { return done_; }
  void restart(bool) override { done_ = {}; }

  bool reached(const Goal& goal) const {
    const double* now = d()->qpos + robot().positions + goal.first;
    double squared = 0;
    for (int i = 0; i < goal.count; ++i)
      squared += (now[i] - goal.numbers[i]) * (now[i] - goal.numbers[i]);
    return std::sqrt(squared) < 0.3;
  }

  Outcome score() override {
    double reward = 0;
    bool all = true;
    for (std::size_t i = 0; i < kGoals.size() && all; ++i) {
      if (done_[i] != 0) continue;
      all = reached(kGoals[i]);
      if (all) {
        done_[i] = 1;
        reward += 1;
      }
    }
    return {.reward = reward, .terminated = all, .success = all};
  }

  std::array<double, 4> done_{};
};

}  // namespace

std::unique_ptr<Task> make_kitchen(std::string_view name) {
  return std::make_unique<Kitchen>(name);
}

}  // namespace mneme::envs::hb
