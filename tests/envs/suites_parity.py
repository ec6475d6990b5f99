"""tests/envs/suites_parity.py - suites behind the worker against the same packages stepped by hand,
bit for bit.

    PYTHON tests/envs/suites_parity.py metaworld --python INTERPRETER_OF_THE_SUITE [--tool mneme] [TASK...]

Every task: the worker makes an environment, a program that knows nothing of the worker makes
another from the same seed in the same interpreter, and both get the same 100 actions in f64.
Observations, rewards, ends and successes must be equal in every bit. Tasks of SHORT have an
episode limit of 30 steps, so that there are several episodes.

Without --tool the worker is driven by python/tests/worker/trainer.py; with it, by `mneme envs
trace`, whose actions are taken over. `suites_parity.py direct SUITE` is the other program: one JSON
request per line, one answer per line.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

STEPS, SEED, SHORT_LIMIT = 100, 5, 30
SHORT = {
    "metaworld": ("reach", "pick-place", "hammer", "window-close"),
    "myo": ("reach-hard", "pose-hard", "key-turn-hard", "pen-twirl"),
}
REPEAT = {"metaworld": 1, "myo": 2}
# Random actions never succeed: the policies that Meta-World brings along do, in these.
SOLVED = {"metaworld": {"reach": "ReachV3", "drawer-close": "DrawerCloseV3"}, "myo": {}}
MYO = {
    "reach": "HandReach", "pose": "HandPose", "obj-hold": "HandObjHold", "key-turn": "HandKeyTurn",
    "pen-twirl": "HandPenTwirl",
}  # fmt: skip


def make_directly(suite, task):
    """An environment as its users make it, the key of its success and its limit."""
    if suite == "metaworld":
        from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as classes

        return classes[task + "-v3-goal-observable"](seed=SEED), "success", 200
    import gymnasium
    import myosuite  # noqa: F401

    hard = task.endswith("-hard")
    name = f"myo{MYO[task.removesuffix('-hard')]}{'Random' if hard else 'Fixed'}-v0"
    return gymnasium.make(name, seed=SEED), "solved", 100


def solve(task):
    """Actions of a policy that solves the task."""
    import metaworld.policies

    environment, _, _ = make_directly("metaworld", task)
    policy = getattr(metaworld.policies, f"Sawyer{SOLVED['metaworld'][task]}Policy")()
    now, actions = environment.reset()[0], []
    for _ in range(STEPS):
        actions.append(np.clip(policy.get_action(now), -1, 1).astype(np.float32))
        now = environment.step(actions[-1])[0]
    return np.array(actions, np.float64).tolist()


def step_directly(suite, request):
    """The transitions of one task: rows of [terminated, truncated, success, reward, observation,
    next]."""
    environment, key, limit = make_directly(suite, request["task"])
    limit = request["limit"] or limit
    now, elapsed = environment.reset()[0], 0
    first, rows = now.tolist(), []
    for action in request["actions"]:
        action = np.array(action).astype(np.float32)
        total, success = 0.0, False
        for _ in range(request["repeat"]):
            after, reward, terminated, truncated, info = environment.step(action)
            total, elapsed = total + float(reward), elapsed + 1
            success = success or bool(info[key])
            truncated = bool(truncated) or elapsed >= limit
            if terminated or truncated:
                break
        last = np.array(after)
        if terminated or truncated:
            after, elapsed = environment.reset()[0], 0
        rows.append([int(terminated), int(truncated), int(success), total, last.tolist(),
                     np.array(after).tolist()])  # fmt: skip
    environment.close()
    return {"first": first, "rows": rows}


def direct(suite):
    """Answers go to what was standard output: packages print there, too."""
    import os

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        answer = solve(request["solve"]) if "solve" in request else step_directly(suite, request)
        print(json.dumps(answer), file=answers, flush=True)


def by_worker(suite, python, task, limit, random, actions=None):
    """Actions, and what the worker makes of them."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/tests/worker"))
    from trainer import Trainer, group

    groups = [group(task, seeds=[SEED], repeat=REPEAT[suite], limit=limit)]
    with Trainer(suite, groups, dtype="f64", python=python) as trainer:
        trainer.attach()
        # What an agent hands over: some of it beyond the bounds, clipped on both sides.
        if actions is None:
            actions = random.uniform(-1.2, 1.2, (STEPS, int(trainer.made["0.action"])))
        first, rows = trainer.reset()[0].tolist(), []
        for action in actions:
            now = trainer.step(action[None])
            flags = int(now.flags[0])
            after = now.observation[0] if flags & 8 else now.final_observation[0]
            rows.append([flags & 1, flags >> 1 & 1, flags >> 2 & 1, float(now.reward[0]),
                         now.final_observation[0].tolist(), after.tolist()])  # fmt: skip
        if trainer.close() != 0:
            raise RuntimeError(trainer.words())
    return np.clip(actions, -1, 1), {"first": first, "rows": rows}


