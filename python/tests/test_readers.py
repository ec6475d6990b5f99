"""tests/test_readers.py - several ways of drawing from one buffer, and batches drawn ahead."""

import copy
import os
import pickle
import time

import numpy as np
import pytest
from rows import fill

import mneme


def same(a, b):
    for name in a.keys():
        np.testing.assert_array_equal(a[name], b[name])


def threads():
    return len(os.listdir("/proc/self/task"))


def settled(count):
    """Whether the process comes down to so many threads."""
    deadline = time.monotonic() + 5
    while threads() > count and time.monotonic() < deadline:
        time.sleep(0.01)
    return threads() == count


def test_a_reader_of_its_own(buffer):
    actor = buffer.add_reader("actor", sampler=mneme.samplers.Uniform(), n_step=3, stack=2, seed=1)
    assert isinstance(actor, mneme.Reader) and isinstance(buffer, mneme.Reader)
    assert (actor.name, actor.sampler, actor.n_step, buffer.name) == ("actor", "uniform", 3, "")
    twin = mneme.ReplayBuffer((3,), (1,), capacity=50, streams=2, seed=3)
    fill(twin, 60)
    batch = actor.sample(32)
    assert batch.observation.shape == (32, 2, 3) and batch.horizon.max() == 3
    # Drawing from one does not move the other.
    same(buffer.sample(32), twin.sample(32))
    assert buffer.diagnostics().draws == 32 and actor.diagnostics().draws == 32
    actor.reset_diagnostics()
    assert actor.diagnostics().draws == 0
    assert actor.sample_sequences(4, 5, 1).valid.shape == (4, 6)
    # Another handle of the same reader continues where this one is.
    other = buffer.reader("actor")
    assert not np.array_equal(actor.sample(32).id, other.sample(32).id)
    with pytest.raises(ValueError, match="another buffer"):
        buffer.sample(32, out=batch)


def test_priorities_are_the_readers_own():
    buffer = mneme.ReplayBuffer((3,), (1,), capacity=64, seed=2)
    fill(buffer, 64)
    critic = buffer.add_reader("critic", "per")
    ids = np.arange(64, dtype=np.uint64)
    assert critic.update_priorities(ids, np.where(ids == 7, 1e6, 1e-6)).applied == 64
    critic.set_progress(1.0)
    assert (critic.sample(100).id == 7).mean() > 0.9
    assert (buffer.sample(100).id == 7).mean() < 0.2
    assert buffer.update_priorities(ids, np.ones(64)).ignored == 64
    with pytest.raises(ValueError, match="td_errors"):
        critic.update_priorities(ids, np.full(64, np.nan))
    with pytest.raises(ValueError, match="progress"):
        critic.set_progress(2)


def test_bad_readers(buffer):
    buffer.add_reader("actor")
    for name, options, error, text in [
        ("actor", {}, ValueError, "actor"),
        ("", {}, ValueError, "name"),
        ("a", {"sampler": "unifrom"}, KeyError, "did you mean 'uniform'"),
        ("a", {"n_step": 51}, ValueError, "capacity"),
        ("a", {"discount": 1.5}, ValueError, "discount"),
        ("a", {"horizon": "half"}, ValueError, "full, clip"),
        ("a", {"stream_policy": "some"}, KeyError, "some"),
    ]:
        with pytest.raises(error, match=text):
            buffer.add_reader(name, **options)
    with pytest.raises(KeyError, match="actor"):
        buffer.reader("a")
    for refuse in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="part of its buffer"):
            refuse(buffer.reader("actor"))


