"""tests/test_bad_input.py - whatever is handed in: words, and a buffer as it was."""

import os
import warnings

import numpy as np
import pytest

import mneme

ROW, ACTION = np.zeros(3, np.float32), np.zeros(1, np.float32)
ROWS, ACTIONS = np.zeros((2, 3), np.float32), np.zeros((2, 1), np.float32)


class Tensor:
    """What matters of a tensor on a device, where no device is."""

    device = type("device", (), {"type": "cuda", "__str__": lambda self: "cuda:0"})()
    requires_grad = False

    def __array__(self, *_):
        raise AssertionError("nothing may be fetched from a device")


class Grad:
    device = type("device", (), {"type": "cpu"})()
    requires_grad = True

    def __array__(self, *_):
        raise AssertionError


def state(buffer):
    return len(buffer), buffer.cuts


STEPS = {
    "shape": ((np.zeros(4, np.float32), ACTION, 0.0, ROW), "observation has shape \\(4,\\); this buffer takes \\(3,\\)"),
    "streams": ((np.zeros((3, 3), np.float32), ACTIONS, [0.0] * 3, ROWS), "\\(2, 3\\) for one step of all streams"),
    "which stream": ((ROW, ACTION, 0.0, ROW), "say which with stream="),
    "no such stream": ((ROW, ACTION, 0.0, ROW, False, False, 2), "stream 2 is outside"),
    "stream of all": ((ROWS, ACTIONS, [0.0, 0.0], ROWS, False, False, 1), "has no `stream`"),
    "a word for a stream": ((ROW, ACTION, 0.0, ROW, False, False, "a"), "stream is a whole number"),
    "next shape": ((ROWS, ACTIONS, [0.0, 0.0], ROW), "next_observation has shape \\(3,\\); one step of all streams has \\(2, 3\\)"),
    "action shape": ((ROWS, ACTIONS.T, [0.0, 0.0], ROWS), "action has shape \\(1, 2\\)"),
    "dtype": ((ROWS.astype(np.int64), ACTIONS, [0.0, 0.0], ROWS), "handed in as i64 but stored as f32"),
    "odd dtype": ((ROWS.astype(np.uint16), ACTIONS, [0.0, 0.0], ROWS), "has dtype uint16"),
    "complex": ((ROWS.astype(complex), ACTIONS, [0.0, 0.0], ROWS), "has dtype complex"),
    "text": (([["a"] * 3] * 2, ACTIONS, [0.0, 0.0], ROWS), "has dtype"),
    "ragged": (([[0.0], [0.0, 1.0]], ACTIONS, [0.0, 0.0], ROWS), "not a regular array"),
    "none": ((None, ACTIONS, [0.0, 0.0], ROWS), "observation is a NoneType"),
    "device": ((Tensor(), ACTIONS, [0.0, 0.0], ROWS), "on device 'cuda:0'; pass observation.cpu"),
    "grad": ((Grad(), ACTIONS, [0.0, 0.0], ROWS), "detach"),
    "rewards": ((ROWS, ACTIONS, [0.0] * 3, ROWS), "reward has shape \\(3,\\)"),
    "one reward": ((ROWS, ACTIONS, 0.0, ROWS), "reward has shape \\(\\)"),
    "nan reward": ((ROWS, ACTIONS, [0.0, np.nan], ROWS), "reward of stream 1 is nan"),
    "huge reward": ((ROWS, ACTIONS, [1e300, 0.0], ROWS), "reward of stream 0 is inf"),
    "flags": ((ROWS, ACTIONS, [0.0, 0.0], ROWS, [True] * 3), "terminated has shape \\(3,\\)"),
    "float flags": ((ROWS, ACTIONS, [0.0, 0.0], ROWS, np.ones(2, np.float32)), "pass booleans"),
    "a field too many": ((ROWS, ACTIONS, [0.0, 0.0], ROWS), "unknown field 'extra'"),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_steps(buffer, name):
    arguments, words = STEPS[name]
    before = state(buffer)
    with pytest.raises(ValueError, match=words):
        buffer.add(*arguments, **({"extra": 1} if name == "a field too many" else {}))
    assert state(buffer) == before


def test_missing_arguments(buffer):
    with pytest.raises(TypeError):
        buffer.add(ROWS, ACTIONS)


def test_what_loses_nothing_is_taken():
    buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=10)
    wide = np.arange(6, dtype=np.float32)
    read_only = wide[:3].copy()
    read_only.flags.writeable = False
    for row in (
        wide[::2],
        [0, 2, 4],
        (0.0, 2.0, 4.0),
        np.float16([0, 2, 4]),
        wide[::2].astype(">f4"),
    ):
        buffer.add(row, [0], 1, row)
        assert (buffer.sample(4, None).observation[0] == [0, 2, 4]).all()
    buffer.add(read_only, [0], np.float64(1), read_only, np.bool_(True), 0)
    assert len(buffer) == 6


