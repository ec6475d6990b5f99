"""tests/test_rows_out.py - rows back out in order, rows in by the thousand."""

import numpy as np
import pytest
from rows import fill

import mneme


def test_added_counts_rows_ever(buffer):
    assert buffer.added == 120 and len(buffer) == 100
    assert buffer.added_to(1) == 60


def test_rows_in_order(buffer):
    rows = buffer[:]
    assert rows.observation.shape == (100, 3) and rows.reward.shape == (100,)
    assert (rows.stream == np.repeat([0, 1], 50)).all()
    for stream in range(2):
        of = buffer[stream, :]
        step = np.arange(10, 60)  # the oldest ten are overwritten
        assert (of.observation[:, 0] == stream).all()
        assert (of.observation[:, 1] == step // 7).all()
        assert (of.observation[:, 2] == step % 7).all()
        assert (of.next_observation[:, 2] == step % 7 + 1).all()
        assert (of.action[:, 0] == -(step % 7)).all() and (of.reward == step % 7).all()
        assert ((of.terminated | of.truncated) == (step % 7 == 6)).all()
        assert not (of.terminated & of.truncated).any()
        assert (of.id & (2**44 - 1) == step).all()


def test_one_row_and_slices(buffer):
    whole = buffer[:]
    for index in (0, 7, 99, -1, -100):
        row = buffer[index]
        assert (row.observation == whole.observation[index]).all()
        assert row.reward == whole.reward[index] and row.observation.shape == (3,)
    np.testing.assert_array_equal(buffer[40:60].observation, whole.observation[40:60])
    np.testing.assert_array_equal(buffer[::-7].observation, whole.observation[::-7])
    np.testing.assert_array_equal(buffer[1, -1].observation, whole.observation[-1])
    assert len(buffer[30:30].reward) == 0
    assert sum(1 for _ in buffer) == 100
    for wrong in (100, -101, (2, 0), (0, 50)):
        with pytest.raises(IndexError):
            buffer[wrong]
    with pytest.raises(TypeError, match="index must be"):
        buffer["reward"]


def test_episodes(buffer):
    episodes = list(buffer.episodes())
    assert sum(len(each.reward) for each in episodes) == 100
    for each in episodes:
        assert len(set(map(tuple, each.observation[:, :2]))) == 1
        over = each.terminated | each.truncated
        assert not over[:-1].any()
        assert (np.diff(each.observation[:, 2]) == 1).all()
    whole = list(buffer.episodes(complete=True))
    assert {len(each.reward) for each in whole} == {7}
    assert len(whole) == 2 * 6
    assert all((each.terminated | each.truncated)[-1] for each in whole)
    assert len(list(buffer.episodes(stream=1))) == len(episodes) // 2


def test_reading_does_not_change_the_draws(buffer):
    other = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50, streams=2, seed=3)
    fill(other, 60)
    buffer[:]
    list(buffer.episodes())
    assert buffer.sample(32).id.tolist() == other.sample(32).id.tolist()


def test_other_types_dicts_and_fields():
    made = mneme.ReplayBuffer(
        {"image": ((2, 2), "uint8"), "speed": (1,)},
        ((), "int64"),
        20,
        stack=1,
        n_step=3,
        fields={"logp": (), "hidden": ((4,), "float16")},
    )
    for t in range(30):
        see = {"image": np.full((2, 2), t, np.uint8), "speed": np.float32([t / 2])}
        then = {"image": np.full((2, 2), t + 1, np.uint8), "speed": np.float32([(t + 1) / 2])}
        made.add(see, t, float(t), then, logp=-float(t), hidden=np.full(4, t, np.float16))
    rows = made[5:]
    assert rows.observation["image"].shape == (15, 2, 2)
    assert (rows.observation["image"][:, 0, 0] == np.arange(15, 30)).all()
    assert (rows.next_observation["speed"][:, 0] == np.arange(16, 31) / 2).all()
    assert (rows.action == np.arange(15, 30)).all() and rows.action.dtype == np.int64
    assert (rows.logp == -np.arange(15.0, 30)).all() and rows.hidden.shape == (15, 4)
    assert made[-1].observation["image"].shape == (2, 2)


