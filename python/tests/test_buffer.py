"""tests/test_buffer.py - what goes in comes out, in memory that stays the caller's."""

import copy
import gc
import pickle

import numpy as np
import pytest
from rows import fill

import mneme


def check_rows(buffer, batch, n_step=1, discount=0.99):
    """Every row is one that happened: (stream, episode, step) and its successors."""
    stream, _, time = batch.observation.T
    assert (batch.stream == stream).all()
    assert (batch.action[:, 0] == -time).all()
    steps = batch.horizon
    assert (steps == np.minimum(n_step, 7 - time)).all()
    expected = batch.observation.copy()
    expected[:, 2] += steps
    assert (batch.next_observation == expected).all()
    reward = [
        sum(discount**k * (t + k) for k in range(h)) for t, h in zip(time, steps, strict=True)
    ]
    np.testing.assert_allclose(batch.reward, reward, rtol=1e-6)
    over = batch.discount == 0
    assert (time + steps == 7)[over].all()
    np.testing.assert_allclose(batch.discount[~over], discount ** steps[~over], rtol=1e-6)


@pytest.mark.parametrize("n_step", [1, 3])
@pytest.mark.parametrize("sampler", ["uniform", "truncated_geometric:alpha=4", "per"])
def test_rows_are_true(sampler, n_step):
    buffer = mneme.ReplayBuffer(
        observation=(3,),
        action=(1,),
        capacity=50,
        streams=4,
        sampler=sampler,
        n_step=n_step,
        seed=1,
    )
    fill(buffer, 130)
    assert len(buffer) == 200 and buffer.size(2) == 50
    for _ in range(20):
        check_rows(buffer, buffer.sample(64), n_step)


def test_one_step_and_one_of_all_streams_are_the_same():
    both = [
        mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=20, streams=3, seed=2)
        for _ in range(2)
    ]
    rng = np.random.default_rng(0)
    for _ in range(30):
        now, then = rng.random((2, 3, 3), np.float32)
        action, reward = rng.random((3, 1), np.float32), rng.random(3, np.float32)
        ends = rng.random(3) < 0.2
        both[0].add(now, action, reward, then, ends, False)
        for s in range(3):
            both[1].add(now[s], action[s], reward[s], then[s], ends[s], stream=s)
    a, b = (buffer.sample(32) for buffer in both)
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])


def test_the_seed_decides():
    def batches(seed):
        buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50, seed=seed)
        fill(buffer, 60)
        return buffer.sample(32).id.tolist()

    assert batches(1) == batches(1) != batches(2)


def test_columns_are_views_of_the_batch(buffer):
    batch = buffer.sample(16)
    assert batch["observation"] is batch.observation
    assert set(batch.keys()) == {
        *("observation", "action", "reward", "next_observation", "discount"),
        *("weight", "id", "stream", "age", "horizon"),
    }
    assert len(batch) == 16 and "reward" in batch and "nothing" not in batch
    with pytest.raises(
        KeyError, match="unknown column of the batch 'rewrd'; did you mean 'reward'"
    ):
        batch["rewrd"]
    with pytest.raises(AttributeError, match="rewrd"):
        batch.rewrd  # noqa: B018


def test_a_batch_is_never_changed_by_the_next_one(buffer):
    kept = [buffer.sample(64) for _ in range(20)]
    before = [batch.observation.copy() for batch in kept]
    arrays = [buffer.sample(64).reward for _ in range(20)]  # their batches are gone
    copies = [array.copy() for array in arrays]
    for _ in range(50):
        buffer.sample(64)
    for batch, seen in zip(kept, before, strict=True):
        np.testing.assert_array_equal(batch.observation, seen)
    for array, seen in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, seen)


def test_memory_is_used_again_when_a_batch_is_gone(buffer):
    places = set()
    for _ in range(100):
        places.add(buffer.sample(64).observation.ctypes.data)
    gc.collect()
    assert len(places) <= 2
    assert all(place % 64 == 0 for place in places)


def test_a_batch_outlives_its_buffer():
    buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50)
    fill(buffer, 20)
    batch = buffer.sample(8)
    seen = batch.observation.copy()
    buffer.close()
    del buffer
    np.testing.assert_array_equal(batch.observation, seen)
    assert batch.next_observation.shape == (8, 3)


def test_out_of_an_earlier_batch_and_of_arrays(buffer):
    first = buffer.sample(16)
    ids = first.id.copy()
    place = first.observation.ctypes.data
    assert buffer.sample(16, out=first) is first
    assert first.observation.ctypes.data == place and (first.id != ids).any()
    mine = {"observation": np.zeros((16, 3), np.float32), "id": np.zeros(16, np.uint64)}
    assert buffer.sample(16, out=mine) is mine
    assert (mine["observation"][:, 0] == mine["id"] >> 44).all()


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("float32", 1.5),
        ("float64", 1.5),
        ("float16", 1.5),
        ("bfloat16", 1.5),
        ("uint8", 200),
        ("int32", -7),
        ("int64", 7),
    ],
)
def test_types(dtype, value):
    shown = "float32" if dtype in ("float16", "bfloat16") else dtype
    given = "float32" if dtype == "bfloat16" else dtype
    buffer = mneme.ReplayBuffer(
        observation=((2, 2), dtype), action=((), dtype), capacity=8, fields={"extra": ((), dtype)}
    )
    row = np.full((2, 2), value, given)
    buffer.add(row, value, 0.0, row, extra=value)
    batch = buffer.sample(3)
    for name in ("observation", "action", "extra"):
        assert batch[name].dtype == shown and (batch[name] == value).all()
    assert batch.observation.shape == (3, 2, 2) and batch.action.shape == (3,)


