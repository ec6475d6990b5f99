// envs/libraries.cpp - where the libraries are, and whether they are the ones we know.
#include "envs/libraries.h"

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "mneme/vec_env.h"

#if MNEME_MUJOCO
#include <dlfcn.h>
#include <mujoco/mujoco.h>
#endif

namespace mneme::envs {
namespace {

bool has_dog(const std::filesystem::path& suite) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(suite / "dog.xml", ignored) &&
         std::filesystem::is_directory(suite / "dog_assets", ignored);
}

std::string find_suite() {
  // Named by the user: the package's folder or the suite inside it.
  if (const char* named = std::getenv("MNEME_DM_CONTROL"); named != nullptr && *named != '\0') {
    for (const auto& folder :
         {std::filesystem::path(named), std::filesystem::path(named) / "suite"})
      if (has_dog(folder)) return folder.string();
    return "";
  }
#if MNEME_MUJOCO
  // site-packages/mujoco/libmujoco.so.X -> site-packages/dm_control/suite
  Dl_info where{};
  if (dladdr(reinterpret_cast<const void*>(&mj_versionString), &where) != 0 &&
      where.dli_fname != nullptr) {
    const auto packages = std::filesystem::path(where.dli_fname).parent_path().parent_path();
    if (has_dog(packages / "dm_control" / "suite"))
      return (packages / "dm_control" / "suite").string();
  }
#endif
  return "";
}

}  // namespace

const std::string& dm_control_suite() {
  static const std::string kSuite = find_suite();
  return kSuite;
}

std::string mujoco_version() {
#if MNEME_MUJOCO
  return mj_versionString();
#else
  return "";
#endif
}

}  // namespace mneme::envs

namespace mneme {

std::vector<std::string> env_notes() {
  std::vector<std::string> notes;
#if MNEME_MUJOCO
  const std::string version = envs::mujoco_version();
  if (mj_version() != mjVERSION_HEADER)
    notes.push_back(concat("mneme was compiled for MuJoCo ", mjVERSION_HEADER,
                           " and runs with library version ", mj_version(), "; build it again"));
  if (version != "3.17.0")
    notes.push_back(
        concat("MuJoCo ", version,
               " instead of 3.17.0: trajectories of dmc/dog-* (mesh inertia) and of contacts "
               "between boxes and other convex shapes (hb/h1-balance_*, hb/h1-sit_*) differ"));
#endif
  return notes;
}

}  // namespace mneme
