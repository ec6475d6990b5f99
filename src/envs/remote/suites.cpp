// envs/remote/suites.cpp - the table of suites in Python, and the places on this machine.
//
// Sizes and horizons are what the packages have; 0 is what only a made environment tells. Order
// within metaworld and myo is that of the papers, which the sets mt50 and myo-10 take over.
#include "envs/remote/suites.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

namespace fs = std::filesystem;

// A task with published returns of a random policy (score 0) and a trained one (score 1). Where
// nobody has published any, 0 and 1: the score is then the return itself.
TaskInfo by_return(std::string_view name, Index observation, Index action, Index horizon,
                   double low = 0, double high = 1) {
  TaskInfo task;
  task.name = name;
  task.observation = observation;
  task.action = action;
  task.horizon = horizon;
  task.score_low = low;
  task.score_high = high;
  return task;
}

// A task whose score is the share of episodes with success.
TaskInfo by_success(std::string_view name, Index observation, Index action, Index horizon,
                    std::string_view success) {
  TaskInfo task = by_return(name, observation, action, horizon);
  task.success = success;
  task.score_is_success = true;
  return task;
}

// BRC's protocol: goal in the observation and frozen for the life of an environment, 200 of the
// package's 500 steps, no action repeat.
std::vector<TaskInfo> metaworld_tasks() {
  std::vector<TaskInfo> tasks;
  for (const char* name : {"metaworld/assembly",
                           "metaworld/basketball",
                           "metaworld/bin-picking",
                           "metaworld/box-close",
                           "metaworld/button-press-topdown",
                           "metaworld/button-press-topdown-wall",
                           "metaworld/button-press",
                           "metaworld/button-press-wall",
                           "metaworld/coffee-button",
                           "metaworld/coffee-pull",
                           "metaworld/coffee-push",
                           "metaworld/dial-turn",
                           "metaworld/disassemble",
                           "metaworld/door-close",
                           "metaworld/door-lock",
                           "metaworld/door-open",
                           "metaworld/door-unlock",
                           "metaworld/hand-insert",
                           "metaworld/drawer-close",
                           "metaworld/drawer-open",
                           "metaworld/faucet-open",
                           "metaworld/faucet-close",
                           "metaworld/hammer",
                           "metaworld/handle-press-side",
                           "metaworld/handle-press",
                           "metaworld/handle-pull-side",
                           "metaworld/handle-pull",
                           "metaworld/lever-pull",
                           "metaworld/pick-place-wall",
                           "metaworld/pick-out-of-hole",
                           "metaworld/pick-place",
                           "metaworld/plate-slide",
                           "metaworld/plate-slide-side",
                           "metaworld/plate-slide-back",
                           "metaworld/plate-slide-back-side",
                           "metaworld/peg-insert-side",
                           "metaworld/peg-unplug-side",
                           "metaworld/soccer",
                           "metaworld/stick-push",
                           "metaworld/stick-pull",
                           "metaworld/push",
                           "metaworld/push-wall",
                           "metaworld/push-back",
                           "metaworld/reach",
                           "metaworld/reach-wall",
                           "metaworld/shelf-place",
                           "metaworld/sweep-into",
                           "metaworld/sweep",
                           "metaworld/window-open",
                           "metaworld/window-close"})
    tasks.push_back(by_success(name, 39, 4, 200, "info[success] at any step"));
  return tasks;
}

// SimbaV2's protocol: at most 100 steps of the simulation, also for key-turn, registered with 200.
std::vector<TaskInfo> myo_tasks() {
  constexpr Index kMuscles = 39;
  const auto task = [](std::string_view name, Index observation, Index horizon) {
    return by_success(name, observation, kMuscles, horizon, "info[solved] at any step");
  };
  return {task("myo/reach", 115, 100),   task("myo/reach-hard", 115, 100),
          task("myo/pose", 108, 100),    task("myo/pose-hard", 108, 100),
          task("myo/obj-hold", 91, 75),  task("myo/obj-hold-hard", 91, 75),
          task("myo/key-turn", 93, 100), task("myo/key-turn-hard", 93, 100),
          task("myo/pen-twirl", 83, 50), task("myo/pen-twirl-hard", 83, 50)};
}

// Scores: random and TD3, as SimbaV2 has them for v4 of the same five tasks. For the others nothing
// is published that papers agree on.
std::vector<TaskInfo> gym_tasks() {
  return {by_return("gym/Ant-v5", 105, 8, 1000, -70.288, 3942),
          by_return("gym/HalfCheetah-v5", 17, 6, 1000, -289.415, 10574),
          by_return("gym/Hopper-v5", 11, 3, 1000, 18.791, 3226),
          by_return("gym/Humanoid-v5", 348, 17, 1000, 120.423, 5165),
          by_return("gym/HumanoidStandup-v5", 348, 17, 1000),
          by_return("gym/InvertedDoublePendulum-v5", 9, 1, 1000),
          by_return("gym/InvertedPendulum-v5", 4, 1, 1000),
          by_return("gym/Pusher-v5", 23, 7, 100),
          by_return("gym/Reacher-v5", 10, 2, 50),
          by_return("gym/Swimmer-v5", 8, 2, 1000),
          by_return("gym/Walker2d-v5", 17, 6, 1000, 2.791, 3946),
          by_return("gym/MountainCarContinuous-v0", 2, 1, 999),
          by_return("gym/Pendulum-v1", 3, 1, 200)};
}

