// tests/envs/hb_hands_test.cpp - HumanoidBench with hands: our models against numbers recorded from
// the suite's own ones by fixtures/record_hands.py, which says what they are.
#if MNEME_MUJOCO

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "envs/dmc.h"
#include "envs/hb_files.h"
#include "envs/mujoco/simulation.h"
#include "mneme/error.h"
#include "support/places.h"

namespace mneme::envs {
namespace {

struct Line {
  std::vector<double> numbers;
  std::string like;  // the task whose line holds them
};

const std::map<std::string, Line>& recorded() {
  static const std::map<std::string, Line> kLines = [] {
    std::map<std::string, Line> lines;
    std::ifstream file(mneme::test::source_path("tests/envs/fixtures/h1hand.txt"));
    for (std::string text; std::getline(file, text);) {
      std::istringstream in(text);
      std::string name, count;
      in >> name >> count;
      Line& line = lines[name];
      if (count == "like") {
        in >> line.like;
        continue;
      }
      for (double x = 0; in >> x;) line.numbers.push_back(x);
      EXPECT_EQ(line.numbers.size(), std::stoul(count)) << name;
    }
    return lines;
  }();
  return kLines;
}

const std::vector<double>& recorded(const std::string& name, const std::string& task = "") {
  const Line& line = recorded().at(task.empty() ? name : name + '/' + task);
  return line.like.empty() ? line.numbers : recorded().at(name + '/' + line.like).numbers;
}

void expect_equal(const std::string& what, const double* ours, const std::vector<double>& theirs) {
  double worst = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i)
    worst = std::max(worst, std::abs(ours[i] - theirs[i]) / std::max(1.0, std::abs(theirs[i])));
  EXPECT_LT(worst, 1e-12) << what;
}

constexpr const char* kWalk = "hb/h1hand-walk";

// Thirteen digits were recorded; small moments of inertia are held to as many.
TEST(HbHands, ConstantsOfTheRobot) {
  MNEME_SKIP_IF_MISSING(kWalk);
  const auto task = test::make(kWalk);
  const mjModel* m = task->simulation()->m();
  ASSERT_EQ(m->nq, 76);
  ASSERT_EQ(m->nv, 75);
  ASSERT_EQ(m->nu, 61);
  ASSERT_EQ(m->nbody, 71);
  ASSERT_EQ(m->ntendon, 8);
  EXPECT_NEAR(m->body_subtreemass[1], 53.239896, 1e-12);
  const auto same = [](const std::string& name, const double* ours) {
    expect_equal(name, ours, recorded(name));
  };
  same("body_mass", m->body_mass + 1);
  same("body_ipos", m->body_ipos + 3);
  same("body_iquat", m->body_iquat + 4);
  same("body_pos", m->body_pos + 3);
  same("body_quat", m->body_quat + 4);
  same("jnt_axis", m->jnt_axis + 3);
  same("jnt_range", m->jnt_range + 2);
  same("dof_damping", m->dof_damping + 6);
  same("dof_armature", m->dof_armature + 6);
  same("dof_frictionloss", m->dof_frictionloss + 6);
  same("actuator_ctrlrange", m->actuator_ctrlrange);
  same("actuator_forcerange", m->actuator_forcerange);
  const std::vector<double>& moments = recorded("body_inertia");
  for (std::size_t i = 0; i < moments.size(); ++i)
    EXPECT_NEAR(m->body_inertia[3 + i], moments[i], 1e-12 * moments[i]) << i;
  for (std::size_t i = 0; i < 61; ++i) {
    EXPECT_EQ(m->actuator_gainprm[mjNGAIN * i], recorded("actuator_gain")[i]) << i;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(m->actuator_biasprm[mjNBIAS * i + k], recorded("actuator_bias")[3 * i + k]) << i;
  }
  EXPECT_EQ(m->nexclude, recorded("excludes")[0]);
}

std::vector<std::string> tasks() {
  std::vector<std::string> names;
  for (const TaskInfo& info : registered_tasks())
    if (info.name.starts_with("hb/h1hand-") && !info.name.ends_with("_fixed"))
      names.emplace_back(info.name.substr(10));
  return names;
}

class HbHandsTask : public testing::TestWithParam<std::string> {
 protected:
  std::string name() const { return "hb/h1hand-" + GetParam(); }
};

struct DeleteModel {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
};

std::unique_ptr<mjModel, DeleteModel> without_contact(const mjModel* model) {
  std::unique_ptr<mjModel, DeleteModel> copy(mj_copyModel(nullptr, model));
  copy->opt.disableflags |= mjDSBL_CONTACT;
  return copy;
}

// Where nothing touches, robot and objects move as they do in the suite.
TEST_P(HbHandsTask, MovesAlikeWithoutContact) {
  MNEME_SKIP_IF_MISSING(name());
  const auto task = test::make(name());
  const auto model = without_contact(task->simulation()->m());
  mjData* d = task->simulation()->d();
  const mjModel* m = model.get();
  task->reset_nominal();
  const std::vector<double> start(d->qpos, d->qpos + m->nq);
  mj_resetData(m, d);
  std::copy(start.begin(), start.end(), d->qpos);
  for (int j = 0; j < m->nv; ++j) d->qvel[j] = 0.1 * std::cos(j);
  for (int k = 0; k < 300; ++k) {
    for (int i = 0; i < m->nu; ++i) {
      const double low = m->actuator_ctrlrange[2 * i], high = m->actuator_ctrlrange[2 * i + 1];
      d->ctrl[i] = (low + high) / 2 + (high - low) / 2 * std::sin(i + 1 + k / 10.0);
    }
    mj_step(m, d);
  }
  const std::vector<double>& theirs = recorded("motion", GetParam());
  ASSERT_EQ(theirs.size(), static_cast<std::size_t>(m->nq + m->nv));
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const auto nq = static_cast<std::size_t>(m->nq);
    EXPECT_NEAR(i < nq ? d->qpos[i] : d->qvel[i - nq], theirs[i], 1e-9) << i;
  }
}