def test_float64_is_converted_and_said_once():
    buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=10)
    row = np.full(3, 1 / 3)
    with pytest.warns(UserWarning, match="observation is float64 and stored as float32") as seen:
        for _ in range(3):
            buffer.add(row, ACTION, 0.0, row)
    assert len(seen) == 1
    assert (buffer.sample(2).observation == np.float32(1 / 3)).all()
    # Where warnings are errors nothing is stored.
    strict = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=10)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            strict.add(row, ACTION, 0.0, row)
    assert len(strict) == 0


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"capacity": 0}, ValueError, "capacity"),
        ({"capacity": 10**15}, ValueError, "capacity is 1000000000000000; allowed"),
        ({"streams": 0}, ValueError, "stream"),
        ({"n_step": 0}, ValueError, "n_step must be at least 1, got 0"),
        ({"n_step": 11}, ValueError, "raise the capacity"),
        ({"discount": 1.5}, ValueError, r"discount must be in \[0, 1\], got 1.5"),
        ({"sampler": "pr"}, KeyError, "unknown sampler 'pr'; did you mean"),
        ({"sampler": 3}, ValueError, "a sampler is a spec string"),
        ({"stream_policy": "fair"}, KeyError, "fair"),
        ({"horizon": "half"}, ValueError, "horizon is 'half'; allowed: full, clip"),
        ({"observation": ((3,), "float128")}, ValueError, "unknown storage type 'float128'"),
        ({"observation": "three"}, ValueError, "pass a shape such as"),
        ({"fields": {"reward": ()}}, ValueError, "reward"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0 up, got -1"),
        ({"streams": 1.5}, ValueError, "streams must be a whole number from 0 up, got 1.5"),
    ],
)  # fmt: skip
def test_configurations(change, error, words):
    with pytest.raises(error, match=words):
        mneme.ReplayBuffer(**{"observation": (3,), "action": (1,), "capacity": 10, **change})


def test_sampling(buffer):
    empty = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=10)
    with pytest.raises(ValueError, match="add more before sampling"):
        empty.sample(4)
    for rows in (0, -1):
        with pytest.raises(ValueError, match="batch_size must be at least 1"):
            buffer.sample(rows)
    with pytest.raises(TypeError):
        buffer.sample(2.5)


def test_out(buffer):
    good = np.zeros((8, 3), np.float32)
    read_only = good.copy()
    read_only.flags.writeable = False
    before = buffer.sample(8).id.tolist()
    for name, array, words in [
        ("observation", np.zeros((8, 4), np.float32), "must have shape \\(8, 3\\)"),
        ("observation", good.astype(np.int16), "int16"),
        ("reward", np.zeros(8), "is float64 and does not fit; .* and be float32"),
        ("id", np.zeros(8, np.int64), "be uint64"),
        ("observation", np.zeros((8, 6), np.float32)[:, ::2], "cannot be written in place"),
        ("observation", good[:7], "must have shape"),
        ("observation", read_only, "cannot be written in place"),
        ("observation", good.tolist(), "cannot be written in place"),
        ("observation", None, "cannot be written in place"),
    ]:
        with pytest.raises(ValueError, match=words):
            buffer.sample(8, out={name: array})
    with pytest.raises(KeyError, match="unknown column of the batch 'obs'"):
        buffer.sample(8, out={"obs": good})
    with pytest.raises(ValueError, match="a batch of 8 rows"):
        buffer.sample(9, out=buffer.sample(8))
    with pytest.raises(ValueError, match="out is a batch of this buffer, or a dict"):
        buffer.sample(8, out=good)
    assert not good.any() and before


def test_priorities(buffer):
    per = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=10, sampler="per", seed=1)
    for k in range(5):
        per.add(np.float32([0, 0, k]), ACTION, 0.0, np.float32([0, 0, k + 1]))
    ids = per.sample(4).id
    for errors, words in [
        (np.float32([1, np.nan, 1, 1]), "td_errors\\[1\\] is nan"),
        (np.float32([1, 1, -np.inf, 1]), "td_errors\\[2\\] is -inf"),
        (np.ones(3, np.float32), "4 ids but 3 TD errors"),
        (np.ones((2, 2), np.float32), "td_errors has shape \\(2, 2\\)"),
        ("high", "td_errors is a str"),
    ]:
        with pytest.raises(ValueError, match=words):
            per.update_priorities(ids, errors)
    for wrong in (ids + 100, ids + (1 << 44), ids | (1 << 63)):
        with pytest.raises(ValueError, match="names no row of this buffer"):
            per.update_priorities(wrong, np.ones(4, np.float32))
    with pytest.raises(ValueError, match=r"pass batch\.id"):
        per.update_priorities("ids", np.ones(4))
    for wrong in (ids.astype(float), [[1, 2], [3, 4]], [-1, 0, 0, 0], None):
        with pytest.raises(ValueError, match=r"pass batch\.id"):
            per.update_priorities(wrong, np.ones(4))
    for good in (ids, ids.astype(np.int64), ids.tolist(), ids.astype(np.int32)[::1]):
        assert per.update_priorities(good, np.ones(4)).applied == 4
    assert buffer.update_priorities(buffer.sample(4).id, np.ones(4)).ignored == 4
    for progress in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="progress"):
            per.set_progress(progress)
    for stream in (-1, 1):
        with pytest.raises(ValueError, match="outside"):
            per.cut(stream)


def test_after_close(buffer):
    batch = buffer.sample(4)
    buffer.close()
    buffer.close()
    for use in (
        lambda: buffer.add(ROWS, ACTIONS, [0.0, 0.0], ROWS),
        lambda: buffer.sample(4),
        lambda: buffer.update_priorities(batch.id, np.ones(4)),
        lambda: buffer.cut(0),
        lambda: len(buffer),
    ):
        with pytest.raises(ValueError, match="closed"):
            use()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_fork(buffer):
    child = os.fork()
    if child == 0:
        try:
            buffer.sample(4)
        except RuntimeError as error:
            os._exit(0 if "made before a fork" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(buffer.sample(4)) == 4
