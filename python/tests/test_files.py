"""tests/test_files.py - buffers in directories: what was committed is there again."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from rows import fill

import mneme


def same(a, b):
    for name in a.keys():
        np.testing.assert_array_equal(a[name], b[name])


def test_commit_and_open(tmp_path):
    path = tmp_path / "rows"
    buffer = mneme.ReplayBuffer(
        observation=(3,), action=(1,), capacity=40, streams=2, sampler="per", path=path, seed=4
    )
    fill(buffer, 60)
    batch = buffer.sample(32)
    buffer.update_priorities(batch.id, np.linspace(0, 1, 32))
    assert buffer.path == str(path)
    with pytest.raises(OSError, match="open"):
        mneme.open(path)
    buffer.commit()
    following = buffer.sample(32)
    buffer.close()
    # close() committed after that sample; a copy tells what came next.
    again = mneme.open(path)
    assert len(again) == 80 and again.streams == 2 and again.sampler.startswith("per")
    assert set(again.sample(32).id.tolist()) and len(following) == 32
    again.close()


def test_what_came_next_comes_next(tmp_path):
    buffer = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=40, sampler="per", seed=4)
    fill(buffer, 60)
    buffer.sample(16)
    buffer.save(tmp_path / "copy")
    loaded = mneme.load(tmp_path / "copy")
    with mneme.open(tmp_path / "copy", read_only=True) as looked:
        expected = buffer.sample(64)
        same(expected, loaded.sample(64))
        same(expected, looked.sample(64))
        with pytest.raises(ValueError, match="reading"):
            looked.commit()
    assert loaded.path is None


def test_dict_observations_come_back(tmp_path):
    fields = {"a": (2,), "b": ((3,), "uint8")}
    row = {"a": np.float32([1, 2]), "b": np.uint8([3, 4, 5])}
    with mneme.ReplayBuffer(fields, (), capacity=8, path=tmp_path / "d") as buffer:
        buffer.add(row, 0.0, 1.0, row)
    again = mneme.open(tmp_path / "d")
    again.add(row, 0.0, 1.0, row)
    batch = again.sample(4)
    assert (batch.observation["b"] == [3, 4, 5]).all() and (batch.observation["a"] == [1, 2]).all()
    again.save(tmp_path / "e")
    assert mneme.load(tmp_path / "e").sample(1).next_observation["b"].dtype == np.uint8


def test_killed(tmp_path):
    """kill -9 between a commit and its successor: what was committed is there."""
    code = f"""
import numpy as np, mneme
buffer = mneme.ReplayBuffer(observation=(1,), action=(1,), capacity=1000, path={str(tmp_path / "k")!r})
for t in range(10**9):
    buffer.add(np.float32([t]), np.float32([0]), float(t), np.float32([t + 1]))
    if t % 100 == 99:
        buffer.commit()
        print(t + 1, flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    committed = [int(child.stdout.readline()) for _ in range(5)][-1]
    child.send_signal(signal.SIGKILL)
    committed = max([committed, *(int(line) for line in child.stdout.read().split())])
    child.wait()
    buffer = mneme.open(tmp_path / "k")
    assert len(buffer) >= min(committed, 1000)
    batch = buffer.sample(64)
    assert (batch.observation[:, 0] == batch.reward).all()


def test_refusals(tmp_path):
    with pytest.raises(OSError):
        mneme.open(tmp_path / "nothing")
    with pytest.raises(ValueError, match="memory"):
        mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=9).commit()
    path = tmp_path / "taken"
    mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=9, path=path).close()
    with pytest.raises(ValueError, match=r"taken holds another buffer: capacity is 9, not 8\."):
        mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=8, path=path)
    mneme.open(path).close()  # the refusal let go of it
    for name in os.listdir(path):
        file = path / name
        if file.is_file():
            file.write_bytes(b"x" * max(1, file.stat().st_size // 2))
    with pytest.raises((RuntimeError, OSError)):
        mneme.open(path)


@pytest.mark.parametrize("parts", [False, True])
def test_path_opens_what_fits(tmp_path, parts):
    observation = {"a": (2,), "b": ((1,), "uint8")} if parts else (3,)
    options = {
        "observation": observation,
        "action": (1,),
        "capacity": 50,
        "sampler": mneme.samplers.PER(alpha=0.5),
        "n_step": 3,
        "fields": {"logp": ()},
        "path": tmp_path / "here",
    }

    def row(t):
        if not parts:
            return np.full(3, t, np.float32)
        return {"a": np.full(2, t, np.float32), "b": np.uint8([t])}

    first = mneme.ReplayBuffer(**options, seed=1)
    for t in range(20):
        first.add(row(t), [0.0], 1.0, row(t + 1), logp=0.0)
    first.commit()
    expected = first.sample(16).id.tolist()
    first._abandon()  # as a crash would
    again = mneme.ReplayBuffer(**options, seed=99)  # the seed counts for new ones only
    assert len(again) == again.added == 20 and again.sample(16).id.tolist() == expected
    again.close()
    for other, words in [
        ({"n_step": 1}, "n_step is 3, not 1"),
        ({"sampler": "uniform"}, "sampler is 'per:alpha=0.5', not 'uniform'"),
        ({"fields": {}}, "fields is"),
        ({"observation": (4,)}, "observation is"),
        ({"trust_flags": True}, "trust_flags is False, not True"),
        ({"commit_every": 5}, "commit_every is 0, not 5"),
    ]:
        with pytest.raises(ValueError, match=words):
            mneme.ReplayBuffer(**{**options, **other})
    if parts:
        with pytest.raises(ValueError, match="parts of its observations"):
            mneme.ReplayBuffer(**{**options, "observation": {"a": (2,), "c": ((1,), "uint8")}})
    assert len(mneme.open(tmp_path / "here")) == 20
