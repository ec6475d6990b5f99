// envs/hb/robot.cpp - which robot a task's name asks for.
#include "envs/hb/robot.h"

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs::hb {
namespace {

// "h1-walk" of "hb/h1-walk".
std::string_view without_suite(std::string_view name) { return name.substr(name.find('/') + 1); }

}  // namespace

std::string_view task_of(std::string_view name) {
  const std::string_view rest = without_suite(name);
  return rest.substr(rest.find('-') + 1);
}

const Robot& robot_of(std::string_view task) {
  const std::string_view rest = without_suite(task);
  for (const Robot* robot : {&h1(), &h1hand()})
    if (rest.substr(0, rest.find('-')) == robot->name) return *robot;
  throw Error(concat("the registry names a robot that does not exist: ", task));
}

}  // namespace mneme::envs::hb
