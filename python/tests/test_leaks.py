"""tests/test_leaks.py - the process does not grow: not by steps, batches, errors or buffers."""

import gc

import numpy as np
import pytest
from rows import fill

import mneme


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def growth(work, calls):
    """Bytes that the process grew by, after a warm-up of a fifth of the calls."""
    for _ in range(calls // 5):
        work()
    before = resident()
    for _ in range(calls):
        work()
    return resident() - before


def works():
    buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50, sampler="per")
    fill(buffer, 60)
    row, action = np.zeros(3, np.float32), np.zeros(1, np.float32)
    ones = np.ones(8, np.float32)
    ahead = buffer.add_reader("ahead").batches(8)

    def add():
        buffer.add(row, action, 1.0, row, False, False)

    def learn():
        batch = buffer.sample(8)
        buffer.update_priorities(batch.id, ones)
        return batch.observation, batch.reward

    def windows():
        return buffer.sample_sequences(4, 5, 2).observation, next(ahead).reward

    def fail():
        for call in (
            lambda: buffer.add(row[:2], action, 1.0, row),
            lambda: buffer.sample(8, out={"reward": None}),
            lambda: buffer.update_priorities(ones, "x"),
        ):
            with pytest.raises(ValueError):
                call()

    def make():
        made = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50)
        made.add(row, action, 1.0, row)
        next(made.add_reader("other").batches(8))
        return made.sample(8).id

    return {
        "add": (add, 20),
        "learn": (learn, 9),
        "windows": (windows, 1),
        "fail": (fail, 1),
        "make": (make, 1),
    }


@pytest.mark.parametrize("name", works())
def test_the_process_does_not_grow(name):
    work, weight = works()[name]
    assert growth(work, 2_000 * weight) < 1 << 20


@pytest.mark.slow
def test_ten_million_calls():
    for work, weight in works().values():
        assert growth(work, 10_000_000 * weight // 32) < 2 << 20
