"""tests/adapters/test_tianshou.py - our samplers in Tianshou's buffers: the distribution they draw by."""

import numpy as np
import pytest

pytest.importorskip("tianshou")
from tianshou.data import Batch

import mneme
from mneme.adapters.tianshou import ReplayBuffer, VectorReplayBuffer


def step(t, ids=None):
    def shaped(value):
        return np.full(len(ids), value) if ids is not None else np.array(value)

    return Batch(
        obs=shaped(float(t)), act=shaped(0), rew=shaped(float(t)), terminated=shaped(False),
        truncated=shaped(False), obs_next=shaped(t + 1.0), info=Batch(),
    )  # fmt: skip


@pytest.mark.parametrize("steps", [25, 70])
def test_the_distribution(steps):
    spec = "truncated_geometric:alpha=4"
    buffer = ReplayBuffer(40, sampler=spec, random_seed=1)
    for t in range(steps):
        buffer.add(step(t))
    batch, _ = buffer.sample(100_000)
    rows = min(steps, 40)
    count = np.bincount(batch.rew.astype(int) - (steps - rows), minlength=rows)
    p = mneme.make_sampler(spec).probabilities(rows, 40)
    chi = ((count - 1e5 * p) ** 2 / (1e5 * p)).sum()
    assert chi < rows + 12 * np.sqrt(2 * rows)
    flat = np.full(rows, 1 / rows)
    assert ((count - 1e5 * flat) ** 2 / (1e5 * flat)).sum() > rows + 12 * np.sqrt(2 * rows)


def test_sub_buffers():
    buffer = VectorReplayBuffer(60, 3, sampler="truncated_geometric:alpha=30")
    for t in range(50):
        buffer.add(step(t, [0, 1, 2]), buffer_ids=[0, 1, 2])
    batch, indices = buffer.sample(3000)
    assert (np.bincount(indices // 20) > 800).all()
    assert np.median(batch.rew) >= 48 and batch.rew.min() >= 30
    assert len(buffer.sample_indices(0)) == 60  # Tianshou: all of them


def test_rows_of_an_environment():
    import gymnasium

    env = gymnasium.make("Pendulum-v1")
    buffer = VectorReplayBuffer(200, 1, sampler="uniform_fifo:window=0.5")
    observation, _ = env.reset(seed=0)
    for _ in range(300):
        action = env.action_space.sample()
        after, reward, terminated, truncated, _ = env.step(action)
        buffer.add(
            Batch(obs=observation[None], act=action[None], rew=np.array([reward]), obs_next=after[None],
                  terminated=np.array([terminated]), truncated=np.array([truncated]), info=Batch()),
            buffer_ids=[0],
        )  # fmt: skip
        observation = env.reset()[0] if truncated else after
    batch, indices = buffer.sample(64)
    assert batch.obs.shape == (64, 3) and (buffer.next(indices) != indices).any()


@pytest.mark.parametrize("vector", [False, True])
def test_stacks_keep_the_sampler(vector):
    options = {"stack_num": 4, "sample_avail": True, "sampler": "truncated_geometric:alpha=20"}
    buffer = VectorReplayBuffer(400, 2, **options) if vector else ReplayBuffer(200, **options)
    for t in range(250):
        row = step(t, [0, 1]) if vector else step(t)
        done = t % 25 == 24
        row.terminated = np.full(2, done) if vector else np.array(done)
        row.done = row.terminated
        buffer.add(row, buffer_ids=[0, 1]) if vector else buffer.add(row)
    indices = buffer.sample_indices(20_000)
    assert set(indices) <= set(buffer.sample_indices(0))  # only whole stacks
    age = (249 - buffer.rew[indices]) / 199
    assert age.mean() < 0.15  # uniform: 0.5
    plain = ReplayBuffer(200, stack_num=4, sampler="truncated_geometric:alpha=20")
    for t in range(250):
        plain.add(step(t))
    assert ((249 - plain.rew[plain.sample_indices(20_000)]) / 199).mean() < 0.15


@pytest.mark.parametrize("vector", [False, True])
def test_pickle(vector):
    import pickle

    spec = "truncated_geometric:alpha=20"
    buffer = VectorReplayBuffer(80, 2, sampler=spec) if vector else ReplayBuffer(40, sampler=spec)
    for t in range(70):
        if vector:
            buffer.add(step(t, [0, 1]), buffer_ids=[0, 1])
        else:
            buffer.add(step(t))
    copy = pickle.loads(pickle.dumps(buffer))
    assert len(copy) == len(buffer)
    np.testing.assert_array_equal(copy.sample_indices(100), buffer.sample_indices(100))


@pytest.mark.slow
def test_hdf5_keeps_sampler_and_generator(tmp_path):
    buffer = filled_for_files()
    buffer.save_hdf5(tmp_path / "buffer.hdf5")
    again = type(buffer).load_hdf5(tmp_path / "buffer.hdf5")
    assert len(again) == len(buffer)
    assert (again.sample_indices(64) == buffer.sample_indices(64)).all()


@pytest.mark.slow
def test_cached_buffers_are_sampled_by_age():
    from tianshou.data import Batch
    from tianshou.data import ReplayBuffer as Plain

    from mneme.adapters.tianshou import CachedReplayBuffer

    buffer = CachedReplayBuffer(Plain(200), 1, 10, sampler="uniform_fifo:window=5")
    for t in range(100):
        over = t % 10 == 9
        step = {"obs": [t], "act": [0], "rew": [float(t)], "obs_next": [t + 1]}
        ends = {"terminated": [over], "truncated": [False], "done": [over], "info": {}}
        buffer.add(Batch(**step, **ends))
    drawn = buffer[buffer.sample_indices(200)].rew
    assert drawn.min() >= 95


def filled_for_files():
    from tianshou.data import Batch

    from mneme.adapters.tianshou import ReplayBuffer

    buffer = ReplayBuffer(50, sampler="truncated_geometric:alpha=4", random_seed=3)
    for t in range(70):
        step = {"obs": t, "act": 0, "rew": float(t), "obs_next": t + 1}
        buffer.add(Batch(**step, terminated=False, truncated=False, done=False, info={}))
    return buffer