// What can be touched besides the robot stands where it stands in the suite.
TEST_P(HbHandsTask, SameShapes) {
  MNEME_SKIP_IF_MISSING(name());
  const auto task = test::make(name());
  task->reset_nominal();
  const mjModel* m = task->simulation()->m();
  const mjData* d = task->simulation()->d();
  const int pelvis = task->simulation()->names().body("pelvis");
  std::vector<double> ours(19);
  for (int geom = 1; geom < m->ngeom; ++geom) {
    if (m->geom_contype[geom] == 0 && m->geom_conaffinity[geom] == 0) continue;
    if (m->body_rootid[m->geom_bodyid[geom]] == pelvis) continue;
    double row[9];
    for (int k = 0; k < 3; ++k) {
      row[k] = m->geom_size[3 * geom + k];
      row[3 + k] = d->geom_xpos[3 * geom + k];
      const double axis = d->geom_xmat[9 * geom + 3 * k + 2];
      row[6 + k] = axis * axis;
    }
    ours[0] += 1;
    for (std::size_t k = 0; k < 9; ++k) {
      ours[1 + k] += row[k];
      ours[10 + k] += row[k] * row[k];
    }
  }
  const std::vector<double>& theirs = recorded("shapes", GetParam());
  for (std::size_t i = 0; i < 19; ++i)
    EXPECT_NEAR(ours[i], theirs[i], 1e-9 * std::max(1.0, std::abs(theirs[i]))) << i;
}

INSTANTIATE_TEST_SUITE_P(Every, HbHandsTask, testing::ValuesIn(tasks()),
                         [](const auto& one) { return one.param; });

// ---------------------------------------------------------------- twenty steps

struct Rollout {
  const char* task;
  double reward[4];  // after step 1, 5, 10, 20, in the suite with its meshes
  double sum, height;
  double near;  // how far simple shapes may be off in a reward
};

