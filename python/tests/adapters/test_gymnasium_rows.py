"""tests/adapters/test_gymnasium_rows.py - every row of a Recorder recomputed, on any version of Gymnasium from 0.29.1."""

import numpy as np
import pytest

import mneme

gymnasium = pytest.importorskip("gymnasium")
from mneme.adapters.gymnasium import Recorder  # noqa: E402


class Count(gymnasium.Env):
    """Observations name environment, episode and step; so do rewards. Every other episode terminates."""

    observation_space = gymnasium.spaces.Box(0, 1e6, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self, number):
        self.number, self.episode, self.time, self.limit = number, -1, 0, 0
        self.lengths = np.random.default_rng(number)

    def _shown(self):
        return np.array([self.number, self.episode, self.time], np.float32)

    def reset(self, *, seed=None, options=None):
        self.episode, self.time, self.limit = self.episode + 1, 0, int(self.lengths.integers(1, 12))
        return self._shown(), {}

    def step(self, action):
        self.time += 1
        over, terminates = self.time >= self.limit, self.episode % 2 == 0
        reward = float(1000 * self.episode + self.time)
        return self._shown(), reward, over and terminates, over and not terminates, {}


@pytest.mark.parametrize("n_step", [1, 3, 10])
@pytest.mark.parametrize("capacity", [13, 200, 5000])
def test_rows_are_what_happened(n_step, capacity):
    envs = gymnasium.vector.SyncVectorEnv([lambda k=k: Count(k) for k in range(3)])
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=capacity, n_step=n_step, discount=1.0)
    recorder = Recorder(envs, buffer)
    recorder.reset(seed=0)
    for t in range(300):
        recorder.step(np.zeros((3, 1), np.float32))
        if t < 60 or t % 20:
            continue
        batch = buffer.sample(256)
        seen, then, taken = batch.observation, batch.next_observation, batch.horizon
        assert (seen[:, 0] == batch.stream).all() and (then[:, :2] == seen[:, :2]).all()
        assert (then[:, 2] == seen[:, 2] + taken).all()
        steps = taken * (1000 * seen[:, 1] + seen[:, 2]) + taken * (taken + 1) / 2
        assert (batch.reward == steps).all()
