"""tests/worker/trainer.py - the trainer's side of docs/suites/workers.md, in Python.

    with Trainer("metaworld", [group("reach", seeds=[1, 2])], python=INTERPRETER) as trainer:
        trainer.attach()
        trainer.reset()
        rows = trainer.step(actions)

For tests and comparisons: the same system calls as the C++ side, with timeouts. Needs eventfd, which
is in Python 3.10.
"""

import fcntl
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import namedtuple

import loading
import numpy as np
from mneme_worker import block, messages

Rows = namedtuple("Rows", "final_observation observation reward flags")


class WorkerError(Exception):
    """An `error` of the worker: row, kind, message, traceback."""

    def __init__(self, row, kind, message, traceback):
        super().__init__(f"row {row}: {kind}: {message}")
        self.row, self.kind, self.message, self.traceback = int(row), kind, message, traceback


class WorkerGone(Exception):
    """The worker ended, or did not answer in time; `words` is the end of what it printed."""

    def __init__(self, what, words):
        super().__init__(f"{what}: {words[-500:]}")
        self.words = words


def group(task, seeds=(1,), repeat=1, limit=0, keys="sorted", **options):
    return {
        "task": task,
        "count": len(seeds),
        "seeds": list(seeds),
        "repeat": repeat,
        "limit": limit,
        "keys": keys,
        "options": {name: str(value) for name, value in options.items()},
    }


def _end_with(pipe):
    """Between fork and exec: a process group of its own, killed by the kernel when the pipe's other
    end closes."""

    def arrange():
        os.setpgid(0, 0)
        fcntl.fcntl(pipe, fcntl.F_SETOWN, -os.getpid())
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
        # The trainer may have ended before this was arranged.
        waiting = select.poll()
        waiting.register(pipe, 0)
        if waiting.poll(0):
            os._exit(1)

    return arrange


class Trainer:
    """Starts a worker and makes its environments. Throws WorkerError."""

    def __init__(
        self, suite, groups, dtype="f64", fault="stop", python=None, timeout=120, **environment
    ):
        self.timeout, self.dtype, self.rows = timeout, dtype, sum(g["count"] for g in groups)
        self._sequence = 0
        self._descriptors = []
        self.start(python or sys.executable, environment)
        try:
            self.send({"verb": "make", "version": 1, "suite": suite, "dtype": dtype,
                       "fault": fault, "groups": groups})  # fmt: skip
            self.made = self.answer("made")
        except BaseException:
            self.kill()
            raise

    def start(self, python, environment):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pipe, self._alive = os.pipe()
        os.set_inheritable(self._alive, False)
        self.output = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [str(python), str(loading.FOLDER), "serve", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
            pass_fds=[theirs.fileno(), pipe],
            preexec_fn=_end_with(pipe),
            env={**os.environ, **environment},
        )
        theirs.close()
        os.close(pipe)
        self.control = ours
        ours.settimeout(self.timeout)

    def words(self):
        self.output.seek(0)
        return self.output.read().decode("utf-8", "replace")

    def send(self, request, descriptors=()):
        data = request if isinstance(request, bytes) else json.dumps(request).encode()
        if descriptors:
            socket.send_fds(self.control, [data], list(descriptors))
        else:
            self.control.send(data)

    def answer(self, expected):
        try:
            data = self.control.recv(messages.MOST_BYTES + 1)
        except OSError as error:
            raise WorkerGone(f"no answer ({error})", self.words()) from None
        if not data:
            raise WorkerGone(f"ended with {self.process.wait(self.timeout)}", self.words())
        name, values = messages.decode_answer(data)
        if name == "error":
            raise WorkerError(**values)
        if name != expected:
            raise AssertionError(f"answered {name}, not {expected}")
        return values

    def attach(self, observation=None, action=None):
        groups = range(sum(key.endswith(".observation") for key in self.made))
        observation = observation or max(int(self.made[f"{k}.observation"]) for k in groups)
        action = action or max(int(self.made[f"{k}.action"]) for k in groups)
        offsets, end = block.layout(self.rows, observation, action, self.dtype)
        memory = os.memfd_create("rows", os.MFD_CLOEXEC)
        os.ftruncate(memory, end)
        self.block = block.Block(mmap.mmap(memory, end), self.rows, observation, action, self.dtype)
        self.block.posted[0] = block.MAGIC
        self.go, self.done = (os.eventfd(0, os.EFD_CLOEXEC) for _ in range(2))
        self._descriptors = [memory, self.go, self.done]
        self.send(
            {"verb": "attach", "rows": self.rows, "observation": observation, "action": action,
             "bytes": end, "offsets": offsets},
            self._descriptors,
        )  # fmt: skip
        self.answer("attached")

    def command(self, number, nonce=0):
        self._sequence += 1
        self.block.flags[:] = 0
        posted = self.block.posted
        posted[1], posted[2], posted[3] = number, self._sequence, nonce
        os.eventfd_write(self.go, 1)
        waiting = select.poll()
        waiting.register(self.done, select.POLLIN)
        waiting.register(self.control.fileno(), select.POLLHUP)
        end = time.monotonic() + self.timeout
        while True:
            ready = waiting.poll(max(0, end - time.monotonic()) * 1000)
            if any(descriptor == self.done for descriptor, _ in ready):
                break
            if ready:
                raise WorkerGone(f"ended with {self.process.wait(self.timeout)}", self.words())
            if time.monotonic() >= end:
                raise WorkerGone("does not answer", self.words())
        os.eventfd_read(self.done)
        assert self.block.done[0] == self._sequence
        if self.block.done[1]:
            self.answer("no answer but error")

    def reset(self, nonce=0):
        self.command(block.RESET, nonce)
        return self.block.final_observation.copy()

    def step(self, actions):
        self.block.action[:, : np.shape(actions)[1]] = actions
        self.command(block.STEP)
        rows = self.block
        return Rows(*(np.array(getattr(rows, name)) for name in Rows._fields))

    def close(self):
        """The exit code."""
        self.command(block.CLOSE)
        return self.process.wait(self.timeout)

    def kill(self):
        """As when the trainer ends: nothing is said, the pipe closes. Waits until the worker is
        gone."""
        if self._alive is not None:
            os.close(self._alive)
            self._alive = None
        self.process.wait(self.timeout)
        self.control.close()
        self.output.close()
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def streams(trainer, actions, steps, nonce=0):
    """Transitions of every row: lists of (before, action, reward, after, terminated, truncated,
    success). `actions` is called with row and the number of transitions it has made."""
    now = trainer.reset(nonce)
    width = trainer.block.action.shape[1]
    found = [[] for _ in range(trainer.rows)]
    for _ in range(steps):
        action = np.array([actions(row, len(found[row]), width) for row in range(trainer.rows)])
        rows = trainer.step(action)
        for row in range(trainer.rows):
            flags = int(rows.flags[row])
            after = rows.final_observation[row].copy()
            if flags & block.NO_STEP:
                now[row] = after
                continue
            found[row].append(
                (now[row].copy(), action[row].copy(), float(rows.reward[row]), after,
                 bool(flags & 1), bool(flags & 2), bool(flags & 4))
            )  # fmt: skip
            now[row] = rows.observation[row] if flags & block.BEGUN else after
    return found
