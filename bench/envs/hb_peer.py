"""bench/envs/hb_peer.py - HumanoidBench's own Python package beside ours.

    PYTHON bench/envs/hb_peer.py peer                  for `mneme envs bench --peer`
    PYTHON bench/envs/hb_peer.py returns FILE [TASK]...  returns of the scalar policy

PYTHON has mujoco 3.1.6, gymnasium 0.29.1, dm_control 1.0.20, numpy below 2, imageio, torch, jax and
flax; PYTHONPATH names a checkout of humanoid-bench. bench/harness/peer.h has the questions a peer is asked.
The policy is the one behind the paper's column: one uniform number per decision, for every actuator,
held for two steps. Rows of tasks that FILE has already are made again, the others stay.
"""

import json
import math
import os
import sys
from importlib import metadata

os.environ.setdefault("MUJOCO_GL", "osmesa")  # it makes a renderer, used or not
sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
from peer import KEPT, serve

EPISODES = 40


def make(robot, task):
    import gymnasium
    import humanoid_bench  # noqa: F401, registers the tasks

    return gymnasium.make(f"{robot}-{task}-v0", disable_env_checker=True)


def version():
    return f"0.2, MuJoCo {metadata.version('mujoco')}"


class HumanoidBench:
    """Its own loop with the time limit of its registration, as a learner would run it. One
    environment: what it costs does not go down with more."""

    def __init__(self, task, count, threads, keys):
        if threads > 1:
            raise LookupError("it has one thread")
        suite, _, name = task.partition("/")
        robot, _, name = name.partition("-")
        try:
            self.env = make(robot, name)
        except Exception as reason:  # whatever its registry raises for a name
            raise LookupError(f"it has no {task}") from reason
        if suite != "hb":
            raise LookupError(f"it has no {task}")
        self.version = version()
        self.episodes = count
        size = self.env.action_space.shape
        self.actions = np.random.RandomState(2).uniform(-1, 1, (KEPT, *size)).astype(np.float32)
        np.random.seed(1)
        self.env.reset(seed=1)
        self.at = 0

    def size(self):
        return 1

    def play(self):
        rows, lengths = [], []
        random, size = np.random.RandomState(3), self.env.action_space.shape
        for _ in range(self.episodes):
            before, _ = self.env.reset()
            total, motion, length, over = 0.0, 0.0, 0, False
            while not over:
                action = random.uniform(-1, 1, size).astype(np.float32)
                now, reward, terminated, truncated, _ = self.env.step(action)
                motion += np.abs(now - before).sum()
                before, total, length = now, total + reward, length + 1
                over = terminated or truncated
            rows.append((total, motion / length))
            lengths.append(length)
        self.env.reset()
        # Episodes that end by themselves have no common length.
        length = lengths[0] if len(set(lengths)) == 1 else 0
        return (len(before), size[0], length, self.env.unwrapped.frame_skip), rows

    def run(self, steps):
        for _ in range(steps):
            _, _, terminated, truncated, _ = self.env.step(self.actions[self.at % KEPT])
            if terminated or truncated:
                self.env.reset()
            self.at += 1


def episode(env, random):
    """The return of one episode under one number for all actuators, held for two steps."""
    env.reset()
    total, over = 0.0, False
    while not over:
        action = np.full(env.action_space.shape, random.uniform(-1, 1), np.float32)
        for _ in range(2):
            _, reward, terminated, truncated, _ = env.step(action)
            total += reward
            over = terminated or truncated
            if over:
                break
    return total


def returns(path, tasks):
    from humanoid_bench.env import TASKS

    known = {"rows": []}
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)
    known["version"] = version()
    for task in tasks or [name for name in TASKS if not name.startswith("highbar")]:
        env, random = make("h1hand", task), np.random.RandomState(5)
        np.random.seed(6)
        env.reset(seed=7)
        numbers = np.array([episode(env, random) for _ in range(EPISODES)])
        row = {
            "task": task,
            "mean": numbers.mean(),
            "standard_error": numbers.std(ddof=1) / math.sqrt(EPISODES),
            "episodes": EPISODES,
        }
        env.close()
        known["rows"] = [r for r in known["rows"] if r["task"] != task] + [row]
        print(f"{task:18} {row['mean']:10.3f} +- {row['standard_error']:.3f}", flush=True)
        with open(path, "w") as file:
            file.write(json.dumps(known, indent=1) + "\n")


def main():
    if len(sys.argv) >= 3 and sys.argv[1] == "returns":
        return returns(sys.argv[2], sys.argv[3:])
    if sys.argv[1:] != ["peer"]:
        sys.exit(__doc__)
    serve(HumanoidBench)


if __name__ == "__main__":
    main()
