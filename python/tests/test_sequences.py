"""tests/test_sequences.py - windows of consecutive steps: one episode each, burn-in, what is not valid."""

import pickle

import numpy as np
import pytest
from rows import fill

import mneme


def check(batch, length, burn_in):
    """Rows of tests/rows.py: observation = (stream, episode, step), reward = step, action = -step."""
    steps = burn_in + length
    assert batch.observation.shape == (len(batch), steps, 3)
    assert batch.valid.dtype == bool and batch.valid.shape == (len(batch), steps)
    for k in range(len(batch)):
        valid = np.flatnonzero(batch.valid[k])
        assert (np.diff(valid) == 1).all() and valid[0] <= burn_in <= valid[-1]
        rows = batch.observation[k][valid]
        np.testing.assert_array_equal(rows[:, 0], batch.stream[k])
        assert (rows[:, 1] == rows[0, 1]).all()
        np.testing.assert_array_equal(np.diff(rows[:, 2]), 1)
        np.testing.assert_array_equal(batch.reward[k][valid], rows[:, 2])
        np.testing.assert_array_equal(batch.action[k][valid, 0], -rows[:, 2])
        np.testing.assert_array_equal(batch.last_observation[k], rows[-1] + [0, 0, 1])
        # The window is as long as the episode lets it be.
        if valid[-1] + 1 < steps and batch.last_observation[k, 2] < 7:
            assert batch.age[k] < length
        ends = batch.discount[k][valid] == 0
        assert not ends[:-1].any() and ends[-1] == batch.terminated[k]
        outside = np.setdiff1d(np.arange(steps), valid)
        for column in (batch.observation, batch.action, batch.reward, batch.discount):
            assert not column[k][outside].any()


@pytest.mark.parametrize(("length", "burn_in"), [(1, 0), (4, 0), (4, 3), (20, 5)])
def test_windows_are_stretches_of_episodes(buffer, length, burn_in):
    batch = buffer.sample_sequences(64, length, burn_in)
    assert isinstance(batch, mneme.SequenceBatch) and len(batch) == 64
    check(batch, length, burn_in)
    if length > 7:
        assert not batch.valid.all(axis=1).any()


def test_the_sampler_picks_the_first_step_after_burn_in(buffer):
    batch = buffer.sample_sequences(200, 3, 2)
    newest = buffer.sample_sequences(200, 1)
    assert len(np.unique(batch.id)) > 40 and (batch.age < 50).all() and (newest.age >= 0).all()
    assert (batch.id >> np.uint64(44) == batch.stream).all()


def test_priorities_weights_and_feedback():
    buffer = mneme.ReplayBuffer((3,), (1,), capacity=50, sampler="per", seed=1)
    fill(buffer, 40)
    batch = buffer.sample_sequences(32, 4, burn_in=2)
    assert buffer.update_priorities(batch.id, np.linspace(0, 5, 32)).applied > 0
    again = buffer.sample_sequences(32, 4, burn_in=2)
    assert again.weight.shape == (32,) and again.weight.min() < again.weight.max() <= 1
    check(again, 4, 2)


def test_out_and_memory_of_its_own(buffer):
    first = buffer.sample_sequences(8, 4, 1)
    kept = first.observation.copy()
    buffer.sample_sequences(8, 4, 1)
    np.testing.assert_array_equal(first.observation, kept)
    assert buffer.sample_sequences(8, 4, 1, out=first) is first
    check(first, 4, 1)
    out = {"observation": np.zeros((8, 5, 3), np.float64), "valid": np.zeros((8, 5), bool)}
    assert buffer.sample_sequences(8, 4, 1, out=out) is out and out["valid"].any()
    for bad in (
        {"valid": np.zeros((8, 5), np.uint8)},
        {"observation": np.zeros((8, 4, 3), np.float32)},
        buffer.sample_sequences(8, 5, 1),
        buffer.sample(8),
    ):
        with pytest.raises(ValueError):
            buffer.sample_sequences(8, 4, 1, out=bad)
    with pytest.raises(KeyError, match="next_observation"):
        buffer.sample_sequences(8, 4, 1, out={"next_observation": out["valid"]})


def test_fields_stacks_and_dicts():
    fields = {"a": (2,), "b": ((3,), "uint8")}
    buffer = mneme.ReplayBuffer(
        fields, (), capacity=20, stack=2, fields={"log_prob": ((), "float32")}
    )
    for t in range(12):
        now, after = ({"a": np.float32([k, k]), "b": np.full(3, k, np.uint8)} for k in (t, t + 1))
        buffer.add(now, float(t), float(t), after, log_prob=np.float32(t / 2))
    batch = buffer.sample_sequences(16, 3)
    assert batch.observation["a"].shape == (16, 3, 2, 2)
    assert batch.observation["b"].dtype == np.uint8
    assert batch.last_observation["a"].shape == (16, 2, 2)
    np.testing.assert_array_equal(batch.log_prob[batch.valid] * 2, batch.reward[batch.valid])
    np.testing.assert_array_equal(batch.observation["a"][:, :, 1, 0] * batch.valid, batch.reward)
    with pytest.raises(AttributeError, match="next_observation"):
        _ = batch.next_observation
    assert "last_observation" in batch and "next_observation" not in batch
    copies = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(copies.reward, batch.reward)
    assert "last_observation" in repr(batch)


def test_the_same_as_always(buffer):
    twin = mneme.ReplayBuffer((3,), (1,), capacity=50, streams=2, seed=3)
    fill(twin, 60)
    a, b = buffer.sample_sequences(16, 4, 2), twin.sample_sequences(16, 4, 2)
    for name in a.keys():
        np.testing.assert_array_equal(a[name], b[name])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0, 4), "batch_size must be at least 1"),
        ((8, 0), "at least 1"),
        ((8, 4, -1), "at least 1"),
        ((8, 51), "raise the capacity"),
        ((8, 40, 20), "raise the capacity"),
        ((8, 2**62, 2**62), "raise the capacity"),
    ],
)
def test_what_cannot_be(buffer, arguments, text):
    with pytest.raises(ValueError, match=text):
        buffer.sample_sequences(*arguments)


def test_an_empty_buffer_and_a_closed_one():
    buffer = mneme.ReplayBuffer((3,), (1,), capacity=50)
    with pytest.raises(ValueError, match="add more"):
        buffer.sample_sequences(4, 2)
    buffer.close()
    with pytest.raises(ValueError, match="closed"):
        buffer.sample_sequences(4, 2)
