"""tests/test_meta.py - user metadata beside the rows: both of a commit, or neither."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import mneme


def made(path, **options):
    return mneme.ReplayBuffer((1,), (1,), 1000, path=path, **options)


def add(buffer, rows):
    for _ in range(rows):
        t = buffer.added
        buffer.add([t], [0], 1.0, [t + 1])


def test_meta_comes_back_with_its_rows(tmp_path):
    buffer = made(tmp_path / "b")
    assert buffer.meta is None
    for step in (10, 20):
        add(buffer, 10)
        buffer.commit(meta={"step": step})
    add(buffer, 5)
    assert buffer.meta == {"step": 20}
    buffer._abandon()
    again = mneme.open(tmp_path / "b")
    assert again.meta == {"step": 20} and again.added == 20
    again.commit()  # without metadata: those that are there stay
    assert again.meta == {"step": 20}
    again._abandon()
    assert mneme.load(tmp_path / "b").meta == {"step": 20}
    again = mneme.open(tmp_path / "b")
    again.commit(meta={"step": 21})  # no row is new
    again._abandon()
    assert made(tmp_path / "b").meta == {"step": 21}


@pytest.mark.parametrize("first", [True, False])
def test_a_crash_before_the_rows_are_written_keeps_the_old(tmp_path, monkeypatch, first):
    buffer = made(tmp_path / "b")
    add(buffer, 10)
    if not first:
        buffer.commit(meta="old")
    add(buffer, 10)

    def crash(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mneme._core.ReplayBuffer, "commit", crash)
        with pytest.raises(KeyboardInterrupt):
            buffer.commit(meta="new")
    buffer._abandon()
    again = mneme.open(tmp_path / "b")
    assert again.meta == (None if first else "old") and again.added == (0 if first else 10)
    again._abandon()


def test_kill_keeps_meta_and_rows_together(tmp_path):
    code = f"""
import mneme
buffer = mneme.ReplayBuffer((1,), (1,), 1000, path={str(tmp_path / "b")!r})
print("made", flush=True)
while True:
    buffer.add([buffer.added], [0], 1.0, [buffer.added + 1])
    if buffer.added % 7 == 0:
        buffer.commit(meta={{"rows": buffer.added}})
"""
    for delay in (0.05, 0.11, 0.2):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        process.stdout.readline()
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        buffer = mneme.open(tmp_path / "b")
        assert buffer.meta is None or buffer.meta["rows"] == buffer.added
        buffer._abandon()


def test_copies_have_meta_too(tmp_path):
    buffer = mneme.ReplayBuffer((1,), (1,), 100)
    add(buffer, 3)
    buffer.save(tmp_path / "copy", meta=[1, 2])
    assert mneme.load(tmp_path / "copy").meta == [1, 2]
    buffer.save(tmp_path / "copy")
    assert mneme.load(tmp_path / "copy").meta is None


def test_what_json_cannot_write_is_refused(tmp_path):
    buffer = made(tmp_path / "b")
    with pytest.raises(ValueError, match="meta must be what JSON can write"):
        buffer.commit(meta={"array": np.zeros(3)})
    assert buffer.meta is None
    with pytest.raises(ValueError):
        mneme.ReplayBuffer((1,), (1,)).commit(meta=1)
