"""tests/test_silent_traps.py - what used to train on the wrong thing without a word."""

import warnings

import numpy as np
import pytest

import mneme


def noisy(buffer, rows=300, noise=0.01):
    """What is shown after a step differs a little from what the next step begins with."""
    rng = np.random.default_rng(0)
    for t in range(rows):
        now = np.float32([t, 0])
        then = np.float32([t + 1, 0]) + rng.normal(0, noise, 2).astype(np.float32)
        buffer.add(now, [0.0], 1.0, then)


def test_positive_and_negative_zero_are_equal():
    for dtype in ("float32", "float64", "float16"):
        buffer = mneme.ReplayBuffer(((2,), dtype), (1,), 100, n_step=3, discount=1.0)
        for t in range(50):
            now, then = np.array([t, 0.0], dtype), np.array([t + 1, -0.0], dtype)
            buffer.add(now, [0.0], 1.0, then)
        assert buffer.cuts == 0 and (buffer.sample(64).horizon == 3).all()


def test_other_differences_are_still_cuts():
    buffer = mneme.ReplayBuffer((2,), (1,), 100)
    tiny = np.float32(1e-45)
    buffer.add(np.zeros(2, np.float32), [0.0], 1.0, np.zeros(2, np.float32))
    buffer.add(np.full(2, tiny), [0.0], 1.0, np.zeros(2, np.float32))
    assert buffer.cuts == 1


def test_frequent_cuts_warn_once():
    buffer = mneme.ReplayBuffer((2,), (1,), 1000, n_step=3)
    with pytest.warns(UserWarning, match="do not begin with the next_observation") as seen:
        noisy(buffer)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        noisy(mneme.ReplayBuffer((2,), (1,), 1000))  # one step: nothing is lost
        short = mneme.ReplayBuffer((2,), (1,), 1000, n_step=3)
        for t in range(400):  # resets without notice every fourth step are another case
            short.add(np.float32([t // 4, t % 4]), [0.0], 1.0, np.float32([t // 4, t % 4 + 1]))
        declared = mneme.ReplayBuffer((2,), (1,), 1000, n_step=3)
        for t in range(400):
            declared.add(np.float32([t, 0]), [0.0], 1.0, np.float32([t + 0.5, 0]))
            declared.cut()


def test_trusted_flags_keep_windows_whole(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        buffer = mneme.ReplayBuffer((2,), (1,), 1000, n_step=3, discount=1.0, trust_flags=True)
        noisy(buffer)
    batch = buffer.sample(64)
    assert buffer.cuts == 0 and (batch.horizon == 3).all() and (batch.reward == 3).all()
    assert np.allclose(batch.next_observation[:, 0], batch.observation[:, 0] + 3, atol=0.1)
    buffer.add(np.zeros(2, np.float32), [0.0], 1.0, np.zeros(2, np.float32), True)
    buffer.add(np.ones(2, np.float32), [0.0], 1.0, np.ones(2, np.float32))
    assert buffer[-1].observation.tolist() == [1, 1]  # an end that was declared is one
    # The buffer remembers it.
    buffer.save(tmp_path / "copy")
    for again in (mneme.load(tmp_path / "copy"), mneme.open(tmp_path / "copy")):
        assert again.trust_flags
        noisy(again, 20)
        assert again.cuts <= 1  # where the new rows begin
        again.close()


@pytest.mark.parametrize("sampler", ["per", "rank_per", "reaper", "recency_per"])
def test_priorities_without_feedback_warn_once(sampler):
    buffer = mneme.ReplayBuffer((1,), (1,), 100, sampler=sampler)
    for t in range(50):
        buffer.add([t], [0], 1.0, [t + 1])
    with pytest.warns(UserWarning, match="no TD errors came back") as seen:
        for _ in range(500):
            buffer.sample(4)
    assert len(seen) == 1


def test_priorities_with_feedback_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sampler in ("per", "uniform"):
            buffer = mneme.ReplayBuffer((1,), (1,), 100, sampler=sampler)
            for t in range(50):
                buffer.add([t], [0], 1.0, [t + 1])
            for k in range(500):
                batch = buffer.sample(4)
                if k == 100:
                    buffer.update_priorities(batch.id, np.ones(4, np.float32))


def test_nested_lists_mean_what_arrays_mean():
    scores = np.array([[0.0, 1.0], [0.0, 1.0], [6.0, 1.0], [6.0, 2.0]])
    for name in ("mean", "median", "iqm", "optimality_gap"):
        function = getattr(mneme.stats, name)
        assert function(scores.tolist()) == function(scores)
        assert function(tuple(map(tuple, scores))) == function(scores)
    made = mneme.stats.scores(scores.tolist())
    assert made.tasks == 2 and made.most_runs == 4
    # Lists of different lengths can only be tasks.
    ragged = mneme.stats.scores([[0.0, 1.0, 2.0], [1.0]])
    assert ragged.tasks == 2 and ragged.most_runs == 3 and ragged.fewest_runs == 1