def by_tool(tool, suite, task, limit):
    """Actions and transitions of `mneme envs trace`."""
    spec = f"{suite}/{task}:repeat={REPEAT[suite]},seed={SEED}"
    command = [tool, "envs", "trace", "--through", "--steps", str(STEPS)]
    command.append(spec + (f",limit={limit}" if limit else ""))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")
    trace = json.loads(done.stdout)
    steps = trace["steps"]
    rows = [[int(step["terminated"]), int(step["truncated"]), int(step["success"]), step["reward"],
             step["observation"], step.get("next_observation", step["observation"])]
            for step in steps]  # fmt: skip
    return np.array([step["action"] for step in steps]), {
        "first": trace["first_observation"],
        "rows": rows,
    }


def same(ours, theirs):
    """The first difference in words, or nothing. What one side does not tell is not compared."""
    if ours["first"] is not None and ours["first"] != theirs["first"]:
        return "the first observation differs"
    names = ("terminated", "truncated", "success", "reward", "observation", "next observation")
    for index, (mine, yours) in enumerate(zip(ours["rows"], theirs["rows"])):  # noqa: B905
        for name, one, other in zip(names, mine, yours):  # noqa: B905
            if one is not None and one != other:
                return f"{name} differs at step {index + 1}: {str(one)[:60]} and {str(other)[:60]}"
    if len(ours["rows"]) != len(theirs["rows"]):
        return f"{len(ours['rows'])} steps and {len(theirs['rows'])}"
    return ""


def tasks_of(suite):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/tests/worker"))
    import loading  # noqa: F401
    from mneme_worker import suites

    return suites.load(suite).FACTS.tasks


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("suite", choices=sorted(REPEAT))
    parser.add_argument("--python", required=True, help="the interpreter that has the suite")
    parser.add_argument("--tool", help="mneme, if it is to drive the worker")
    parser.add_argument("tasks", nargs="*")
    arguments = parser.parse_intermixed_args()
    suite, names = arguments.suite, arguments.tasks or tasks_of(arguments.suite)
    runs = [(name, 0, False) for name in names]
    runs += [(name, SHORT_LIMIT, False) for name in SHORT[suite] if name in names]
    if not arguments.tool:
        runs += [(name, 0, True) for name in SOLVED[suite] if name in names]

    other = subprocess.Popen(
        [arguments.python, __file__, "direct", suite],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def ask(request):
        print(json.dumps(request), file=other.stdin, flush=True)
        return json.loads(other.stdout.readline())

    random, failed, ends, successes = np.random.RandomState(1), [], 0, 0
    for name, limit, solving in runs:
        if arguments.tool:
            actions, ours = by_tool(arguments.tool, suite, name, limit)
        else:
            actions = np.array(ask({"solve": name})) if solving else None
            actions, ours = by_worker(suite, arguments.python, name, limit, random, actions)
        request = {
            "task": name,
            "limit": limit,
            "repeat": REPEAT[suite],
            "actions": actions.tolist(),
        }
        theirs = ask(request)
        difference = same(ours, theirs)
        over, solved = (
            sum(bool(row[k] or row[k2]) for row in theirs["rows"]) for k, k2 in ((0, 1), (2, 2))
        )
        ends, successes = ends + over, successes + solved
        if solving and not solved:
            difference = difference or "the policy did not solve it"
        if difference:
            failed.append(name)
        print(f"{suite}/{name}{f' limit={limit}' if limit else ''}{' solved' if solving else ''}: "
              f"{len(ours['rows'])} steps, {over} episodes ended, {difference or 'equal'}", flush=True)  # fmt: skip
    # The comparison has power: with another first action it must tell.
    request["actions"][0] = [-number for number in request["actions"][0]]
    if not same(ours, ask(request)):
        failed.append("the control")
    other.stdin.close()
    other.wait()
    print(f"{len(runs)} runs, {ends} episodes ended, {successes} steps with success, "
          f"{len(failed)} failed: {' '.join(failed)}")  # fmt: skip
    sys.exit(1 if failed or not runs else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["direct"]:
        direct(sys.argv[2])
    else:
        main()
