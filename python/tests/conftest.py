"""tests/conftest.py - buffers and steps that the tests share."""

import numpy as np
import pytest

import mneme


def fill(buffer, steps, length=7, seed=0):
    """Self-describing rows: observation = (stream, episode, step), reward = step, action = -step."""
    rng = np.random.default_rng(seed)
    streams = buffer.streams
    episode = np.zeros(streams, int)
    time = np.zeros(streams, int)
    stream = np.arange(streams)

    def row(t):
        return np.stack([stream, episode, t], axis=1).astype(np.float32)

    for _ in range(steps):
        ends = time + 1 >= length
        terminated = ends & (rng.random(streams) < 0.5)
        buffer.add(
            row(time),
            -time.astype(np.float32)[:, None],
            time.astype(np.float32),
            row(time + 1),
            terminated,
            ends & ~terminated,
        )
        time = np.where(ends, 0, time + 1)
        episode = np.where(ends, episode + 1, episode)


@pytest.fixture
def buffer():
    """Two streams of 50, sixty steps in: wrapped."""
    made = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50, streams=2, seed=3)
    fill(made, 60)
    return made
