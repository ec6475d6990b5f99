"""bench/envs/worker_loop.py - what the worker's loop costs beside the environments it steps.

    PYTHON bench/envs/worker_loop.py

Two contestants step the same trivial environments with the same actions: a bare `for` loop that
throws the answers away, and python/mneme/worker/loop.py, which clips actions and writes rows,
rewards and flags into the block. Interleaved, order rotated; processor time, because others may be
at work. Microseconds per vector step are medians, their difference is the median of paired
differences. Answers are compared before the clock starts.
"""

import platform
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python/tests/worker"))
import loading  # noqa: F401
import numpy as np
from mneme_worker import block
from mneme_worker.loop import Loop, Singles
from mneme_worker.messages import Group
from mneme_worker.spaces import Box

PAIRS = 60
WIDTH, ACTIONS = 39, 4  # Meta-World's


class Trivial:
    """An environment that does nothing but answer."""

    def __init__(self, number):
        self.observation_space = Box(-1, 1, (WIDTH,), np.float64)
        self.action_space = Box(-1, 1, (ACTIONS,), np.float32)
        self._answer = (np.full(WIDTH, number + 0.5), 0.25 + number, False, False, {"success": 0.0})

    def reset(self, seed=None):
        return self._answer[0], {}

    def step(self, action):
        return self._answer


def contest(count, success):
    environments = [Trivial(number) for number in range(count)]
    group = Group("trivial", count, range(count))
    loop = Loop([Singles(group, environments, success="success" if success else None, limit=200)])
    rows = block.local(count, WIDTH, ACTIONS, "f32")
    loop.attach(rows, 0)
    loop.reset()
    actions = list(np.zeros((count, ACTIONS), np.float32))
    loop.step()
    for number in range(count):
        assert (rows.final_observation[number] == number + 0.5).all(), "wrong, not fast"
        assert rows.reward[number] == 0.25 + number, "wrong, not fast"
    times = 40_000 // count

    def bare():
        now = time.process_time
        begin = now()
        for _ in range(times):
            for environment, action in zip(environments, actions):  # noqa: B905
                environment.step(action)
        return (now() - begin) / times * 1e6

    def ours():
        now, step = time.process_time, loop.step
        begin = now()
        for _ in range(times):
            step()
        return (now() - begin) / times * 1e6

    found = []
    for turn in range(PAIRS):
        if turn % 2:
            second, first = ours(), bare()
        else:
            first, second = bare(), ours()
        found.append((first, second))
    differences = sorted(second - first for first, second in found)
    low, high = differences[PAIRS // 10], differences[-PAIRS // 10]
    difference = statistics.median(differences)
    print(
        f"{count:3} environments{', success' if success else '         '}: "
        f"bare {statistics.median(f for f, _ in found):7.2f} us, "
        f"loop {statistics.median(s for _, s in found):7.2f} us, difference {difference:6.2f} us "
        f"({low:.2f} to {high:.2f}), {difference / count:.2f} us per environment"
    )


def main():
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}, {PAIRS} pairs"
    )
    for count in (1, 16):
        for success in (False, True):
            contest(count, success)


if __name__ == "__main__":
    main()
