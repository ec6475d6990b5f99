"""mneme/worker/bare.py - a suite stepped by a plain loop, the baseline of `mneme envs bench --suite`.

Reads lines and replies to each, as bench/harness/peer.h says: `task NAME COUNT THREADS KEYS`, `size`, `run STEPS`.
"""

import sys
import time

import numpy as np

from . import suites
from .loop import Singles
from .messages import Group


def group_of(spec, count):
    """Parses `task:key=value,...` with the suite's keys."""
    task, _, rest = spec.partition(":")
    options = dict(pair.split("=", 1) for pair in rest.split(",")) if rest else {}
    return Group(task, count, range(count), options=options)


def run(environments, actions, steps):
    """Steps, and resets where an episode is over."""
    pairs = list(zip(environments, actions))
    for _ in range(steps):
        for environment, action in pairs:
            _, _, terminated, truncated, _ = environment.step(action)
            if terminated or truncated:
                environment.reset()


def main(suite):
    module = suites.load(suite)
    replies, sys.stdout = sys.stdout, sys.stderr  # suites print when they are made
    environments = actions = None

    def say(*words):
        print(*words, file=replies, flush=True)

    for line in sys.stdin:
        words = line.split()
        if words[0] == "task":
            made = module.make(group_of(words[1], int(words[2])))
            if not isinstance(made, Singles):
                say("no loop of single environments")
                continue
            environments = made.environments
            # The middle of their range, as the worker's: other actions make other motions, which take
            # other times.
            space = environments[0].action_space
            middle = np.where(np.isfinite(space.high), (space.low + space.high) / 2, 0)
            actions = [middle.astype(space.dtype) for _ in environments]
            for index, environment in enumerate(environments):
                environment.reset(seed=index) if made.at_reset else environment.reset()
            say("ok", suites.versions(module))
        elif words[0] == "size":
            say("size", len(environments))
        elif words[0] == "run":
            wall, processor = time.perf_counter(), time.process_time()
            run(environments, actions, int(words[1]))
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            say("ran", wall, max(processor, 1e-9))
        else:
            say("no such question")
    return 0
