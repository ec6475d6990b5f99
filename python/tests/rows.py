"""tests/rows.py - rows that describe themselves."""

import numpy as np


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
