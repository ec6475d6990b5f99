"""tests/envs/parity.py - native DeepMind Control tasks against the real dm_control, whole episodes.

For every task: `mneme envs trace` writes down an episode; dm_control is set to its first state and
given its actions. Observations and rewards must agree within 1e-6 (relative to the size of the
number) over the whole episode: with the same MuJoCo the models are the same to the last bit, and
chaos has nothing to grow from. Where it has, the step is printed; --least lowers the demand. Ends
of episodes must agree too.

With --returns it compares the returns of random policies instead. Whether two means differ is told
by shuffling: how often the episodes, handed out to the two at random, lie as far apart. That holds
for sparse rewards too, of which most are 0. Fails below 1e-4; a pair of different tasks must fail.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from importlib import metadata

os.environ.setdefault("MUJOCO_GL", "disable")
import numpy as np
from dm_control import suite

TOLERANCE = 1e-6
EPISODE = 1000
LEAST_CHANCE = 1e-4


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


def ours_of(arguments, task, episodes):
    command = [arguments.tool, "envs", "play", task, "--episodes", str(episodes)]
    return tool([*command, "--threads", "2", "--seed", "3", "--json"])["tasks"][0]["returns"]


def shuffled(ours, theirs, times=100_000):
    """Share of random divisions of all episodes whose means are at least as far apart."""
    together = np.concatenate([ours, theirs])
    random = np.random.RandomState(5)
    total, count = together.sum(), len(theirs)

    def gap(sums):
        return np.abs(sums / count - (total - sums) / len(ours))

    seen = gap(np.sum(theirs))
    as_far = 0
    for _ in range(times // 1000):
        orders = random.rand(1000, len(together)).argsort(axis=1)[:, :count]
        # What adds up in another order may differ in the last bits.
        as_far += np.count_nonzero(gap(together[orders].sum(axis=1)) >= seen * (1 - 1e-9) - 1e-12)
    return (as_far + 1) / (times + 1)


def compare_returns(arguments, task, other=None):
    """One row: means, their standard errors, how far apart. `other`: what to compare it with."""
    theirs = np.array(returns_of(task, arguments.returns))
    ours = np.array(ours_of(arguments, other or task, 2 * arguments.returns))
    row = {"task": task, "chance": shuffled(ours, theirs)}
    for name, returns in (("mneme", ours), ("dm_control", theirs)):
        error = returns.std(ddof=1) / math.sqrt(len(returns))
        row[name] = {"episodes": len(returns), "mean": returns.mean(), "standard_error": error}
    error = math.hypot(row["mneme"]["standard_error"], row["dm_control"]["standard_error"])
    row["apart"] = (ours.mean() - theirs.mean()) / error if error else 0.0
    row["within"] = bool(row["chance"] >= LEAST_CHANCE)
    print(f"{other or task:30} returns {ours.mean():9.3f} and {theirs.mean():9.3f}, "
          f"{row['apart']:+.1f} standard errors apart, chance {row['chance']:.2g}",
          flush=True)  # fmt: skip
    return row


def all_returns(arguments, names):
    rows = [compare_returns(arguments, name) for name in names]
    failed = [row["task"] + " (returns)" for row in rows if not row["within"]]
    # The check has power: another task on the same body is told apart.
    control = compare_returns(arguments, "dmc/walker-walk", "dmc/walker-run")
    if control["within"]:
        failed.append("the control")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"dm_control": metadata.version("dm_control"),
                       "mujoco": metadata.version("mujoco"), "rows": rows,
                       "control_chance": control["chance"]}, file, indent=1)  # fmt: skip
            file.write("\n")
    return failed


def all_episodes(arguments, names):
    failed = []
    for name in names:
        for seed in range(arguments.seeds):
            trace = tool([arguments.tool, "envs", "trace", name, "--seed", str(seed)])
            agreed, worst = follow(trace)
            if agreed < arguments.least:
                failed.append(name)
            print(f"{name:30} seed {seed}: agrees for {agreed:4} steps, "
                  f"largest difference {worst:.1e}", flush=True)  # fmt: skip
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--least", type=int, default=EPISODE, help="steps that must agree")
    parser.add_argument("--returns", type=int, default=0, metavar="EPISODES",
                        help="of dm_control, twice as many of ours")  # fmt: skip
    parser.add_argument("--json", metavar="FILE", help="where --returns writes its rows")
    parser.add_argument("tasks", nargs="*")
    arguments = parser.parse_args()
    listed = tool([arguments.tool, "envs", "--suite", "dmc", "--json"])["tasks"]
    theirs = {f"dmc/{domain}-{task}" for domain, task in suite.ALL_TASKS}
    names = arguments.tasks or [
        task["name"] for task in listed if task["available"] and task["name"] in theirs
    ]
    if arguments.returns:
        failed = all_returns(arguments, names)
    else:
        failed = all_episodes(arguments, names)
    print(f"{len(names)} tasks, {len(failed)} failed: {' '.join(failed)}")
    sys.exit(1 if failed or not names else 0)


if __name__ == "__main__":
    main()
