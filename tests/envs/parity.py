"""tests/envs/parity.py - native DeepMind Control tasks against the real dm_control, whole episodes.

For every task: `mneme envs trace` writes down an episode; dm_control is set to its first state and
given its actions. Observations and rewards must agree within 1e-6 (relative to the size of the
number) over the whole episode: with the same MuJoCo the models are the same to the last bit, and
chaos has nothing to grow from. Where it has, the step is printed; --least lowers the demand. Ends
of episodes must agree too.

With --returns it also compares the returns of random policies: means within six standard errors of
their difference.
"""

import argparse
import json
import math
import os
import subprocess
import sys

os.environ.setdefault("MUJOCO_GL", "disable")
import numpy as np
from dm_control import suite

TOLERANCE = 1e-6
EPISODE = 1000


def place_target(physics, domain, numbers):
    """Goals that our models keep in mocap data, into the model of dm_control."""
    if len(numbers) == 0:
        return
    position = numbers[:3]
    if domain in ("reacher", "fish", "swimmer"):
        physics.named.model.geom_pos["target"] = position
    elif domain == "finger":
        physics.named.model.site_pos["target"] = position


def flat(observation, keys):
    return np.concatenate([np.ravel(observation[key["name"]]) for key in keys])


def follow(trace):
    """First step at which the two differ (EPISODE if none), and the largest difference before it."""
    domain, task = trace["task"].removeprefix("dmc/").split("-")
    env = suite.load(domain, task, task_kwargs={"random": 0})
    env.reset()
    physics = env.physics
    numbers = np.array(trace["physics"])
    nq, nv, na = physics.model.nq, physics.model.nv, physics.model.na
    qpos, qvel, act, warmstart, mocap = np.split(numbers[1:], np.cumsum([nq, nv, na, nv]))
    place_target(physics, domain, mocap)
    with physics.reset_context():
        physics.data.qpos[:], physics.data.qvel[:] = qpos, qvel
        if na:
            physics.data.act[:] = act
    physics.data.qacc_warmstart[:] = warmstart

    low, high = physics.model.actuator_ctrlrange.T
    worst = 0.0
    for index, step in enumerate(trace["steps"]):
        action = np.array(step["action"])
        plain = (low == -1) & (high == 1)
        control = np.where(plain, action, low + (action + 1) * (high - low) / 2)
        timestep = env.step(control)
        if timestep.last() != step["truncated"]:
            raise AssertionError(f"{trace['task']}: one episode ends at step {index + 1}, one not")
        theirs = np.append(flat(timestep.observation, trace["keys"]), timestep.reward)
        ours = np.append(step["observation"], step["reward"])
        difference = np.max(np.abs(theirs - ours) / np.maximum(1, np.abs(theirs)))
        if difference > TOLERANCE:
            return index + 1, worst
        worst = max(worst, difference)
    return EPISODE, worst


def returns_of(task, episodes):
    """Returns of dm_control under uniform random actions."""
    domain, name = task.removeprefix("dmc/").split("-")
    env = suite.load(domain, name, task_kwargs={"random": 1})
    spec = env.action_spec()
    random = np.random.RandomState(2)
    result = []
    for _ in range(episodes):
        timestep, total = env.reset(), 0.0
        while not timestep.last():
            timestep = env.step(random.uniform(spec.minimum, spec.maximum))
            total += timestep.reward
        result.append(total)
    return result


def tool(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def compare_returns(arguments, task):
    theirs = returns_of(task, arguments.returns)
    ours = tool([arguments.tool, "envs", "play", task, "--episodes", str(4 * arguments.returns),
                 "--threads", "2", "--seed", "3", "--json"])["tasks"][0]["returns"]  # fmt: skip
    error = math.sqrt(np.var(theirs, ddof=1) / len(theirs) + np.var(ours, ddof=1) / len(ours))
    gap = abs(np.mean(theirs) - np.mean(ours))
    # Sparse rewards: most returns are 0, and a normal law would claim too much of few episodes.
    fine = gap <= 6 * error + 0.02 * abs(np.mean(theirs)) + 1
    print(f"{task:30} returns {np.mean(ours):9.3f} and {np.mean(theirs):9.3f}, "
          f"{gap / error if error else 0:.1f} standard errors apart", flush=True)  # fmt: skip
    return fine


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--least", type=int, default=EPISODE, help="steps that must agree")
    parser.add_argument("--returns", type=int, default=0, metavar="EPISODES")
    parser.add_argument("tasks", nargs="*")
    arguments = parser.parse_args()
    listed = tool([arguments.tool, "envs", "--suite", "dmc", "--json"])["tasks"]
    theirs = {f"dmc/{domain}-{task}" for domain, task in suite.ALL_TASKS}
    names = arguments.tasks or [
        task["name"] for task in listed if task["available"] and task["name"] in theirs
    ]
    failed = []
    for name in names:
        for seed in range(arguments.seeds):
            trace = tool([arguments.tool, "envs", "trace", name, "--seed", str(seed)])
            agreed, worst = follow(trace)
            if agreed < arguments.least:
                failed.append(name)
            print(f"{name:30} seed {seed}: agrees for {agreed:4} steps, "
                  f"largest difference {worst:.1e}", flush=True)  # fmt: skip
        if arguments.returns and not compare_returns(arguments, name):
            failed.append(name + " (returns)")
    print(f"{len(names)} tasks, {len(failed)} failed: {' '.join(failed)}")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