def test_readers_are_saved_and_end_with_the_buffer(tmp_path):
    buffer = mneme.ReplayBuffer((3,), (1,), capacity=50, path=tmp_path / "rows")
    fill(buffer, 60)
    actor = buffer.add_reader("actor", "per", seed=5)
    batch = actor.sample(16)
    actor.update_priorities(batch.id, np.linspace(0, 3, 16))
    buffer.save(tmp_path / "copy")
    expected = actor.sample(16)
    same(mneme.load(tmp_path / "copy").reader("actor").sample(16), expected)
    buffer.close()
    for call in (lambda: actor.sample(4), lambda: actor.sample_sequences(4, 2), actor.diagnostics):
        with pytest.raises(ValueError, match="closed"):
            call()
    assert expected.reward.shape == (16,)
    # The rows are gone with the buffer, also where a reader is held: the directory is free again.
    with mneme.open(tmp_path / "rows") as again:
        assert again.reader("actor").sample(16).id.shape == (16,)


@pytest.mark.parametrize("sampler", ["uniform", "ere:cycle=7", "per"])
@pytest.mark.parametrize("ahead", [1, 2, 7])
def test_batches_are_those_of_sample(sampler, ahead):
    made = [
        mneme.ReplayBuffer(((3,), "float16"), (1,), capacity=50, sampler=sampler, seed=3)
        for _ in range(2)
    ]
    for each in made:
        fill(each, 60)
    before, kept = threads(), []
    for seen, batch in enumerate(made[0].batches(32, ahead)):
        same(batch, made[1].sample(32))
        kept.append((batch, batch.id.copy()))
        if seen == 20:
            break
    # Batches that were kept are still what they were.
    assert all((batch.id == ids).all() for batch, ids in kept)
    assert settled(before)
    # What was drawn ahead and not taken was taken back.
    same(made[0].sample(32), made[1].sample(32))


def test_a_commit_takes_back_what_was_drawn_ahead(tmp_path):
    buffer = mneme.ReplayBuffer(
        (3,), (1,), capacity=500, sampler="per", path=tmp_path / "rows", seed=3
    )
    fill(buffer, 60)
    batches = buffer.batches(32, ahead=5)
    for k in range(4):
        batch = next(batches)
        buffer.update_priorities(batch.id, np.linspace(0, k, 32))
        fill(buffer, 10)
        time.sleep(0.02)  # the thread is ahead now, with batches of older rows
        buffer.save(tmp_path / f"copy{k}")
        buffer.commit()
        twin = mneme.load(tmp_path / f"copy{k}")
        assert twin.diagnostics().draws == 32 * (2 * k + 1)
        same(next(batches), twin.sample(32))
    buffer.close()
    with pytest.raises(ValueError, match="closed"):
        next(batches)


def test_batches_of_a_reader_with_writers(buffer):
    actor = buffer.add_reader("actor", "per")
    for seen, batch in enumerate(actor.batches(16)):
        assert (batch.observation[:, 2] == batch.reward).all()
        actor.update_priorities(batch.id, np.ones(16))
        fill(buffer, 2)
        if seen == 50:
            break


def test_batches_that_cannot_be(buffer):
    before = threads()
    for arguments, text in [((32, 0), "ahead is 0"), ((32, 5000), "1 to 4096"), ((0,), "at least")]:
        with pytest.raises(ValueError, match=text):
            buffer.batches(*arguments)
    empty = mneme.ReplayBuffer((3,), (1,), capacity=50, streams=2)
    batches = empty.batches(8)
    for _ in range(3):  # says what it lacks, and works once it is there
        with pytest.raises(ValueError, match="add more"):
            next(batches)
    fill(empty, 10)
    assert len(next(batches)) == 8
    empty.close()
    assert settled(before)  # the thread ends with the buffer, too
    with pytest.raises(ValueError, match="closed"):
        next(batches)
    with pytest.raises(ValueError, match="closed"):
        empty.batches(8)


def test_batches_in_a_forked_process(buffer):
    batches = buffer.batches(8)
    next(batches)
    child = os.fork()
    if child == 0:
        try:
            next(batches)
        except RuntimeError as error:
            del batches  # must not wait for a thread that is not here
            os._exit(0 if "fork" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert len(next(batches)) == 8