void PrintTo(const Rollout& one, std::ostream* out) { *out << one.task; }
class HbHandsRollout : public testing::TestWithParam<Rollout> {};

// At step k servo i has the target keyframe angle (0 for a tendon) + 0.05 sin(i + 1 + k).
void expect_rollout(const std::string& spec, const Rollout& expected) {
  const auto task = test::make(spec);
  task->reset_nominal();
  const mjModel* m = task->simulation()->m();
  const mjData* d = task->simulation()->d();
  std::vector<double> rewards, angles;
  for (int i = 0; i < m->nu; ++i) {
    const bool joint = m->actuator_trntype[i] == mjTRN_JOINT;
    angles.push_back(joint ? d->qpos[m->jnt_qposadr[m->actuator_trnid[2 * i]]] : 0);
  }
  for (int k = 0; k < 20; ++k) {
    std::vector<double> action;
    for (int i = 0; i < m->nu; ++i) {
      const double low = m->actuator_ctrlrange[2 * i], high = m->actuator_ctrlrange[2 * i + 1];
      const double wanted = angles[static_cast<std::size_t>(i)] + 0.05 * std::sin(i + 1.0 + k);
      action.push_back(2 * (std::clamp(wanted, low, high) - low) / (high - low) - 1);
    }
    const Outcome outcome = task->step(action);
    ASSERT_EQ(outcome.failure, nullptr);
    rewards.push_back(outcome.reward);
  }
  double sum = 0, worst = 0;
  for (const double reward : rewards) sum += reward;
  constexpr std::size_t kSteps[] = {1, 5, 10, 20};
  for (std::size_t i = 0; i < 4; ++i)
    worst = std::max(worst, std::abs(rewards[kSteps[i] - 1] - expected.reward[i]));
  EXPECT_LT(worst, expected.near);
  EXPECT_NEAR(sum, expected.sum, 20 * expected.near);
  EXPECT_NEAR(d->qpos[2], expected.height, 1e-3);
  testing::Test::RecordProperty("worst_reward", std::to_string(worst));
  testing::Test::RecordProperty("height_off", std::to_string(d->qpos[2] - expected.height));
}

TEST_P(HbHandsRollout, NearMeshes) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  expect_rollout(GetParam().task, GetParam());
}

// The suite's own model and, where the folder has meshes, ours with them.
TEST_P(HbHandsRollout, OnModelsOfOthers) {
  MNEME_SKIP_IF_MISSING(GetParam().task);
  std::string best;
  try {
    best = best_model(true);
  } catch (const NotFound& error) {
    GTEST_SKIP() << error.what();
  }
  for (const char* model : {"tips", "meshes", "suite"}) {
    SCOPED_TRACE(model);
    expect_rollout(std::string(GetParam().task) + ":model=" + model, GetParam());
    if (best == model) break;
  }
}

constexpr double kFlat = 0.943607552;
constexpr Rollout kRollouts[] = {
    {"hb/h1hand-walk",
     {0.173844898, 0.178238740, 0.162248551, 0.162125370},
     3.393646950,
     kFlat,
     5e-4},
    {"hb/h1hand-door",
     {0.141060417, 0.139689897, 0.137654353, 0.138827907},
     2.775823918,
     kFlat,
     5e-4},
    {"hb/h1hand-spoon",
     {0.285271866, 0.284948719, 0.278121032, 0.271186236},
     5.556244443,
     kFlat,
     5e-4},
    {"hb/h1hand-powerlift",
     {0.348086486, 0.346350975, 0.344171567, 0.346231879},
     6.916415021,
     kFlat,
     5e-4},
    {"hb/h1hand-cabinet",
     {0.196533909, 0.194819400, 0.192480182, 0.194550444},
     3.882450362,
     kFlat,
     5e-4},
};
INSTANTIATE_TEST_SUITE_P(Every, HbHandsRollout, testing::ValuesIn(kRollouts),
                         [](const auto& one) { return test::plain_name(one.param.task); });

}  // namespace
}  // namespace mneme::envs

#endif
