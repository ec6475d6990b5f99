"""tests/worker/test_serve.py - a worker process, driven as the trainer in C++ drives it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from loading import FOLDER

if not hasattr(os, "eventfd"):
    pytest.skip("needs os.eventfd: Python 3.10 on Linux", allow_module_level=True)

from mneme_worker import block
from mneme_worker.suites import synthetic
from trainer import Trainer, WorkerError, WorkerGone, group, streams

HERE = Path(__file__).parent


def action_of(row, time, width):
    return [round(np.sin(row + time * 0.7 + column), 3) for column in range(width)]


def expected(seed, count, lengths=(3, 5, 2), width=8):
    """What an environment of the synthetic suite does, computed apart."""
    found, episode, step, total = [], 0, 0, 0
    for time_ in range(count):
        before = np.zeros(width)
        before[:4] = seed % 1024, episode, step, total
        action = np.array(action_of(0, time_, 2), np.float32)
        step += 1
        total = synthetic.checksum(total, seed % 1024, episode, step, action)
        after = before.copy()
        after[2:4] = step, total
        over = step >= lengths[episode % len(lengths)]
        reward = step + total / synthetic.MODULUS
        found.append((before, reward, after, over and episode % 2 == 0, over and episode % 2 == 1))
        if over:
            episode, step = episode + 1, 0
    return found


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_transitions_are_what_the_environment_did(dtype):
    with Trainer("synthetic", [group("loop", seeds=[5])], dtype=dtype) as trainer:
        assert trainer.made["0.observation"] == "8" and trainer.made["0.action"] == "2"
        assert trainer.made["0.keys"] == "observation:8" and trainer.made["0.final"] == "1"
        trainer.attach()
        found = streams(trainer, action_of, 40)[0]
        for row, want in zip(found, expected(5, 40), strict=True):
            before, _, reward, after, terminated, truncated, _ = row
            np.testing.assert_array_equal(before, want[0])
            np.testing.assert_array_equal(after, want[2])
            assert (reward, terminated, truncated) == (want[1], want[3], want[4])
        assert trainer.close() == 0


def test_groups_of_different_width_share_the_block():
    groups = [group("loop", seeds=[1, 2], width=6), group("loop", seeds=[3], width=9, actions=4)]
    with Trainer("synthetic", groups) as trainer:
        trainer.attach(observation=11, action=5)
        trainer.block.final_observation[:] = 0
        for row in streams(trainer, action_of, 12):
            assert len(row) == 12
        assert not trainer.block.final_observation[:2, 6:].any()
        assert not trainer.block.final_observation[:, 9:].any()
        assert list(trainer.reset()[:, 0]) == [1, 2, 3]


def test_seeds_and_nonce():
    def first(trainer, nonce):
        return trainer.reset(nonce)[:, :2].tolist()

    with Trainer("synthetic", [group("loop", seeds=[7, 8])]) as trainer:
        trainer.attach()
        assert first(trainer, 0) == [[7, 0], [8, 0]]
        assert first(trainer, 0) == [[7, 1], [8, 1]]  # a later reset passes no seed
    with Trainer("synthetic", [group("same_step", seeds=[7, 2**31 - 1])]) as trainer:
        trainer.attach()
        want = [(seed + 3 * 1000003) % 2**31 % 1024 for seed in (7, 2**31 - 1)]
        assert first(trainer, 3) == [[want[0], 0], [want[1], 0]]
        assert first(trainer, 3) == [[want[0], 1], [want[1], 1]]


@pytest.mark.parametrize("task", ["loop", "same_step"])
def test_step_that_throws_names_row_and_traceback(task):
    with Trainer("synthetic", [group(task, seeds=[1, 2], row=1, throw=3)]) as trainer:
        trainer.attach()
        trainer.reset()
        trainer.step(np.zeros((2, 2)))
        trainer.step(np.zeros((2, 2)))
        with pytest.raises(WorkerError, match="scripted to throw at step 3") as caught:
            trainer.step(np.zeros((2, 2)))
        assert caught.value.row == (1 if task == "loop" else -1)
        assert caught.value.kind == "ArithmeticError"
        assert "_fail" in caught.value.traceback
        with pytest.raises(WorkerError, match="only close is understood"):
            trainer.step(np.zeros((2, 2)))
        assert trainer.close() == 0


def test_an_environment_that_throws_is_dropped():
    groups = [group("loop", seeds=[1, 2, 3], row=1, throw=3)]
    with (
        Trainer("synthetic", groups, fault="drop") as trainer,
        Trainer("synthetic", [group("loop", seeds=[1, 2, 3])]) as healthy,
    ):
        trainer.attach()
        healthy.attach()
        trainer.reset()
        healthy.reset()
        for step in range(1, 12):
            actions = np.full((3, 2), 0.1 * step)
            rows, want = trainer.step(actions), healthy.step(actions)
            out = step >= 3
            assert bool(rows.flags[1] & block.DROPPED) == out
            assert rows.reward[1] == (0 if out else want.reward[1])
            for name in rows._fields:
                np.testing.assert_array_equal(
                    getattr(rows, name)[[0, 2]], getattr(want, name)[[0, 2]]
                )
        trainer.reset()
        assert trainer.block.flags.tolist() == [0, block.DROPPED, 0]
        assert "environment 1 is dropped" in trainer.words()
        assert trainer.close() == 0


@pytest.mark.parametrize(("how", "words"), [("die", "ended with 7"), ("crash", "ended with -11")])
def test_dead_worker_reports_exit_and_output(how, words):
    with Trainer("synthetic", [group("loop", seeds=[1], **{how: 2, "print": 10})]) as trainer:
        trainer.attach()
        trainer.reset()
        trainer.step(np.zeros((1, 2)))
        with pytest.raises(WorkerGone, match=words) as caught:
            trainer.step(np.zeros((1, 2)))
        assert "xxxxxxxxxx" in caught.value.words  # its last words arrive
        assert how == "die" or "Segmentation fault" in caught.value.words


def test_hanging_worker_times_out():
    with Trainer("synthetic", [group("loop", seeds=[1], hang=2)]) as trainer:
        trainer.attach()
        trainer.reset()
        trainer.step(np.zeros((1, 2)))
        trainer.timeout = 0.5
        with pytest.raises(WorkerGone, match="does not answer"):
            trainer.step(np.zeros((1, 2)))
        trainer.timeout = 30


def test_nan_and_infinity_reach_the_trainer():
    with Trainer("synthetic", [group("loop", seeds=[1], nan=2)]) as trainer:
        trainer.attach()
        trainer.reset()
        trainer.step(np.zeros((1, 2)))
        assert np.isnan(trainer.step(np.zeros((1, 2))).final_observation[0, 3])


def test_wrong_requests_before_attach_are_rejected():
    with Trainer("synthetic", [group("loop")]) as trainer:
        trainer.send(b"not JSON")
        with pytest.raises(WorkerError, match="not JSON"):
            trainer.answer("")
        trainer.send({"verb": "make", "version": 1, "suite": "synthetic", "dtype": "f32",
                      "fault": "stop", "groups": [group("loop")]})  # fmt: skip
        with pytest.raises(WorkerError, match="a second make"):
            trainer.answer("")
        with pytest.raises(WorkerError, match="numbers of observation; 8 are needed"):
            trainer.attach(observation=5)
        trainer.attach()  # and it still works
        with pytest.raises(WorkerError, match="step came before reset"):
            trainer.step(np.zeros((1, 2)))
        assert trainer.close() == 0


@pytest.mark.parametrize(
    ("suite", "task", "options", "message"),
    [
        ("nothing", "loop", {}, "there is no suite 'nothing'; known: dm_control"),
        ("synthetic", "lop", {}, "there is no task synthetic/lop; known: loop"),
        ("synthetic", "loop", {"hello": 1}, "unknown option hello; known: lengths"),
        ("synthetic", "loop", {"width": 1}, "width=1; allowed: numbers from 4"),
        ("metaworld", "reach", {}, "metaworld"),
    ],
)
def test_unknown_task_or_option_is_an_error(suite, task, options, message):
    with pytest.raises(WorkerError, match=message):
        Trainer(suite, [group(task, **options)])


def test_an_unknown_command():
    with Trainer("synthetic", [group("loop")]) as trainer:
        trainer.attach()
        with pytest.raises(WorkerError, match="command 9; known"):
            trainer.command(9)


def test_much_output_does_not_block():
    with Trainer("synthetic", [group("loop", print=200_000)]) as trainer:
        trainer.attach()
        trainer.reset()
        for _ in range(20):
            trainer.step(np.zeros((1, 2)))
        assert trainer.close() == 0


ORPHAN = """
import os, sys
sys.path.insert(0, sys.argv[1])
import loading, numpy as np
from trainer import Trainer, group
trainer = Trainer("synthetic", [group("loop", seeds=[1, 2])])
trainer.attach()
trainer.reset()
trainer.step(np.zeros((2, 2)))
print(trainer.process.pid, flush=True)
while True:
    trainer.step(np.zeros((2, 2)))
