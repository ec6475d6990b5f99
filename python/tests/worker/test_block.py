"""tests/worker/test_block.py - layout and validation of the shared rows."""

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mneme_worker import block
from mneme_worker.messages import Attach, Refusal


@given(
    st.integers(1, 300), st.integers(1, 200), st.integers(1, 60), st.sampled_from(["f32", "f64"])
)
def test_layout_is_ordered_and_does_not_overlap(rows, observation, action, dtype):
    offsets, end = block.layout(rows, observation, action, dtype)
    assert list(offsets) == list(block.ARRAYS) and offsets["action"] == 128
    assert all(at % 64 == 0 for at in offsets.values())
    made = block.local(rows, observation, action, dtype)
    # Every array is filled with a number of its own: none reaches into another.
    for number, name in enumerate(block.ARRAYS):
        getattr(made, name)[...] = number + 1
    for number, name in enumerate(block.ARRAYS):
        assert (getattr(made, name) == number + 1).all()
    assert made.posted[0] == block.MAGIC and not any(made.done)
    assert len(made.memory) == end and made.memory[end - 1] == 5


def attach(**changes):
    offsets, end = block.layout(3, 5, 2, "f32")
    fields = {"rows": 3, "observation": 5, "action": 2, "bytes": end, "offsets": offsets}
    return Attach(**{**fields, **changes})


def memory(size, magic=block.MAGIC):
    descriptor = os.memfd_create("test")
    os.ftruncate(descriptor, size)
    os.pwrite(descriptor, magic.to_bytes(8, "little"), 0)
    return descriptor


def test_both_sides_see_what_the_other_writes():
    request = attach()
    descriptor = memory(request.bytes)
    mine, yours = (block.map_block(descriptor, request, "f32") for _ in range(2))
    mine.action[1] = 7
    mine.posted[2] = 12
    assert (yours.action[1] == 7).all() and yours.posted[2] == 12
    os.close(descriptor)


@pytest.mark.parametrize(
    ("changes", "size", "magic", "message"),
    [
        ({"offsets": {"action": 128}}, 4096, block.MAGIC, "offsets are"),
        ({"offsets": {**attach().offsets, "more": 1}}, 4096, block.MAGIC, "offsets are"),
        ({"offsets": {**attach().offsets, "reward": 0}}, 4096, block.MAGIC, "offsets are"),
        ({"rows": 400}, 4096, block.MAGIC, "offsets are"),
        ({"bytes": 100}, 4096, block.MAGIC, "bytes is 100"),
        ({"bytes": 1 << 20}, 4096, block.MAGIC, "the memory has 4096 bytes"),
        ({}, 64, block.MAGIC, "the memory has 64 bytes"),
        ({}, 4096, 5, "begins with 0x5"),
    ],
)
def test_map_block_rejects_other_offsets(changes, size, magic, message):
    descriptor = memory(size, magic)
    with pytest.raises(Refusal, match=message):
        block.map_block(descriptor, attach(**changes), "f32")
    os.close(descriptor)


def test_map_block_rejects_bad_descriptors():
    reading, writing = os.pipe()
    with pytest.raises(Refusal):
        block.map_block(reading, attach(), "f32")
    with pytest.raises(Refusal, match="offsets are"):
        block.map_block(reading, attach(), "f64")  # the offsets are those of f32
    os.close(reading)
    os.close(writing)


def test_rows_are_little_endian_whatever_the_machine():
    made = block.local(1, 1, 1, "f32")
    made.action[0, 0] = 1.0
    assert bytes(made.memory[128:132]) == np.array([1.0], "<f4").tobytes()
