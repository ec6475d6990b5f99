"""bench/python/contestants.py - the buffers that are compared, each behind the same five calls.

A contestant is made for `capacity` rows of 64 + 8 + 1 + 64 + 1 float32 numbers (552 bytes). Row t has
observation t, successor t + 1, reward t, action t in every number; every hundredth is terminated.
`sample` returns (observation, action, reward, next_observation, done) as the library hands them out;
mneme hands out `discount` where others have `done`.
"""

import numpy as np

OBSERVATION, ACTION = 64, 8
FIELDS = [("obs", OBSERVATION), ("act", ACTION), ("rew", 1), ("next_obs", OBSERVATION), ("done", 1)]


def rows(first, count):
    """`count` consecutive rows: columns by name."""
    t = np.arange(first, first + count, dtype=np.float32)[:, None]
    return {
        "obs": np.repeat(t, OBSERVATION, 1),
        "act": np.repeat(t, ACTION, 1),
        "rew": t[:, 0].copy(),
        "next_obs": np.repeat(t + 1, OBSERVATION, 1),
        "done": (t[:, 0] % 100 == 99),
    }


class Mneme:
    """The package, through its Python interface."""

    name = "mneme"

    def __init__(self, capacity, sampler="uniform", streams=1):
        import mneme

        self.buffer = mneme.ReplayBuffer(
            (OBSERVATION,), (ACTION,), capacity // streams, streams, sampler, discount=0.99
        )

    def fill(self, count):
        for first in range(0, count, 10_000):
            r = rows(first, min(10_000, count - first))
            for k in range(len(r["rew"])):
                self.add_one({name: column[k] for name, column in r.items()})

    def add_one(self, r):
        self.buffer.add(r["obs"], r["act"], r["rew"], r["next_obs"], r["done"])

    def add_many(self, r):
        self.buffer.add(r["obs"], r["act"], r["rew"], r["next_obs"], r["done"])

    def sample(self, batch):
        b = self.buffer.sample(batch)
        # What says of a row whether it ended its episode, and what a loss multiplies with: 0 if so.
        return b.observation, b.action, b.reward, b.next_observation, b.discount

    def sample_and_update(self, batch, errors):
        b = self.buffer.sample(batch)
        got = b.observation, b.action, b.reward, b.next_observation, b.weight
        self.buffer.update_priorities(b.id, errors)
        return got


class NumpyRing:
    """What a careful user writes: five arrays, np.take into arrays that are used again."""

    name = "NumPy take ring"

    def __init__(self, capacity):
        self.capacity, self.at, self.full = capacity, 0, False
        self.columns = {name: np.zeros((capacity, width), np.float32) for name, width in FIELDS}
        self.rng, self.out = np.random.default_rng(0), {}

    def fill(self, count):
        for first in range(0, count, 10_000):
            self.add_many(rows(first, min(10_000, count - first)))

    def add_one(self, r):
        for name, column in self.columns.items():
            column[self.at] = r[name]
        self.at = (self.at + 1) % self.capacity
        self.full = self.full or self.at == 0

    def add_many(self, r):
        count = len(r["rew"])
        at = (self.at + np.arange(count)) % self.capacity
        for name, column in self.columns.items():
            column[at] = r[name].reshape(count, -1)
        self.full = self.full or self.at + count >= self.capacity
        self.at = (self.at + count) % self.capacity

    def sample(self, batch):
        if batch not in self.out:
            self.out[batch] = [np.empty((batch, width), np.float32) for _, width in FIELDS]
        index = self.rng.integers(0, self.capacity if self.full else self.at, batch)
        for column, out in zip(self.columns.values(), self.out[batch], strict=True):
            np.take(column, index, axis=0, out=out, mode="clip")
        return self.out[batch]


class Cpprb:
    name = "cpprb"

    def __init__(self, capacity, prioritized=False):
        import cpprb

        env = {name: {"shape": width} for name, width in FIELDS}
        kind = cpprb.PrioritizedReplayBuffer if prioritized else cpprb.ReplayBuffer
        self.buffer = kind(capacity, env)

    def fill(self, count):
        for first in range(0, count, 10_000):
            self.buffer.add(**rows(first, min(10_000, count - first)))

    def add_one(self, r):
        self.buffer.add(**r)

    def add_many(self, r):
        self.buffer.add(**r)

    def sample(self, batch):
        b = self.buffer.sample(batch)
        return b["obs"], b["act"], b["rew"], b["next_obs"], b["done"]

    def sample_and_update(self, batch, errors):
        b = self.buffer.sample(batch, beta=0.4)
        self.buffer.update_priorities(b["indexes"], errors)
        return b["obs"], b["act"], b["rew"], b["next_obs"], b["weights"]


