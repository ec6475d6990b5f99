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


class Undeclared:
    """Resets in the same step and hands out the last observation, but declares no mode: as the
    vectors of Gymnasium 0.29 do (`final_observation`, an object array) and those of others."""

    def __init__(self, count, key, finals=True):
        self.envs, self.num_envs, self.key = [Counting() for _ in range(count)], count, key
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.metadata, self.finals = {}, finals

    def reset(self, *, seed=None, options=None):
        return np.stack([env.reset()[0] for env in self.envs]), {}

    def step(self, action):
        rows, final = [], np.full(self.num_envs, None, object)
        for k, env in enumerate(self.envs):
            rows.append(list(env.step(action[k])[:4]))
            if rows[k][2] or rows[k][3]:
                final[k] = rows[k][0]
                rows[k][0] = env.reset()[0]
        observation, reward, terminated, truncated = (np.array(x) for x in zip(*rows, strict=True))
        info = {}
        if self.finals and any(each is not None for each in final):
            info = {self.key: final, f"_{self.key}": np.array([e is not None for e in final])}
        return observation, reward, terminated, truncated, info


@pytest.mark.parametrize("key", ["final_obs", "final_observation"])
@pytest.mark.parametrize("n_step", [1, 3])
def test_undeclared_same_step_is_recognised(key, n_step):
    envs = Undeclared(3, key)
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=100, n_step=n_step, discount=1.0)
    recorder = Recorder(envs, buffer)
    recorder.reset()
    for _ in range(60):
        recorder.step(np.zeros((3, 1), np.float32))
    assert len(buffer) == 60 * 3 and buffer.cuts == 0
    batch = buffer.sample(2000)
    episode, time = batch.observation.T
    length = 3 + episode % 3
    steps = np.minimum(n_step, length - time)
    assert (batch.horizon == steps).all()
    assert (batch.next_observation[:, 0] == episode).all()
    assert (batch.next_observation[:, 1] == time + steps).all()
    assert ((batch.discount == 0) == ((time + steps == length) & (episode % 2 == 0))).all()


def test_undeclared_mode_without_final_obs_is_refused():
    envs = Undeclared(2, "final_obs", finals=False)
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=100)
    recorder = Recorder(envs, buffer)
    recorder.reset()
    with pytest.raises(ValueError, match="autoreset_mode='NEXT_STEP' or 'DISABLED'"):
        for _ in range(3):
            recorder.step(np.zeros((2, 1), np.float32))
    assert len(buffer) == 4  # the step that cannot be judged is not stored


def test_the_mode_can_be_given():
    kind = gymnasium.vector.AutoresetMode
    envs = gymnasium.vector.SyncVectorEnv([Counting] * 2)
    buffer = mneme.ReplayBuffer.from_env(envs, capacity=100)
    assert Recorder(envs, buffer).mode == "nextstep"
    assert Recorder(envs, buffer, "SAME_STEP").mode == "samestep"
    assert Recorder(envs, buffer, autoreset_mode=kind.DISABLED).mode == "disabled"
    with pytest.raises(ValueError, match=r"autoreset_mode must be NEXT_STEP, .* got 'LATER'"):
        Recorder(envs, buffer, autoreset_mode="LATER")
    wrong = Recorder(envs, buffer, autoreset_mode="SAME_STEP")
    wrong.reset()
    with pytest.raises(ValueError, match="info has no final_obs"):
        for _ in range(3):
            wrong.step(np.zeros((2, 1), np.float32))


def test_contradicting_metadata_is_refused():
    envs = Undeclared(2, "final_obs")
    envs.metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}
    recorder = Recorder(envs, mneme.ReplayBuffer.from_env(envs, capacity=100))
    recorder.reset()
    with pytest.raises(ValueError, match="declares NEXT_STEP but info has final_obs"):
        for _ in range(3):
            recorder.step(np.zeros((2, 1), np.float32))


def test_refusals():
    with pytest.raises(ValueError, match="Counting is not a vector environment"):
        Recorder(Counting(), mneme.ReplayBuffer(observation=(2,), action=(1,), capacity=9))
    envs = gymnasium.vector.SyncVectorEnv([Counting] * 2)
    with pytest.raises(ValueError, match="2 environments but 1 streams"):
        Recorder(envs, mneme.ReplayBuffer(observation=(2,), action=(1,), capacity=9))
    recorder = Recorder(envs, mneme.ReplayBuffer.from_env(envs, capacity=9))
    with pytest.raises(ValueError, match="call reset"):
        recorder.step(np.zeros((2, 1), np.float32))
