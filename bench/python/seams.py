"""bench/python/seams.py - do buffers serve rows that never happened? Wrong rows per million, by library.

    .venv-python/bin/python bench/python/seams.py --json bench/results/seams.json

Rows describe themselves: an observation is (episode, step). Episodes of random length end by
termination, by a time limit, or without notice (an evaluation reset the environment). Each buffer is
fed as its documentation says, wraps many times, and every sampled row is compared with what
happened: successor, reward sum, and what the bootstrap value is multiplied with. A library that
hands out no discount of its own is read as its users read it: discount^n unless done.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

DISCOUNT, CAPACITY = 0.9, 101


class World:
    """Episodes and how they ended."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.length, self.kind = [], []  # of every episode: steps taken; running, terminated, ...
        self.begin()

    def begin(self):
        self.length.append(0)
        self.kind.append("running")
        self.planned = 1 + int(self.rng.exponential(11))

    @staticmethod
    def reward(episode, time):
        return ((7 * episode + 3 * time) % 41 - 20) / 8

    def step(self):
        """(observation, action, reward, next, terminated, truncated) of one more step."""
        episode, time = len(self.length) - 1, self.length[-1]
        self.length[-1] += 1
        kind = "running"
        if self.length[-1] >= self.planned:
            kind = self.rng.choice(["terminated", "truncated", "silent"], p=[0.4, 0.4, 0.2])
            self.kind[-1] = kind
            self.begin()
        now, then = np.float32([episode, time]), np.float32([episode, time + 1])
        return (
            now,
            np.float32([time]),
            self.reward(episode, time),
            then,
            kind == "terminated",
            kind == "truncated",
        )

    def wrong(self, now, reward, then, multiplier, n_step):
        """Whether this is not a row of 1 to n_step true steps. A window may stop early only where
        its episode did, or where the newest row was when it was drawn."""
        episode, time = int(now[0]), int(now[1])
        steps = int(then[1]) - time
        if multiplier == 0:  # nothing is bootstrapped: the successor does not matter
            if self.kind[episode] != "terminated":
                return True
            steps = self.length[episode] - time
        elif int(then[0]) != episode:
            return True
        if not 1 <= steps <= min(n_step, self.length[episode] - time):
            return True
        total = sum(DISCOUNT**k * self.reward(episode, time + k) for k in range(steps))
        over = self.kind[episode] == "terminated" and time + steps == self.length[episode]
        expected = 0.0 if over else DISCOUNT**steps
        return abs(total - reward) > 1e-4 or abs(multiplier - expected) > 1e-4


class Ours:
    def __init__(self, n_step):
        import mneme

        self.buffer = mneme.ReplayBuffer((2,), (1,), CAPACITY, n_step=n_step, discount=DISCOUNT)

    def add(self, now, action, reward, then, terminated, truncated):
        self.buffer.add(now, action, reward, then, terminated, truncated)

    def sample(self, count):
        b = self.buffer.sample(count)
        return b.observation, b.reward, b.next_observation, b.discount


class StableBaselines3:
    def __init__(self, n_step, lean=False):
        from gymnasium.spaces import Box
        from stable_baselines3.common import buffers

        spaces = Box(-1, 1, (2,), np.float32), Box(-1, 1, (1,), np.float32)
        if n_step > 1:
            self.buffer = buffers.NStepReplayBuffer(
                CAPACITY, *spaces, "cpu", n_steps=n_step, gamma=DISCOUNT
            )
        else:
            self.buffer = buffers.ReplayBuffer(
                CAPACITY,
                *spaces,
                "cpu",
                optimize_memory_usage=lean,
                handle_timeout_termination=not lean,
            )

    def add(self, now, action, reward, then, terminated, truncated):
        self.buffer.add(
            now[None], then[None], action[None], np.array([reward]), np.array([terminated or truncated]),
            [{"TimeLimit.truncated": truncated and not terminated}],
        )  # fmt: skip

    def sample(self, count):
        b = self.buffer.sample(count)
        discount = DISCOUNT if b.discounts is None else b.discounts.numpy()[:, 0]
        return (
            b.observations.numpy(),
            b.rewards.numpy()[:, 0],
            b.next_observations.numpy(),
            (1 - b.dones.numpy()[:, 0]) * discount,
        )