class StableBaselines3:
    name = "Stable-Baselines3"

    def __init__(self, capacity, streams=1):
        from gymnasium.spaces import Box
        from stable_baselines3.common.buffers import ReplayBuffer

        box = Box(-1, 1, (OBSERVATION,), np.float32), Box(-1, 1, (ACTION,), np.float32)
        self.buffer, self.streams = ReplayBuffer(capacity, *box, "cpu", n_envs=streams), streams
        self.infos = [{}] * streams

    def fill(self, count):
        # Its own arrays, since one row at a time takes it minutes; then the cursor.
        b = self.buffer
        first = count - b.buffer_size
        for k in range(0, b.buffer_size, 10_000):
            r = rows(first + k, min(10_000, b.buffer_size - k))
            at = (first + k + np.arange(len(r["rew"]))) % b.buffer_size
            b.observations[at, 0], b.actions[at, 0] = r["obs"], r["act"]
            b.rewards[at, 0], b.next_observations[at, 0] = r["rew"], r["next_obs"]
            b.dones[at, 0] = r["done"]
        b.full, b.pos = True, count % b.buffer_size

    def add_one(self, r):
        self.buffer.add(
            r["obs"][None],
            r["next_obs"][None],
            r["act"][None],
            np.array([r["rew"]]),
            np.array([r["done"]]),
            self.infos,
        )

    def add_many(self, r):
        self.buffer.add(r["obs"], r["next_obs"], r["act"], r["rew"], r["done"], self.infos)

    def sample(self, batch):
        b = self.buffer.sample(batch)
        return b.observations, b.actions, b.rewards, b.next_observations, b.dones


class TorchRL:
    name = "TorchRL"

    def __init__(self, capacity):
        from torchrl.data import LazyTensorStorage, ReplayBuffer

        self.buffer = ReplayBuffer(storage=LazyTensorStorage(capacity), batch_size=256)

    def data(self, r):
        import torch
        from tensordict import TensorDict

        count = len(r["rew"])
        tensors = {
            name: torch.from_numpy(np.ascontiguousarray(column)) for name, column in r.items()
        }
        return TensorDict(tensors, [count])

    def fill(self, count):
        for first in range(0, count, 10_000):
            self.buffer.extend(self.data(rows(first, min(10_000, count - first))))

    def add_one(self, r):
        self.buffer.extend(
            self.data({name: np.asarray(column)[None] for name, column in r.items()})
        )

    def add_many(self, r):
        self.buffer.extend(self.data(r))

    def sample(self, batch):
        b = self.buffer.sample(batch)
        return b["obs"], b["act"], b["rew"], b["next_obs"], b["done"]


class Tianshou:
    name = "Tianshou"

    def __init__(self, capacity, prioritized=False):
        from tianshou.data import Batch, PrioritizedReplayBuffer, ReplayBuffer

        self.batch = Batch
        if prioritized:
            self.buffer = PrioritizedReplayBuffer(capacity, alpha=0.6, beta=0.4)
        else:
            self.buffer = ReplayBuffer(capacity)

    def step(self, r):
        return self.batch(
            obs=r["obs"],
            act=r["act"],
            rew=np.asarray(r["rew"]),
            obs_next=r["next_obs"],
            terminated=np.asarray(r["done"]),
            truncated=np.asarray(False),
            info=self.batch(),
        )

    def fill(self, count):
        # One row makes its arrays; the rest is written into them, as it has no bulk call.
        first = {name: column[0] for name, column in rows(0, 1).items()}
        self.buffer.add(self.step(first))
        size, meta = self.buffer.maxsize, self.buffer._meta
        for k in range(count - size, count, 10_000):
            r = rows(k, min(10_000, count - k))
            at = (k + np.arange(len(r["rew"]))) % size
            meta.obs[at], meta.act[at], meta.rew[at] = r["obs"], r["act"], r["rew"]
            meta.obs_next[at], meta.terminated[at] = r["next_obs"], r["done"]
        self.buffer._size, self.buffer._insertion_idx = size, count % size
        if hasattr(self.buffer, "weight"):
            self.buffer.weight[np.arange(size)] = 1.0

    def add_one(self, r):
        self.buffer.add(self.step(r))

    def sample(self, batch):
        b, _ = self.buffer.sample(batch)
        return b.obs, b.act, b.rew, b.obs_next, b.terminated

    def sample_and_update(self, batch, errors):
        b, index = self.buffer.sample(batch)
        self.buffer.update_weight(index, errors)
        return b.obs, b.act, b.rew, b.obs_next, b.weight
