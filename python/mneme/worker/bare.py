"""mneme/worker/bare.py - a suite stepped by nothing but a loop: what `mneme envs bench --suite` compares workers with.

Reads lines and answers each, as lab/peer.h says: `task NAME COUNT THREADS KEYS`, `size`, `run STEPS`.
"""

import sys
import time

import numpy as np

from . import suites
from .loop import Singles
from .messages import Group


def group_of(spec, count):
    """`task:key=value,...` with the keys that the suite has."""
    task, _, rest = spec.partition(":")
    options = dict(pair.split("=", 1) for pair in rest.split(",")) if rest else {}
    return Group(task, count, range(count), options=options)


def run(environments, actions, steps):
    """What people write: step, and reset where an episode is over."""
    pairs = list(zip(environments, actions))
    for _ in range(steps):
        for environment, action in pairs:
            _, _, terminated, truncated, _ = environment.step(action)
            if terminated or truncated:
                environment.reset()


def main(suite):
    module = suites.load(suite)
    environments = actions = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "task":
            made = module.make(group_of(words[1], int(words[2])))
            if not isinstance(made, Singles):
                print("no loop of single environments", flush=True)
                continue
            environments = made.environments
            space = environments[0].action_space
            draw = np.random.default_rng(3)
            scale = np.clip(space.high, -1, 1)
            actions = [
                (draw.uniform(-1, 1, space.shape) * scale).astype(space.dtype) for _ in environments
            ]
            for index, environment in enumerate(environments):
                environment.reset(seed=index) if made.at_reset else environment.reset()
            print("ok", suites.versions(module), flush=True)
        elif words[0] == "size":
            print("size", len(environments), flush=True)
        elif words[0] == "run":
            wall, processor = time.perf_counter(), time.process_time()
            run(environments, actions, int(words[1]))
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            print("ran", wall, max(processor, 1e-9), flush=True)
        else:
            print("no such question", flush=True)
    return 0