def test_stacks_do_not_apply():
    made = mneme.ReplayBuffer(((3, 3), "uint8"), (1,), 50, stack=4)
    for t in range(30):
        made.add(np.full((3, 3), t, np.uint8), [0.0], 1.0, np.full((3, 3), t + 1, np.uint8))
    assert made[:].observation.shape == (30, 3, 3)
    assert made.sample(2).observation.shape == (2, 4, 3, 3)


def steps(count, streams=None, seed=0):
    rng = np.random.default_rng(seed)
    lead = (count,) if streams is None else (count, streams)
    now = rng.standard_normal((count + 1, *lead[1:], 3)).astype(np.float32)
    over = rng.random(lead) < 0.1
    return {
        "observation": now[:-1],
        "action": rng.standard_normal((*lead, 1)).astype(np.float32),
        "reward": rng.standard_normal(lead).astype(np.float32),
        "next_observation": now[1:],
        "terminated": over & (rng.random(lead) < 0.5),
        "truncated": over,
    }


@pytest.mark.parametrize("streams", [1, 3])
@pytest.mark.parametrize("chunk", [1, 7, 200])
def test_extend_is_many_adds(streams, chunk):
    one, other = (
        mneme.ReplayBuffer((3,), (1,), 60, streams, n_step=3, sampler="per", seed=4)
        for _ in range(2)
    )
    data = steps(200, None if streams == 1 else streams)
    for first in range(0, 200, chunk):
        one.extend(**{key: value[first : first + chunk] for key, value in data.items()})
    for t in range(200):
        other.add(**{key: value[t] for key, value in data.items()})
    assert one.added == other.added == 200 * streams and one.cuts == other.cuts
    for name in one[:]:
        np.testing.assert_array_equal(one[:][name], other[:][name])
    assert one.sample(64).id.tolist() == other.sample(64).id.tolist()


def test_extend_one_stream_with_fields_and_lists():
    made = mneme.ReplayBuffer((1,), (1,), 60, 2, fields={"logp": ()})
    made.extend([[0.0], [1.0]], [[0], [0]], [1.0, 2.0], [[1.0], [2.0]], stream=1, logp=[0.5, 0.25])
    assert made.size(0) == 0 and made[1, :].logp.tolist() == [0.5, 0.25]


def test_extend_stores_all_or_nothing():
    made = mneme.ReplayBuffer((3,), (1,), 60, 2, fields={"logp": ()})
    data = {**steps(10, 2), "logp": np.zeros((10, 2))}
    broken = data["reward"].copy()
    broken[7, 1] = np.nan
    for wrong, words in [
        ({"reward": broken}, "must be finite"),
        ({"action": data["action"][:5]}, r"action has shape \(5, 2, 1\); expected \(10, 2, 1\)"),
        ({"terminated": data["terminated"][:, :1]}, "terminated has shape"),
        ({"observation": data["observation"][0, 0]}, "observation has shape"),
        ({"stream": 0}, "have no `stream`"),
        ({"logq": np.zeros((10, 2))}, "unknown field 'logq'"),
    ]:
        with pytest.raises(ValueError, match=words):
            made.extend(**{**data, **wrong})
    with pytest.raises(ValueError, match="field 'logp' is missing"):
        made.extend(**steps(10, 2))
    assert len(made) == 0


def test_extend_dict_observations():
    made = mneme.ReplayBuffer({"a": (2,), "b": (1,)}, (1,), 60)
    now = {"a": np.arange(42, dtype=np.float32).reshape(21, 2), "b": np.ones((21, 1), np.float32)}
    made.extend(
        {key: part[:-1] for key, part in now.items()},
        np.zeros((20, 1), np.float32),
        np.zeros(20, np.float32),
        {key: part[1:] for key, part in now.items()},
    )
    assert len(made) == 20 and made.cuts == 0
    np.testing.assert_array_equal(made[:].observation["a"], now["a"][:-1])


def test_batch_size_is_a_name(buffer):
    assert len(buffer.sample(batch_size=3)) == len(buffer.sample(batch=3)) == 3
    assert len(buffer.sample_sequences(batch_size=3, length=2)) == 3
    assert len(next(iter(buffer.batches(batch_size=3)))) == 3
