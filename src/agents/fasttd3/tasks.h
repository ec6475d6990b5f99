// agents/fasttd3/tasks.h - the public code's settings per suite and task.
//
// A zero (or false) means: as a line of less detail has it, a suite's or that of all suites. The
// public code has lines for h1hand alone; robots without hands keep their suite's values.
// Balance tasks are listed with the budgets that were meant: the public code registers them by
// names no task has.
#pragma once

#include <array>

#include "agents/fasttd3/config.h"

namespace mneme::fasttd3 {

struct TaskValues {
  std::string_view task;  ///< "suite/task", or "suite/" for all of its tasks
  Index steps = 0;
  double bound = 0;  ///< atoms lie on [-bound, bound]
  Index environments = 0, capacity = 0, updates = 0, n_step = 0, atoms = 0;
  double discount = 0;
  double std_min = 0, std_max = 0, policy_noise = 0;
  bool own_targets = false;   ///< each critic learns its own target
  bool limit_is_end = false;  ///< no bootstrap at time limits
  bool normalize_rewards = false;
};

/// The suites first. "/" is any other: the public code takes those for MuJoCo Playground's.
inline constexpr std::array kTaskValues{
    TaskValues{.task = "/",
               .steps = 150'000,
               .bound = 10,
               .environments = 1024,
               .capacity = 10'240,
               .discount = 0.97},
    TaskValues{.task = "hb/",
               .steps = 100'000,
               .bound = 250,
               .environments = 128,
               .capacity = 51'200,
               .discount = 0.99},
    TaskValues{.task = "isaac/",
               .steps = 100'000,
               .bound = 10,
               .environments = 4096,
               .capacity = 10'240,
               .atoms = 251,
               .discount = 0.99},
    TaskValues{.task = "metaworld/",
               .steps = 150'000,
               .bound = 10,
               .environments = 4096,
               .capacity = 2'048,
               .n_step = 8,
               .discount = 0.97,
               .normalize_rewards = true},
    // The public code's example for the DeepMind Control Suite is CheetahRun.
    TaskValues{.task = "dmc/", .bound = 500, .n_step = 3, .std_min = 0.1, .policy_noise = 0.1},

    TaskValues{.task = "hb/h1hand-reach", .bound = 2'000},
    TaskValues{.task = "hb/h1hand-maze", .bound = 1'000},
    TaskValues{.task = "hb/h1hand-push", .steps = 1'000'000, .bound = 1'000},
    TaskValues{.task = "hb/h1hand-basketball", .steps = 250'000, .bound = 2'000},
    TaskValues{.task = "hb/h1hand-window", .steps = 250'000},
    TaskValues{.task = "hb/h1hand-package", .bound = 10'000},
    TaskValues{.task = "hb/h1hand-truck", .bound = 1'000},
    TaskValues{.task = "hb/h1hand-pole", .steps = 150'000},
    TaskValues{.task = "hb/h1hand-balance_simple", .steps = 200'000},
    TaskValues{.task = "hb/h1hand-balance_hard", .steps = 1'000'000},

    TaskValues{.task = "isaac/Velocity-Flat-H1", .steps = 75'000, .updates = 4, .n_step = 8},
    TaskValues{.task = "isaac/Velocity-Flat-G1", .steps = 50'000, .updates = 4, .n_step = 8},
    TaskValues{.task = "isaac/Velocity-Rough-H1",
               .steps = 50'000,
               .capacity = 5'120,
               .updates = 4,
               .n_step = 8},
    TaskValues{.task = "isaac/Velocity-Rough-G1",
               .steps = 50'000,
               .capacity = 5'120,
               .updates = 4,
               .n_step = 8},
    TaskValues{.task = "isaac/Repose-Cube-Allegro-Direct", .bound = 500},
    TaskValues{.task = "isaac/Repose-Cube-Shadow-Direct", .bound = 500},
    TaskValues{.task = "isaac/Lift-Cube-Franka",
               .steps = 20'000,
               .bound = 50,
               .environments = 1024,
               .updates = 8,
               .std_max = 0.8,
               .limit_is_end = true},
    TaskValues{.task = "isaac/Open-Drawer-Franka", .steps = 20'000, .bound = 50, .updates = 8},

    TaskValues{.task = "playground/G1JoystickFlatTerrain", .steps = 100'000},
    TaskValues{.task = "playground/G1JoystickRoughTerrain", .steps = 100'000},
    TaskValues{.task = "playground/T1JoystickFlatTerrain", .steps = 100'000},
    TaskValues{.task = "playground/T1JoystickRoughTerrain", .steps = 100'000},
    TaskValues{.task = "playground/Go1JoystickFlatTerrain",
               .steps = 50'000,
               .updates = 8,
               .std_min = 0.2,
               .std_max = 0.8,
               .policy_noise = 0.2},
    TaskValues{.task = "playground/Go1JoystickRoughTerrain",
               .steps = 50'000,
               .updates = 8,
               .std_min = 0.2,
               .std_max = 0.8,
               .policy_noise = 0.2},
    TaskValues{.task = "playground/Go1Getup",
               .steps = 50'000,
               .updates = 8,
               .std_min = 0.2,
               .std_max = 0.8,
               .policy_noise = 0.2},
    TaskValues{.task = "playground/LeapCubeReorient",
               .bound = 50,
               .n_step = 3,
               .discount = 0.99,
               .policy_noise = 0.2,
               .own_targets = true},
    TaskValues{.task = "playground/LeapCubeRotateZAxis",
               .discount = 0.99,
               .policy_noise = 0.2,
               .own_targets = true},
    TaskValues{.task = "playground/CheetahRun",
               .bound = 500,
               .n_step = 3,
               .std_min = 0.1,
               .policy_noise = 0.1},
};

/// The name by which the table lists a task: "humanoid_bench/h1hand-push-v0" and
/// "hb/h1hand-push_fixed:limit=9" are "hb/h1hand-push". Options after a colon do not count.
std::string listed_name(std::string_view task);

/// What holds for a task: the table's lines for every suite, its suite and itself, one over the
/// other.
TaskValues values_of(std::string_view task);

}  // namespace mneme::fasttd3
