"""tests/test_spaces.py - buffers for environments of Gymnasium, dict observations included."""

import numpy as np
import pytest

import mneme

gymnasium = pytest.importorskip("gymnasium")
spaces = gymnasium.spaces


class Env:
    """Only what from_env looks at."""

    def __init__(self, observation, action, num_envs=None):
        if num_envs is None:
            self.observation_space, self.action_space = observation, action
        else:
            self.num_envs = num_envs
            self.single_observation_space, self.single_action_space = observation, action


def test_a_real_environment():
    env = gymnasium.make("CartPole-v1")
    buffer = mneme.ReplayBuffer.from_env(env, capacity=100, n_step=2)
    observation, _ = env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(60):
        action = env.action_space.sample()
        after, reward, terminated, truncated, _ = env.step(action)
        buffer.add(observation, action, reward, after, terminated, truncated)
        observation = env.reset()[0] if terminated or truncated else after
    batch = buffer.sample(32)
    assert batch.observation.shape == (32, 4) and batch.action.dtype == np.int64
    assert buffer.cuts == 0 and set(batch.action) == {0, 1}


def test_a_vector_of_environments():
    env = gymnasium.make_vec("CartPole-v1", num_envs=3)
    buffer = mneme.ReplayBuffer.from_env(env, capacity=50)
    assert buffer.streams == 3


@pytest.mark.parametrize(
    ("space", "shape", "dtype"),
    [
        (spaces.Box(-1, 1, (2, 3), np.float64), (2, 3), np.float32),
        (spaces.Box(0, 255, (4, 4, 1), np.uint8), (4, 4, 1), np.uint8),
        (spaces.Discrete(5), (), np.int64),
        (spaces.MultiDiscrete([3, 4]), (2,), np.int64),
        (spaces.MultiBinary(6), (6,), np.int32),
    ],
)
def test_spaces(space, shape, dtype):
    buffer = mneme.ReplayBuffer.from_env(Env(space, spaces.Discrete(2)), capacity=10)
    row = np.zeros(shape, dtype)
    buffer.add(row, 1, 0.0, row)
    assert buffer.sample(2).observation.shape == (2, *shape)
    assert buffer.sample(2).observation.dtype == dtype


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("streams", [1, 3])
def test_dict_observations(mixed, streams):
    parts = {
        "position": spaces.Box(-9, 9, (3,), np.float32),
        "inner": spaces.Dict({"angle": spaces.Box(-9, 9, (2, 2), np.float32)}),
    }
    if mixed:
        parts["picture"] = spaces.Box(0, 255, (5,), np.uint8)
        parts["count"] = spaces.Discrete(1000)
    space = spaces.Dict(parts)
    buffer = mneme.ReplayBuffer.from_env(Env(space, spaces.Discrete(4), streams), capacity=40)
    space.seed(0)
    rows = [[space.sample() for _ in range(streams)] for _ in range(31)]

    def stacked(now):
        if isinstance(now[0], dict):
            return {key: stacked([each[key] for each in now]) for key in now[0]}
        return np.stack(now)

    for t in range(30):
        buffer.add(
            stacked(rows[t]),
            np.full(streams, t % 4),
            np.full(streams, t, np.float32),
            stacked(rows[t + 1]),
        )
    assert buffer.cuts == 0
    batch = buffer.sample(50)
    assert set(batch.observation) == set(parts)
    for k in range(50):
        t, s = int(batch.reward[k]), batch.stream[k]
        for when, columns in ((t, batch.observation), (t + 1, batch.next_observation)):
            np.testing.assert_array_equal(columns["position"][k], rows[when][s]["position"])
            np.testing.assert_array_equal(
                columns["inner"]["angle"][k], rows[when][s]["inner"]["angle"]
            )
            if mixed:
                np.testing.assert_array_equal(columns["picture"][k], rows[when][s]["picture"])
                assert columns["count"][k] == rows[when][s]["count"]


def test_dicts_that_do_not_fit():
    space = spaces.Dict({"a": spaces.Box(-1, 1, (2,), np.float32)})
    buffer = mneme.ReplayBuffer.from_env(Env(space, spaces.Discrete(2)), capacity=9)
    good = {"a": np.zeros(2, np.float32)}
    for bad, words in [
        (np.zeros(2, np.float32), "this buffer takes a dict"),
        ({}, "lacks the part a"),
        ({"a": np.zeros(3, np.float32)}, "has shape \\(3,\\)"),
        ({"a": np.zeros(2, complex)}, "dtype complex"),
    ]:
        with pytest.raises(ValueError, match=words):
            buffer.add(bad, 0, 0.0, good)
    with pytest.raises(ValueError, match="Tuple has no single shape"):
        mneme.ReplayBuffer.from_env(Env(spaces.Tuple([space]), spaces.Discrete(2)))
    assert len(buffer) == 0


@pytest.mark.parametrize("dtype", ["int8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers_of_every_type(dtype):
    info = np.iinfo(dtype)
    box = gymnasium.spaces.Box(info.min, info.max, (2,), np.dtype(dtype))
    buffer = mneme.ReplayBuffer(box, gymnasium.spaces.MultiBinary(3), 50)
    low, high = info.min, min(info.max, 2**63 - 1)
    now = np.array([low, high], dtype)
    buffer.add(now, np.array([1, 0, 1], np.int8), 1.0, now)
    assert buffer.sample(1).observation.tolist() == [[low, high]]
    assert buffer.sample(1).action.tolist() == [[1, 0, 1]]
    buffer.add(box.sample() // 2, gymnasium.spaces.MultiBinary(3).sample(), 1.0, box.sample() // 2)
    if dtype == "uint64":
        with pytest.raises(ValueError, match="do not fit into int64"):
            buffer.add(np.array([2**63, 0], dtype), np.zeros(3, np.int8), 1.0, now)


def test_star_import_keeps_the_builtin_open():
    import builtins

    scope = {}
    exec("from mneme import *", scope)
    assert scope.get("open", builtins.open) is builtins.open and "ReplayBuffer" in scope