def test_extra_fields():
    buffer = mneme.ReplayBuffer(
        observation=(3,),
        action=(1,),
        capacity=9,
        streams=2,
        fields={"log_prob": ((), "float32"), "goal": (2,)},
    )
    zeros = np.zeros((2, 3), np.float32)
    goal = np.array([[1, 2], [3, 4]], np.float32)
    for k in range(4):
        buffer.add(zeros, zeros[:, :1], zeros[:, 0], zeros, log_prob=np.float32([k, -k]), goal=goal)
    batch = buffer.sample(32)
    assert (batch.goal == goal[batch.stream]).all()
    assert set(batch.log_prob[batch.stream == 1]) <= {0, -1, -2, -3}
    with pytest.raises(ValueError, match="field 'goal' is missing"):
        buffer.add(zeros, zeros[:, :1], zeros[:, 0], zeros, log_prob=np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="unknown field 'gaol'; did you mean 'goal'"):
        buffer.add(
            zeros, zeros[:, :1], zeros[:, 0], zeros, log_prob=zeros[:, 0], goal=goal, gaol=goal
        )


def test_stacks():
    buffer = mneme.ReplayBuffer(observation=((2,), "uint8"), action=(1,), capacity=30, stack=4)
    for t in range(6):
        row = np.array([t, t], np.uint8)
        buffer.add(row, [0.0], 0.0, row + 1)
    batch = buffer.sample(20)
    assert batch.observation.shape == (20, 4, 2)
    newest = batch.observation[:, 3, 0].astype(int)
    assert (batch.observation[:, 0, 0] == np.maximum(newest - 3, 0)).all()


def test_priorities():
    buffer = mneme.ReplayBuffer(
        observation=(3,),
        action=(1,),
        capacity=50,
        sampler=mneme.samplers.PER(alpha=1, eps=0),
        seed=0,
    )
    fill(buffer, 50)
    batch = buffer.sample(256)
    report = buffer.update_priorities(batch.id, np.where(batch.id == batch.id[0], 5.0, 0.0))
    assert report.applied > 0 and report.refused == report.stale == report.ignored == 0
    for _ in range(10):
        batch_ids = buffer.sample(256).id
        seen = set(batch_ids.tolist())
        buffer.update_priorities(batch_ids, np.where(batch_ids == batch.id[0], 5.0, 0.0))
    assert batch.id[0] in seen and (batch_ids == batch.id[0]).mean() > 0.5
    buffer.set_progress(0.5)
    fill(buffer, 60)
    assert buffer.update_priorities(batch.id, np.ones(256)).stale == 256


def test_a_stream_reset_without_notice_is_cut():
    buffer = mneme.ReplayBuffer(observation=(1,), action=(1,), capacity=9)
    for t in (0, 1, 10, 11):
        buffer.add(np.float32([t]), np.float32([0]), float(t), np.float32([t + 1]))
    buffer.cut()
    assert buffer.cuts == 2
    batch = buffer.sample(32)
    assert (batch.next_observation == batch.observation + 1).all()


def test_pickle_and_copy(buffer):
    for way in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            way(buffer)
    batch = buffer.sample(4)
    again = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(again.observation, batch.observation)
    assert set(again) == set(batch.keys())
    assert copy.deepcopy(batch)["id"].tolist() == batch.id.tolist()


def test_with(buffer):
    with buffer as same:
        assert same is buffer
    assert buffer.closed and "closed" in repr(buffer)


def test_diagnostics():
    buffer = mneme.ReplayBuffer(
        observation=(3,), action=(1,), capacity=500, sampler="truncated_geometric:alpha=6", seed=1
    )
    fill(buffer, 500)
    assert np.isnan(buffer.diagnostics().expected_recency)
    for _ in range(400):
        buffer.sample(256)
    live = buffer.diagnostics()
    exact = mneme.inspect("truncated_geometric:alpha=6", 500)
    assert live.draws == 400 * 256 and live.batches == 400
    # Five standard errors of a mean of 10^5 numbers that spread by less than 0.3.
    assert live.expected_recency == pytest.approx(exact.expected_recency, abs=0.005)
    assert live.sampling_entropy == pytest.approx(exact.sampling_entropy, abs=0.02)
    assert sum(live.age_histogram) == live.draws_by_age
    buffer.reset_diagnostics()
    assert buffer.diagnostics().draws == 0
    off = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=5, diagnostics=False)
    with pytest.raises(ValueError, match="diagnostics"):
        off.diagnostics()