"""


def gone(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return True
    return state in "ZX"


@pytest.mark.parametrize("times", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_trainer_leaves_no_process(times):
    def shared():  # directories of other tests aside
        return {name for name in os.listdir("/dev/shm") if not name.startswith("mneme-test-")}

    before = shared()
    for _ in range(times):
        trainer = subprocess.Popen(
            [sys.executable, "-c", ORPHAN, str(HERE)], stdout=subprocess.PIPE, text=True
        )
        worker = int(trainer.stdout.readline())
        trainer.kill()
        trainer.wait()
        trainer.stdout.close()
        end = time.monotonic() + 10
        while not gone(worker):
            assert time.monotonic() < end, f"worker {worker} outlives its trainer"
            time.sleep(0.005)
    assert shared() <= before


def test_worker_files_do_not_shadow_packages(tmp_path):
    # It has files called envpool.py, gym.py and metaworld.py.
    (tmp_path / "envpool.py").write_text("raise ArithmeticError('the package')")
    done = subprocess.run(
        [sys.executable, str(FOLDER), "check", "envpool"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1 and "ArithmeticError: the package" in done.stdout, done


def test_worker_needs_only_numpy():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(FOLDER), "check", "synthetic"],
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1].startswith("ok numpy "), done
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "numpy" in loaded and not loaded & {"mneme", "gymnasium", "torch", "envpool"}
