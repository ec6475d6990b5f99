"""mneme/worker/suites/synthetic.py - scripted environments for tests and benchmarks.

Episodes have scripted lengths. An observation is (seed, episode, step, checksum of the actions so
far, zeros); a wrong checksum reveals mixed-up rows or steps. The task says how the environments are
stepped:

    loop                               single environments, by loop.py
    next_step, same_step, disabled     Gymnasium's SyncVectorEnv in that autoreset mode

Options: lengths=3/5/2 (steps of successive episodes; even ones terminate, odd ones are truncated),
width=8, actions=2, low=-1, high=1 (bounds of actions), and failures at step N of the environment in
row `row` (0): throw=N, hang=N, die=N (os._exit), crash=N (SIGSEGV), nan=N; print=BYTES at every
step.
"""

import os
import signal
import time

import numpy as np

from ..loop import Singles
from ..spaces import Box
from ..vector import Vector, mode_of
from . import facts

FACTS = facts("synthetic")
OPTIONS = (
    "lengths",
    "width",
    "actions",
    "low",
    "high",
    "row",
    "throw",
    "hang",
    "die",
    "crash",
    "nan",
    "print",
)
MODULUS = 1 << 20  # checksums are exact in float32


def checksum(before, seed, episode, step, action):
    """Hash of the history: rows, steps or actions that were mixed up change it from then on."""
    # Actions are rounded to a thousandth: the same checksum in float and double.
    done = int(
        sum((index + 1) * round(float(number) * 1000) for index, number in enumerate(action))
    )
    return (before * 31 + seed * 7 + episode * 101 + step * 13 + done) % MODULUS


class Scripted:
    """One environment, as in Gymnasium."""

    def __init__(self, lengths, width, actions, bounds, faults, box=Box):
        self.observation_space = box(-np.inf, np.inf, (width,), np.float32)
        self.action_space = box(*bounds, (actions,), np.float32)
        self._lengths, self._faults = lengths, faults
        self._seed = self._episode = -1
        self._life = self._step = self._sum = 0
        self._width = width

    @property
    def unwrapped(self):
        return self

    def _observe(self):
        observation = np.zeros(self._width, np.float32)
        observation[:4] = self._seed % 1024, self._episode, self._step, self._sum
        return observation

    def reset(self, seed=None, options=None):
        if seed is not None:
            self._seed, self._episode, self._sum = seed, -1, 0
        self._episode += 1
        self._step = 0
        return self._observe(), {}

    def step(self, action):
        self._life += 1
        self._step += 1
        if self._faults:
            self._fail()
        self._sum = checksum(self._sum, self._seed % 1024, self._episode, self._step, action)
        over = self._step >= self._lengths[self._episode % len(self._lengths)]
        reward = self._step + self._sum / MODULUS
        observation = self._observe()
        if self._faults and self._faults.get("nan") == self._life:
            observation[3] = np.nan
        info = {"success": self._sum % 5 == 0}
        return (
            observation,
            reward,
            over and self._episode % 2 == 0,
            over and self._episode % 2 == 1,
            info,
        )

    def _fail(self):
        faults, now = self._faults, self._life
        if "print" in faults:
            print("x" * faults["print"])
        if faults.get("throw") == now:
            raise ArithmeticError(f"scripted to throw at step {now}")
        if faults.get("hang") == now:
            time.sleep(3600)
        if faults.get("die") == now:
            os._exit(7)
        if faults.get("crash") == now:
            os.kill(os.getpid(), signal.SIGSEGV)

    def close(self):
        pass


def make(group):
    if group.task not in FACTS.tasks:
        raise LookupError(
            f"there is no task synthetic/{group.task}; known: {', '.join(FACTS.tasks)}"
        )
    lengths = [max(1, int(each)) for each in group.take("lengths", "3/5/2").split("/")]
    width = group.take_number("width", 8, 4, 1_000_000)
    actions = group.take_number("actions", 2, 1, 1_000_000)
    bounds = group.take_number("low", -1.0, -1e6, 1e6), group.take_number("high", 1.0, -1e6, 1e6)
    row = group.take_number("row", 0, 0, 1 << 20)
    names = ("throw", "hang", "die", "crash", "nan", "print")
    faults = {
        name: group.take_number(name, 0, 1, 1 << 40) for name in names if name in group.options
    }
    group.all_taken(OPTIONS)

    if group.task == "loop":
        made = [
            Scripted(lengths, width, actions, bounds, faults if index == row else None)
            for index in range(group.count)
        ]
        return Singles(group, made, success="success", limit=group.limit)
    return _vector(group, lengths, width, actions, bounds, faults, row)


def _vector(group, lengths, width, actions, bounds, faults, row):
    import gymnasium

    class Real(Scripted, gymnasium.Env):
        pass

    def one(index):
        made = Real(
            lengths, width, actions, bounds, faults if index == row else None, gymnasium.spaces.Box
        )
        return gymnasium.wrappers.TimeLimit(made, group.limit) if group.limit else made

    makers = [lambda index=index: one(index) for index in range(group.count)]
    version = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
    if version >= (1, 1):
        mode = getattr(gymnasium.vector.AutoresetMode, group.task.upper())
        pool = gymnasium.vector.SyncVectorEnv(makers, autoreset_mode=mode)
    else:
        pool = gymnasium.vector.SyncVectorEnv(makers)
        if mode_of(pool, version) != group.task:
            raise ValueError(f"Gymnasium {gymnasium.__version__} has only {mode_of(pool, version)}")
    return Vector(group, pool, mode_of(pool, version), success="success", horizon=group.limit)
