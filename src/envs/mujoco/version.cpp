// envs/mujoco/version.cpp - the MuJoCo library in use, its version, and the files of dm_control.
#include "envs/mujoco/version.h"

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

std::string mismatch_of(int compiled_for, int library) {
  if (compiled_for == library) return "";
  return concat("mneme was compiled for MuJoCo version number ", compiled_for,
                " and finds a library of number ", library,
                ": build it again with that one (-DMUJOCO_ROOT=), or let it find the other");
}

const std::string& mujoco_mismatch() {
#if MNEME_MUJOCO
  static const std::string kMismatch = mismatch_of(mjVERSION_HEADER, mj_version());
#else
  static const std::string kMismatch;
#endif
  return kMismatch;
}

std::vector<std::string> notes_of(const std::string& version) {
  if (version.empty() || version == "3.17.0") return {};
  return {
      concat("MuJoCo ", version,
             " instead of 3.17.0: trajectories of dmc/dog-* (inertia of meshes) and of contacts "
             "between boxes and other convex shapes (hb/h1-balance_*, hb/h1-sit_*) differ, and "
             "with them their fixtures; the others have the same digits")};
}

}  // namespace mneme::envs

namespace mneme {

std::vector<std::string> env_notes() {
  std::vector<std::string> notes = envs::notes_of(envs::mujoco_version());
  if (!envs::mujoco_mismatch().empty()) notes.push_back(envs::mujoco_mismatch());
  return notes;
}

}  // namespace mneme