class Cpprb:
    def __init__(self, n_step, lean=False):
        import cpprb

        env = {"obs": {"shape": 2}, "act": {"shape": 1}, "rew": {}, "done": {}}
        options = {"next_of": "obs"} if lean else {}
        if not lean:
            env["next_obs"] = {"shape": 2}
        if n_step > 1:
            options["Nstep"] = {"size": n_step, "gamma": DISCOUNT, "rew": "rew", "next": "next_obs"}
        self.n_step, self.buffer = n_step, cpprb.ReplayBuffer(CAPACITY, env, **options)

    def add(self, now, action, reward, then, terminated, truncated):
        self.buffer.add(obs=now, act=action, rew=reward, next_obs=then, done=terminated)
        if terminated or truncated:
            self.buffer.on_episode_end()

    def sample(self, count):
        b = self.buffer.sample(count)
        multiplier = (1 - b["done"][:, 0]) * DISCOUNT**self.n_step
        return b["obs"], b["rew"][:, 0], b["next_obs"], multiplier


class TorchRL:
    def __init__(self, n_step):
        from torchrl.data import LazyTensorStorage, ReplayBuffer
        from torchrl.envs import MultiStepTransform

        self.n_step = n_step
        options = {}
        if n_step > 1:
            options["transform"] = MultiStepTransform(n_steps=n_step, gamma=DISCOUNT)
        self.buffer = ReplayBuffer(storage=LazyTensorStorage(CAPACITY), **options)
        self.rows = []

    def add(self, now, action, reward, then, terminated, truncated):
        """Collectors hand over stretches; eight rows at a time here."""
        import torch
        from tensordict import TensorDict

        self.rows.append((now, action, reward, then, terminated, terminated or truncated))
        if len(self.rows) < 8:
            return
        now, action, reward, then, over, done = (
            torch.from_numpy(np.array(column)) for column in zip(*self.rows, strict=True)
        )
        after = {
            "observation": then,
            "reward": reward.float()[:, None],
            "terminated": over[:, None],
            "truncated": (done & ~over)[:, None],
            "done": done[:, None],
        }
        flags = {"terminated": torch.zeros(8, 1, dtype=bool), "done": torch.zeros(8, 1, dtype=bool)}
        self.buffer.extend(
            TensorDict({"observation": now, "action": action, **flags, "next": after}, [8])
        )
        self.rows = []

    def sample(self, count):
        b = self.buffer.sample(count)
        steps = b["steps_to_next_obs"].numpy().reshape(-1) if self.n_step > 1 else 1
        multiplier = (1 - b["next", "terminated"].numpy()[:, 0]) * DISCOUNT**steps
        return (
            b["observation"].numpy(),
            b["next", "reward"].numpy()[:, 0],
            b["next", "observation"].numpy(),
            multiplier,
        )


CASES = [
    ("one step", "mneme", 1, lambda: Ours(1)),
    ("one step", "Stable-Baselines3", 1, lambda: StableBaselines3(1)),
    ("one step", "cpprb", 1, lambda: Cpprb(1)),
    ("one step", "TorchRL", 1, lambda: TorchRL(1)),
    ("rows stored once", "mneme", 1, lambda: Ours(1)),
    ("rows stored once", "Stable-Baselines3", 1, lambda: StableBaselines3(1, lean=True)),
    ("rows stored once", "cpprb", 1, lambda: Cpprb(1, lean=True)),
    ("three steps", "mneme", 3, lambda: Ours(3)),
    ("three steps", "Stable-Baselines3", 3, lambda: StableBaselines3(3)),
    ("three steps", "cpprb", 3, lambda: Cpprb(3)),
    ("three steps", "TorchRL", 3, lambda: TorchRL(3)),
]  # fmt: skip


def run(make, n_step, count, seed=1):
    """Rows compared and how many were wrong."""
    world, buffer = World(seed), make()
    np.random.seed(seed)
    for _ in range(2 * CAPACITY):
        buffer.add(*world.step())
    seen = wrong = 0
    first = None
    while seen < count:
        for _ in range(1 + int(world.rng.integers(12))):
            buffer.add(*world.step())
        for row in zip(*(np.asarray(each) for each in buffer.sample(64)), strict=True):
            seen += 1
            if world.wrong(row[0], row[1], row[2], row[3], n_step):
                wrong += 1
                first = first or [np.asarray(each).tolist() for each in row]
    return seen, wrong, first


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="compared per case")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = []
    for case, name, n_step, make in CASES:
        seen, wrong, first = run(make, n_step, args.rows)
        rows.append({"case": case, "contestant": name, "rows": seen, "wrong": wrong,
                     "wrong_per_million": round(1e6 * wrong / seen), "first_wrong": first})  # fmt: skip
        print(
            f"{case:18} {name:18} {rows[-1]['wrong_per_million']:>9,} wrong per million of {seen:,}; first {first}"
        )
    if args.json:
        packages = ("stable-baselines3", "cpprb", "torchrl")
        result = {"rows": rows, "versions": {name: version(name) for name in packages}}
        args.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
