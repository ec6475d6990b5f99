"""mneme/worker/serve.py - the worker's side of the protocol in docs/suites/workers.md."""

import faulthandler
import gc
import os
import random
import signal
import socket
import sys
import traceback

import numpy as np

from . import VERSION, suites
from .block import CLOSE, RESET, STEP, map_block
from .loop import Fault, Loop, Singles
from .messages import MOST_BYTES, Make, Refusal, decode_request, encode_answer, encode_error

SPINS = 1000  # about 40 microseconds
ONE = (1).to_bytes(8, sys.byteorder)


def build(request, module):
    """Runners that step the rows (one loop for neighboring groups of single environments; vector
    environments as they are), and the facts of each group."""
    # Some packages draw from the global generators.
    random.seed(request.groups[0].seeds[0])
    np.random.seed(request.groups[0].seeds[0])
    runners, facts, singles = [], [], []

    def flush():
        if singles:
            runners.append(Loop(list(singles), drop=request.fault == "drop"))
            singles.clear()

    for group in request.groups:
        made = module.make(group)
        facts.append(made)
        if isinstance(made, Singles):
            singles.append(made)
        else:
            flush()
            runners.append(made)
    flush()
    return runners, facts


def describe(facts, module):
    """The lines of a `made` reply."""
    lines = [("version", VERSION), ("packages", suites.versions(module))]
    for index, each in enumerate(facts):
        lines += [
            (f"{index}.observation", each.observations.size),
            (f"{index}.action", each.actions.size),
            (f"{index}.horizon", each.horizon),
            (f"{index}.keys", ",".join(f"{name}:{size}" for name, size in each.observations.keys)),
            (f"{index}.success", int(each.success is not None)),
            (f"{index}.final", int(each.final)),
        ]
    return lines


class Worker:
    """One control socket, and later one block with its two event descriptors."""

    def __init__(self, control):
        self.control = control
        self.request = self.runners = self.facts = None

    def run(self):
        """Serves requests until one attaches the memory, then commands until `close`. False: the
        trainer has exited."""
        while True:
            data, descriptors, message_flags, _ = socket.recv_fds(self.control, MOST_BYTES, 3)
            if not data and not descriptors:
                return False
            try:
                if message_flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
                    raise Refusal(f"a request has more than {MOST_BYTES} bytes or 3 descriptors")
                request = decode_request(data)
                if isinstance(request, Make):
                    self._make(request, descriptors)
                else:
                    block = self._attach(request, descriptors)
                    return self._follow(block, descriptors[1], descriptors[2])
            except BaseException as error:
                for descriptor in descriptors:
                    os.close(descriptor)
                self._send_error(error)

    def _make(self, request, descriptors):
        if self.runners is not None:
            raise Refusal("a second make; a worker makes its environments once")
        if descriptors:
            raise Refusal(f"make came with {len(descriptors)} descriptors; it takes none")
        module = suites.load(request.suite)
        runners, facts = build(request, module)
        self.control.send(encode_answer("made", describe(facts, module)))
        self.request, self.runners, self.facts = request, runners, facts

    def _attach(self, request, descriptors):
        if self.runners is None:
            raise Refusal("attach came before make")
        if len(descriptors) != 3:
            raise Refusal(
                f"attach came with {len(descriptors)} descriptors, not memory, go and done"
            )
        rows = sum(group.count for group in self.request.groups)
        if request.rows != rows:
            raise Refusal(f"attach has {request.rows} rows; {rows} environments were made")
        for name in ("observation", "action"):
            widest = max(getattr(each, name + "s").size for each in self.facts)
            if getattr(request, name) < widest:
                raise Refusal(
                    f"attach has {getattr(request, name)} numbers of {name}; {widest} are needed"
                )
        block = map_block(descriptors[0], request, self.request.dtype)
        os.close(descriptors[0])
        descriptors[0] = os.open(
            os.devnull, os.O_RDONLY
        )  # keeps the number taken: it is closed later
        first = 0
        for runner in self.runners:
            runner.attach(block, first)
            first += runner.count
        # What exists now stays: the collector scans only new objects, and seldom.
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 50, 100)
        self.control.send(encode_answer("attached"))
        return block

    def _follow(self, block, go, done_event):
        posted, done = block.posted, block.done
        read, write, runners = os.read, os.write, self.runners
        steps = [runner.step for runner in runners]
        failed = started = False
        # Waking a sleeping process takes longer than a short pause between commands: spin first where
        # the trainer says that there is a core for it.
        spins, sequence = range(SPINS if posted[4] else 0), posted[2]
        while True:
            for _ in spins:
                if posted[2] != sequence:
                    break
            read(go, 8)
            command, sequence, nonce = posted[1], posted[2], posted[3]
            error = None
            try:
                if command == STEP and started and not failed:
                    for step in steps:
                        step()
                elif command == CLOSE:
                    self._close()
                    done[1], done[0] = 0, sequence
                    write(done_event, ONE)
                    return True
                elif failed:
                    raise Refusal(
                        f"command {command} came after an error; only close is understood then"
                    )
                elif command == RESET:
                    for runner in runners:
                        runner.reset(nonce)
                    started = True
                elif command == STEP:
                    raise Refusal("step came before reset")
                else:
                    raise Refusal(f"command {command}; known: 1 reset, 2 step, 3 close")
            except BaseException as thrown:
                error, failed = thrown, True
            done[1], done[0] = int(failed), sequence
            write(done_event, ONE)
            if error is not None:
                self._send_error(error)

    def _send_error(self, error):
        row = -1
        if isinstance(error, Fault):
            row, error = error.row, error.__cause__
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        # A Refusal is a sentence of its own: no traceback.
        text = "" if isinstance(error, Refusal) else "".join(lines)
        message = (
            " ".join(str(each) for each in error.args)
            if isinstance(error, KeyError)
            else str(error)
        )
        self.control.send(
            encode_error(row, type(error).__name__, message or type(error).__name__, text)
        )

    def _close(self):
        for runner in self.runners:
            try:
                runner.close()
            except Exception:
                traceback.print_exc()


def main(descriptor):
    """Serves the trainer at the other end of the descriptor. Exits without the interpreter's cleanup,
    which threads of pools and simulators do not survive."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the trainer decides
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    faulthandler.enable()
    status = 1
    try:
        with socket.socket(fileno=descriptor) as control:
            Worker(control).run()
        status = 0
    except BrokenPipeError:
        status = 0  # the trainer has exited
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            pass
    os._exit(status)
