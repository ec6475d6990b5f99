"""tests/adapters/test_gymnasium.py - true transitions out of every autoreset mode."""

import numpy as np
import pytest

import mneme
from mneme.adapters.gymnasium import Recorder

gymnasium = pytest.importorskip("gymnasium")


class Counting(gymnasium.Env):
    """Observation = (episode, step); ends after 3 to 5 steps, by turns terminated and truncated."""

    def __init__(self, parts=False):
        box = gymnasium.spaces.Box(-1, 1e6, (2,), np.float32)
        self.parts = parts
        self.observation_space = gymnasium.spaces.Dict({"at": box}) if parts else box
        self.action_space = gymnasium.spaces.Box(-1, 1e6, (1,), np.float32)
        self.episode, self.time = -1, 0

    def _see(self):
        at = np.array([self.episode, self.time], np.float32)
        return {"at": at} if self.parts else at

    def reset(self, *, seed=None, options=None):
        self.episode, self.time = self.episode + 1, 0
        return self._see(), {}

    def step(self, action):
        self.time += 1
        over = self.time >= 3 + self.episode % 3
        terminated = over and self.episode % 2 == 0
        return self._see(), float(self.time), terminated, over and not terminated, {}


@pytest.mark.parametrize("parts", [False, True])
@pytest.mark.parametrize("mode", list(gymnasium.vector.AutoresetMode))
def test_true_transitions(mode, parts):
    kind = gymnasium.vector.AutoresetMode
    envs = gymnasium.vector.SyncVectorEnv([lambda: Counting(parts)] * 3, autoreset_mode=mode)
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=100)
    recorder = Recorder(envs, buffer)
    recorder.reset(seed=0)
    for _ in range(60):
        _, _, terminated, truncated, _ = recorder.step(np.zeros((3, 1), np.float32))
        if mode == kind.DISABLED and (terminated | truncated).any():
            recorder.reset(options={"reset_mask": terminated | truncated})
    batch = buffer.sample(2000)
    now, then = batch.observation, batch.next_observation
    if parts:
        now, then = now["at"], then["at"]
    episode, time = now.T
    assert (then == now + np.float32([0, 1])).all()
    assert (batch.reward == time + 1).all()
    length = 3 + episode % 3
    assert (time < length).all()
    over = (time + 1 == length) & (episode % 2 == 0)
    assert ((batch.discount == 0) == over).all() and over.any()
    # Every end was told, none was guessed.
    assert buffer.cuts == 0
    expected = 60 * 3
    if mode == kind.NEXT_STEP:
        expected -= sum(int(env.unwrapped.episode) for env in envs.envs)
    assert len(buffer) == expected
    envs.close()


def test_a_reset_in_the_middle_is_a_cut():
    envs = gymnasium.vector.SyncVectorEnv([Counting] * 2)
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=100, n_step=3)
    recorder = Recorder(envs, buffer)
    for _ in range(5):
        recorder.reset(seed=0)
        for _ in range(2):
            recorder.step(np.zeros((2, 1), np.float32))
    assert buffer.cuts == 8
    batch = buffer.sample(500)
    assert (batch.next_observation[:, 0] == batch.observation[:, 0]).all()


def test_refusals():
    envs = gymnasium.vector.SyncVectorEnv([Counting] * 2)
    with pytest.raises(ValueError, match="2 environments but 1 streams"):
        Recorder(envs, mneme.ReplayBuffer(observation=(2,), action=(1,), capacity=9))
    recorder = Recorder(envs, mneme.ReplayBuffer.from_env(envs, capacity=9))
    with pytest.raises(ValueError, match="call reset"):
        recorder.step(np.zeros((2, 1), np.float32))
