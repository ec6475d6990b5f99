// lab/study/suites.cpp - what the paper's studies ask for and the registry does not have.
//
// A suite that joins the registry takes precedence: its lines here then say nothing any more.
#include "lab/study/suites.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "base/text.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme::lab {
namespace {

struct Absent {
  const char *prefix, *needs;
};
constexpr std::array kAbsent{
    Absent{"metaworld/", "needs the suite Meta-World, which this build does not have"},
    Absent{"isaac/", "needs Isaac Lab and a graphics card, which this build does not have"},
    Absent{"myo/", "needs the suite MyoSuite, which this build does not have"},
    Absent{"gym/", "needs the suite Gymnasium, which this build does not have"}};

struct Set {
  const char *name, *prefix, *tasks;
};
constexpr std::array kSets{
    Set{"isaac-6", "isaac/",
        "Velocity-Flat-G1 Velocity-Rough-G1 Velocity-Flat-H1 Velocity-Rough-H1 "
        "Repose-Cube-Allegro-Direct Repose-Cube-Shadow-Direct"},
    Set{"mt50", "metaworld/",
        "assembly basketball bin-picking box-close button-press-topdown button-press-topdown-wall "
        "button-press button-press-wall coffee-button coffee-pull coffee-push dial-turn "
        "disassemble door-close door-lock door-open door-unlock hand-insert drawer-close "
        "drawer-open faucet-open faucet-close hammer handle-press-side handle-press "
        "handle-pull-side handle-pull lever-pull pick-place-wall pick-out-of-hole pick-place "
        "plate-slide plate-slide-side plate-slide-back plate-slide-back-side peg-insert-side "
        "peg-unplug-side soccer stick-push stick-pull push push-wall push-back reach reach-wall "
        "shelf-place sweep-into sweep window-open window-close"}};

bool registered(const std::string& set) {
  const std::vector<std::string> names = task_set_names();
  return std::find(names.begin(), names.end(), set) != names.end();
}

}  // namespace

std::vector<std::string> tasks_named(const std::string& name) {
  if (registered(name)) return task_set(name);
  for (const Set& set : kSets) {
    if (name != set.name) continue;
    std::istringstream words(set.tasks);
    std::vector<std::string> tasks;
    for (std::string word; words >> word;) tasks.push_back(set.prefix + word);
    return tasks;
  }
  if (name.find('/') != std::string::npos) return {name};
  std::vector<std::string> known = task_set_names();
  for (const Set& set : kSets) known.emplace_back(set.name);
  throw NotFound(unknown_name("task set", name, known));
}

std::string missing_for(const std::string& task) {
  const std::string name = task.substr(0, task.find(':'));
  for (const TaskInfo& info : registered_tasks())
    if (info.name == name) return info.available ? std::string() : concat("needs ", info.install);
  for (const Absent& suite : kAbsent)
    if (name.starts_with(suite.prefix)) return suite.needs;
  make_vec_env(task);  // says which names are near
  return {};
}

}  // namespace mneme::lab
