"""tests/test_threads.py - add and sample in parallel: no torn row, no deadlock, the lock let go."""

import threading
import time

import numpy as np

import mneme


def test_add_and_sample_in_parallel():
    buffer = mneme.ReplayBuffer(
        observation=(16,), action=(1,), capacity=500, streams=2, sampler="per"
    )

    def row(t, s):
        return np.full(16, t * 2 + s, np.float32)

    def step(t):
        for s in range(2):
            buffer.add(row(t, s), np.float32([t]), float(t), row(t + 1, s), t % 9 == 8, stream=s)

    for t in range(100):
        step(t)
    stop, wrong, sampled = threading.Event(), [], [0, 0]

    def write():
        t = 100
        while not stop.is_set():
            step(t)
            t += 1

    def read(k):
        try:
            while not stop.is_set():
                batch = buffer.sample(64)
                if (batch.observation != batch.observation[:, :1]).any():
                    wrong.append("torn")
                if (batch.next_observation[:, 0] != batch.observation[:, 0] + 2).any():
                    wrong.append("successor")
                if (batch.reward * 2 + batch.stream != batch.observation[:, 0]).any():
                    wrong.append("mixed")
                buffer.update_priorities(batch.id, np.abs(batch.reward) % 7)
                sampled[k] += 1
        except Exception as error:
            wrong.append(repr(error))

    threads = [threading.Thread(target=write)] + [
        threading.Thread(target=read, args=(k,)) for k in range(2)
    ]
    for thread in threads:
        thread.start()
    time.sleep(2)
    stop.set()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong[:3]
    assert min(sampled) > 10 and len(buffer) == 1000


def test_drawing_releases_the_interpreter():
    buffer = mneme.ReplayBuffer(observation=(256,), action=(1,), capacity=4096)
    row = np.zeros(256, np.float32)
    for _ in range(4096):
        buffer.add(row, row[:1], 0.0, row)
    done = threading.Event()

    def long_call():
        buffer.sample(20_000)
        done.set()

    thread = threading.Thread(target=long_call)
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
    thread.join()
    # Holding the interpreter it would leave this loop a turn or two.
    assert turns > 100