// The paper divides by the final mean of uniform sampling, which a study does, not a task.
std::vector<TaskInfo> isaac_tasks() {
  return {by_return("isaac/Velocity-Flat-G1", 123, 37, 1000),
          by_return("isaac/Velocity-Rough-G1", 310, 37, 1000),
          by_return("isaac/Velocity-Flat-H1", 69, 19, 1000),
          by_return("isaac/Velocity-Rough-H1", 256, 19, 1000),
          by_return("isaac/Repose-Cube-Allegro-Direct", 124, 16, 300),
          by_return("isaac/Repose-Cube-Shadow-Direct", 157, 20, 600)};
}

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? fs::path() : fs::path(value);
}

bool is_worker(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "__main__.py", none);
}

}  // namespace

const std::vector<PythonSuite>& python_suites() {
  static const std::vector<PythonSuite> kSuites{
      {.name = "metaworld",
       .summary = "Meta-World: 50 tasks of a robot arm, goals visible and frozen, as BRC has them",
       .installable = true,
       .note = {},
       .tasks = metaworld_tasks()},
      {.name = "myo",
       .summary = "MyoSuite: 10 tasks of a hand with 39 muscles, as SimbaV2 has them",
       .installable = true,
       .note = {},
       .tasks = myo_tasks()},
      {.name = "gym",
       .summary = "Gymnasium: its MuJoCo tasks, and any registered id with continuous actions",
       .open = true,
       .installable = true,
       .note = {},
       .tasks = gym_tasks()},
      {.name = "robotics",
       .summary = "Gymnasium-Robotics: any of its ids; goals are parts of the observation",
       .open = true,
       .installable = true,
       .note = {},
       .tasks = {}},
      {.name = "dm_control",
       .summary = "DeepMind Control: its own package, any domain-task; dmc/ are the native ones",
       .open = true,
       .installable = true,
       .note = {},
       .tasks = {}},
      {.name = "envpool",
       .summary = "EnvPool: any of its ids, stepped in its own threads",
       .open = true,
       .installable = true,
       .note = {},
       .tasks = {}},
      {.name = "humanoid_bench",
       .summary = "HumanoidBench: its own package; hb/ are the native tasks",
       .open = true,
       .installable = true,
       .note = "a checkout of HumanoidBench, the folder with humanoid_bench/ in it, by --checkout",
       .tasks = {}},
      {.name = "isaac",
       .summary = "Isaac Lab: 6 tasks of the paper, on a graphics card",
       .worker_per_task = true,
       .note = "Isaac Lab with its Isaac Sim, installed as their own guide says (Python 3.11, an "
               "NVIDIA card with ray tracing, about 30 GB), and its Python named to `mneme envs "
               "register isaac --python PATH`",
       .tasks = isaac_tasks()},
      {.name = "synthetic",
       .summary = "Scripted episodes: for tests and benchmarks",
       .open = true,
       .note = "any Python with NumPy, named to `mneme envs register synthetic --python PATH`",
       .tasks = {}},
  };
  return kSuites;
}

const PythonSuite* find_python_suite(std::string_view name) {
  const std::string_view suite = name.substr(0, name.find('/'));
  for (const PythonSuite& one : python_suites())
    if (one.name == suite) return &one;
  return nullptr;
}

fs::path suites_folder() {
  if (const fs::path named = environment("MNEME_SUITES"); !named.empty()) return named;
  if (const fs::path data = environment("XDG_DATA_HOME"); data.is_absolute())
    return data / "mneme" / "suites";
  const fs::path home = environment("HOME");
  if (home.empty())
    throw NotFound(
        "no folder for suites: neither HOME nor XDG_DATA_HOME is set; name one in MNEME_SUITES");
  return home / ".local" / "share" / "mneme" / "suites";
}

fs::path interpreter_of(std::string_view suite) {
  if (find_python_suite(suite) == nullptr) return {};
  suite = suite.substr(0, suite.find('/'));
  std::string variable = "MNEME_PYTHON_";
  for (const char c : suite)
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  fs::path python = environment(variable.c_str());
  if (python.empty()) {
    try {
      std::ifstream file(suites_folder() / suite / "interpreter");
      std::string line;
      std::getline(file, line);
      python = line;
    } catch (const NotFound&) {  // no folder, nothing in it
      return {};
    }
  }
  std::error_code none;
  return !python.empty() && fs::is_regular_file(python, none) ? python : fs::path();
}

fs::path worker_folder() {
  if (const fs::path named = environment("MNEME_WORKER"); !named.empty()) {
    if (is_worker(named)) return named;
    throw NotFound(concat("MNEME_WORKER names ", named.string(),
                          ", which has no __main__.py; name the folder python/mneme/worker of a "
                          "checkout, or unset it"));
  }
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  for (const fs::path& folder :
       {program.parent_path() / "../share/mneme/worker", fs::path(MNEME_WORKER_SOURCE)})
    if (is_worker(folder)) return folder.lexically_normal();
  throw NotFound(
      "the Python side of suites is neither in share/mneme/worker beside this program nor in the "
      "tree it was built from; install mneme again, or name the folder in MNEME_WORKER");
}

}  // namespace mneme::envs
