"""mneme/worker/block.py - rows shared with the trainer: arrays in one mapping.

The layout follows from rows, widths and type alone (docs/suites/workers.md). The worker computes it
and rejects other offsets, so that a disagreement cannot put numbers in the wrong place.
"""

import mmap
import os

import numpy as np

from .messages import Refusal

MAGIC = 0x31656D656E6D  # "mneme1"
ARRAYS = ("action", "final_observation", "observation", "reward", "flags")
TYPES = {"f32": np.dtype("<f4"), "f64": np.dtype("<f8")}

TERMINATED, TRUNCATED, SUCCESS, BEGUN, NOT_FINAL, DROPPED, NO_STEP = 1, 2, 4, 8, 16, 32, 64
RESET, STEP, CLOSE = 1, 2, 3


def layout(rows, observation, action, dtype):
    """Offsets by name, and the bytes up to the end of the last array."""
    width = TYPES[dtype].itemsize
    sizes = (
        rows * action * width,
        rows * observation * width,
        rows * observation * width,
        rows * 8,
        rows,
    )
    offsets, at = {}, 128
    for name, size in zip(ARRAYS, sizes):
        offsets[name] = at = (at + 63) // 64 * 64
        at += size
    return offsets, at


class Block:
    """Arrays over a buffer: `action`, `final_observation`, `observation`, `reward`, `flags`; `posted`
    and `done` are the two headers, eight numbers each: the trainer's and the worker's."""

    def __init__(self, memory, rows, observation, action, dtype):
        offsets, end = layout(rows, observation, action, dtype)
        if len(memory) < end:
            raise Refusal(f"the memory has {len(memory)} bytes; {rows} rows take {end}")
        kind = TYPES[dtype]
        self.memory, self.rows, self.dtype = memory, rows, kind

        def array(name, columns):
            found = np.frombuffer(memory, kind, rows * columns, offsets[name])
            return found.reshape(rows, columns)

        self.action = array("action", action)
        self.final_observation = array("final_observation", observation)
        self.observation = array("observation", observation)
        self.reward = np.frombuffer(memory, "<f8", rows, offsets["reward"])
        self.flags = np.frombuffer(memory, np.uint8, rows, offsets["flags"])
        whole = memoryview(memory)
        self.posted, self.done = whole[0:64].cast("Q"), whole[64:128].cast("Q")
        self.reward_offset = offsets["reward"]


def local(rows, observation, action, dtype):
    """A block of this process alone, for checks and tests."""
    _, end = layout(rows, observation, action, dtype)
    block = Block(bytearray(end), rows, observation, action, dtype)
    block.posted[0] = MAGIC
    return block


def map_block(descriptor, attach, dtype):
    """The trainer's memory. Throws Refusal."""
    offsets, end = layout(attach.rows, attach.observation, attach.action, dtype)
    if attach.offsets != offsets:
        raise Refusal(f"offsets are {attach.offsets}; {attach.rows} rows of {dtype} have {offsets}")
    if attach.bytes < end:
        raise Refusal(f"bytes is {attach.bytes}; {attach.rows} rows take {end}")
    try:
        size = os.fstat(descriptor).st_size
        if size < attach.bytes:
            raise Refusal(f"the memory has {size} bytes, not {attach.bytes}")
        memory = mmap.mmap(descriptor, attach.bytes)
    except (OSError, ValueError) as error:
        if isinstance(error, Refusal):
            raise
        raise Refusal(f"the memory cannot be mapped: {error}") from None
    block = Block(memory, attach.rows, attach.observation, attach.action, dtype)
    if block.posted[0] != MAGIC:
        raise Refusal(f"the memory begins with {block.posted[0]:#x}, not {MAGIC:#x}")
    return block
