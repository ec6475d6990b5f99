// envs/hb/robot.cpp - which robot a task's name asks for.
#include "envs/hb/robot.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs::hb {
namespace {

// "h1-walk" of "hb/h1-walk:model=tips".
std::string_view without_suite(std::string_view name) {
  name = name.substr(0, name.find(':'));
  return name.substr(name.find('/') + 1);
}

Robot make_robot(std::string_view name, Meshes meshes) {
  if (name == "h1") return h1(meshes);
  if (name == "h1hand") return h1hand(meshes);
  throw Error(concat("the registry names a robot that does not exist: ", name));
}

}  // namespace

std::string_view task_of(std::string_view name) {
  const std::string_view rest = without_suite(name);
  return rest.substr(rest.find('-') + 1);
}

const Robot& robot_of(std::string_view task) {
  const std::string_view rest = without_suite(task), robot = rest.substr(0, rest.find('-'));
  const std::string_view model = model_of(task);
  const Meshes meshes = model == "tips"     ? Meshes::tips
                        : model == "meshes" ? Meshes::all
                                            : Meshes::none;
  // Another folder is another robot: environments made before keep theirs.
  std::string key = concat(robot, '\n', static_cast<int>(meshes));
  if (const char* folder = std::getenv("MNEME_HB_ASSETS");
      meshes != Meshes::none && folder != nullptr)
    key += folder;
  static std::mutex mutex;
  static std::map<std::string, Robot> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find(key);
  if (found != made.end()) return found->second;
  return made.emplace(key, make_robot(robot, meshes)).first->second;
}

}  // namespace mneme::envs::hb
