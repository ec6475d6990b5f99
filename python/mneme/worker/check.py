"""mneme/worker/check.py - smoke test of a suite in this interpreter.

Tasks are made, reset and stepped by the code that serves a trainer. Their first observations are
compared, because a package may draw no goals where it should (EnvPool's MyoSuite up to 1.2.5). The
key `starts` of the suite's .ini file says what first observations must do:

    episodes   differ between episodes and between seeds
    instance   the same in every episode of an environment, different between seeds
    none       always the same
    unchecked  anything
"""

import os
import sys
import time

import numpy as np

from . import block, suites
from .messages import Group, Make
from .serve import build

SEEDS = (11, 12)
STEPS = 12


class Failure(Exception):
    pass


def _made(module, task, seeds=SEEDS):
    request = Make("", "f64", "stop", [Group(task, len(seeds), seeds)])
    runners, facts = build(request, module)
    rows = block.local(len(seeds), facts[0].observations.size, facts[0].actions.size, "f64")
    runners[0].attach(rows, 0)
    return runners[0], facts[0], rows


def _first(runner, rows):
    rows.flags[:] = 0
    runner.reset(0)
    found = rows.final_observation.copy()
    if not np.isfinite(found).all():
        raise Failure("the first observation is not finite")
    return found


def _demand(condition, sentence):
    if not condition:
        raise Failure(sentence)


def check_task(module, task):
    """A sentence about the task. Throws Failure."""
    runner, facts, rows = _made(module, task)
    first = _first(runner, rows)
    random = np.random.RandomState(3)
    moved = 0
    for _ in range(STEPS):
        rows.flags[:] = 0
        rows.action[:] = random.uniform(-1, 1, rows.action.shape)
        runner.step()
        _demand(np.isfinite(rows.final_observation).all(), "an observation is not finite")
        _demand(np.isfinite(rows.reward).all(), "a reward is not finite")
        moved += int(not np.array_equal(rows.final_observation, first))
    _demand(moved == STEPS, "steps do not change the observation")
    second, third = _first(runner, rows), _first(runner, rows)
    runner.close()

    again, _, more = _made(module, task)
    _demand(
        np.array_equal(_first(again, more), first), "the same seeds begin with other observations"
    )
    again.close()

    kind = module.FACTS.starts(task)
    episodes = not np.array_equal(first, second) and not np.array_equal(second, third)
    # A simulator that settles first reaches the same state only to some digits.
    settled = np.abs(first - second).max() < 1e-3 and np.abs(second - third).max() < 1e-3
    seeds = not np.array_equal(first[0], first[1])
    if kind == "episodes":
        _demand(episodes, "is random, but every episode begins the same")
        _demand(seeds, "is random, but every seed begins the same")
    elif kind == "instance":
        _demand(settled, "keeps its goal, but episodes begin differently")
        _demand(np.array_equal(first[:, -3:], third[:, -3:]), "keeps its goal, but the goal moved")
        _demand(seeds, "draws a goal for every seed, but two seeds have the same")
    elif kind == "none":
        _demand(settled and not seeds, "is fixed, but episodes or seeds begin differently")
    said = {
        "episodes": "other starts for every episode and seed",
        "instance": "one goal for every seed",
        "none": "always the same start",
    }.get(kind, "starts not checked")
    horizon = f"{facts.horizon} steps" if facts.horizon else "no limit"
    return f"{facts.observations.size} observed, {facts.actions.size} acted on, {horizon}, {said}"


def main(name, every=False):
    """`worker check SUITE`: a line per task, then `ok NAME VERSION, ...`. Returns 1 at the first
    failure."""
    try:
        module = suites.load(name)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 1
    for task in module.FACTS.tasks if every else module.FACTS.checked:
        begin = time.monotonic()
        try:
            told = check_task(module, task)
        except Failure as error:
            print(f"{name}/{task}: {error}", flush=True)
            return 1
        except Exception as error:
            print(f"{name}/{task}: {type(error).__name__}: {error}", flush=True)
            return 1
        print(f"{name}/{task}: {told} ({time.monotonic() - begin:.1f} s)", flush=True)
    print("ok " + suites.versions(module).replace(",", ", "), flush=True)
    sys.stderr.flush()
    os._exit(0)  # simulators have threads that crash when the interpreter exits
