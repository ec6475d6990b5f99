"""tests/test_state_machine.py - random calls with random arguments, against a model in Python.

Each step is one call of the API with good or bad arguments; after every one the buffer must be what
the model says. A crash ends the process and thereby the test.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

import mneme

SAMPLERS = ["uniform", "truncated_geometric", "ere", "per", "rank_per", "reaper", "mix", "gaussian"]
BAD = [
    None, "x", [], {}, 3, np.nan, np.zeros(0, np.float32), np.zeros((2, 2, 2)), np.array(["a"]),
    np.zeros(3, np.complex64), np.full(7, np.inf, np.float32), [[1.0], [2.0, 3.0]], object(), b"bytes",
]  # fmt: skip


class Machine(RuleBasedStateMachine):
    @initialize(
        capacity=st.integers(1, 12),
        streams=st.integers(1, 3),
        n_step=st.integers(1, 3),
        sampler=st.sampled_from(SAMPLERS),
        stack=st.integers(1, 2),
    )
    def make(self, capacity, streams, n_step, sampler, stack):
        self.stored, self.ids, self.batch, self.time, self.readers = None, None, None, 0, {}
        fits = n_step <= capacity and stack <= capacity
        try:
            self.buffer = mneme.ReplayBuffer(
                observation=(2,),
                action=(1,),
                capacity=capacity,
                streams=streams,
                n_step=n_step,
                sampler=sampler,
                stack=stack,
            )
            assert fits
        except ValueError:
            assert not fits
            self.buffer = mneme.ReplayBuffer(observation=(2,), action=(1,), capacity=4)
            capacity, streams = 4, 1
        self.capacity = capacity
        self.stored = [0] * streams

    @rule(stream=st.integers(-1, 3), ends=st.booleans(), breaks=st.booleans())
    def add_one(self, stream, ends, breaks):
        now = np.float32([self.time, stream])
        self.time += 100 if breaks else 1
        try:
            self.buffer.add(now, [0.0], 1.0, np.float32([self.time, stream]), ends, stream=stream)
            assert 0 <= stream < len(self.stored)
            self.stored[stream] += 1
        except ValueError:
            assert not 0 <= stream < len(self.stored)

    @rule(terminated=st.booleans(), truncated=st.booleans())
    def add_all(self, terminated, truncated):
        rows = np.full((len(self.stored), 2), self.time, np.float32)
        self.time += 1
        self.buffer.add(
            rows, rows[:, :1], rows[:, 0], rows + 1, terminated, np.full(len(rows), truncated)
        )
        self.stored = [count + 1 for count in self.stored]

    @rule(place=st.integers(0, 6), bad=st.sampled_from(BAD))
    def add_nonsense(self, place, bad):
        if place == 6 and bad is None:
            return
        rows = np.zeros((len(self.stored), 2), np.float32)
        arguments = [rows, rows[:, :1], rows[:, 0], rows, False, False, None]
        arguments[place] = bad
        flag = place in (4, 5) and isinstance(bad, int)
        reward = place == 2 and isinstance(bad, int) and len(self.stored) == 1
        try:
            self.buffer.add(*arguments)
            assert flag or reward
            self.stored = [count + 1 for count in self.stored]
        except (ValueError, TypeError, OverflowError):
            pass

    @rule(rows=st.integers(-1, 40), again=st.booleans())
    def sample(self, rows, again):
        out = self.batch if again else None
        try:
            batch = self.buffer.sample(rows, out=out)
        except ValueError:
            return
        assert rows > 0 and min(self.stored) > 0
        assert np.isfinite(batch.weight).all() and (batch.age >= 0).all()
        assert (batch.age < np.minimum(self.stored, self.capacity)[batch.stream]).all()
        assert (batch.id >> np.uint64(44) == batch.stream).all()
        self.batch, self.ids = batch, batch.id.copy()

    @rule(bad=st.sampled_from(BAD))
    def sample_nonsense(self, bad):
        for arguments in (
            {"batch": bad},
            {"batch": 2, "out": bad},
            {"batch": 2, "out": {"reward": bad}},
        ):
            if bad is None and "out" in arguments and arguments["out"] is None:
                continue
            try:
                self.buffer.sample(**arguments)
            except (ValueError, TypeError, KeyError):
                continue
            assert (type(bad) is int and "out" not in arguments) or type(bad) is dict

    @rule(rows=st.integers(-1, 9), length=st.integers(-1, 6), burn_in=st.integers(-1, 4))
    def sample_sequences(self, rows, length, burn_in):
        try:
            batch = self.buffer.sample_sequences(rows, length, burn_in)
        except ValueError:
            return
        assert rows > 0 and length > 0 and burn_in >= 0 and min(self.stored) > 0
        assert batch.valid.shape == (rows, length + burn_in) and batch.valid[:, burn_in].all()
        assert (batch.age < np.minimum(self.stored, self.capacity)[batch.stream]).all()

    @rule(name=st.sampled_from(["", "a", "b"]), sampler=st.sampled_from(SAMPLERS))
    def add_reader(self, name, sampler):
        known = self.readers.keys() | {""}
        try:
            self.readers[name] = self.buffer.add_reader(name, sampler)
            assert name not in known
        except ValueError:
            assert name in known

    @rule(name=st.sampled_from(["", "a", "b"]), rows=st.integers(1, 9))
    def sample_by_reader(self, name, rows):
        try:
            reader = self.buffer.reader(name)
        except KeyError:
            assert name not in self.readers
            return
        try:
            batch = reader.sample(rows)
        except ValueError:
            return
        assert (batch.age < np.minimum(self.stored, self.capacity)[batch.stream]).all()
        assert reader.update_priorities(batch.id, np.ones(rows)).refused == 0

    @rule(rows=st.integers(-1, 9), ahead=st.integers(0, 3), taken=st.integers(0, 4))
    def batches(self, rows, ahead, taken):
        try:
            batches = self.buffer.batches(rows, ahead)
            assert rows > 0 and ahead > 0
            for _ in range(taken):
                assert len(next(batches)) == rows
        except ValueError:
            pass

    @rule(value=st.floats(width=32), shift=st.integers(-2, 2))
    def feed_back(self, value, shift):
        if self.ids is None:
            return
        ids = self.ids + np.uint64(abs(shift)) if shift else self.ids
        try:
            report = self.buffer.update_priorities(ids, np.full(len(ids), value, np.float32))
        except ValueError:
            return
        assert np.isfinite(value)
        assert report.applied + report.stale + report.ignored + report.refused <= len(ids)

    @rule(bad=st.sampled_from(BAD))
    def feed_back_nonsense(self, bad):
        for arguments in ((bad, np.ones(2)), (np.zeros(2, np.uint64), bad)):
            try:
                self.buffer.update_priorities(*arguments)
            except (ValueError, TypeError):
                pass

    @rule(stream=st.integers(-1, 3))
    def cut(self, stream):
        try:
            self.buffer.cut(stream)
            assert 0 <= stream < len(self.stored)
        except ValueError:
            assert not 0 <= stream < len(self.stored)

    @rule(progress=st.floats())
    def progress(self, progress):
        try:
            self.buffer.set_progress(progress)
            assert 0 <= progress <= 1
        except ValueError:
            assert not 0 <= progress <= 1

    @invariant()
    def holds_what_was_added(self):
        if getattr(self, "stored", None) is not None:
            kept = [min(count, self.capacity) for count in self.stored]
            assert [self.buffer.size(s) for s in range(len(kept))] == kept
            assert len(self.buffer) == sum(kept)


def run(examples, steps):
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_random_calls():
    run(100, 20)


@pytest.mark.slow
def test_a_hundred_thousand_random_sequences():
    run(100_000, 12)
