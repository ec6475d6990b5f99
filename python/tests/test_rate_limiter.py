"""tests/test_rate_limiter.py - writers and learners in step, from Python's threads."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import mneme
from mneme import Admission, RateLimiter


def test_it_counts_and_says():
    limiter = RateLimiter(samples_per_insert=8, tolerance=64, minimum_rows=4)
    assert limiter.try_sample(32) is Admission.not_yet
    for _ in range(4):
        assert limiter.before_insert() is Admission.go
    assert limiter.before_sample(32) is Admission.go
    status = limiter.status()
    assert (status.rows_stored, status.rows_sampled, status.ahead) == (4, 32, 32)
    assert limiter.before_sample(32) is Admission.go
    begin = time.monotonic()
    assert limiter.before_sample(8, at_most=0.05) is Admission.not_yet
    assert 0.04 < time.monotonic() - begin < 5
    assert limiter.try_insert(1) is Admission.go and limiter.try_sample(8) is Admission.go
    assert "neither side waits" in limiter.status().text and "neither side waits" in repr(
        limiter.status()
    )
    limiter.set_limit(2, 128, 4)
    assert (limiter.samples_per_insert, limiter.tolerance, limiter.minimum_rows) == (2, 128, 4)
    limiter.stop()
    assert limiter.before_sample(8) is Admission.stopped


def test_two_threads_keep_the_ratio():
    buffer = mneme.ReplayBuffer((1,), (1,), capacity=1000)
    limiter = RateLimiter(samples_per_insert=4, tolerance=64, minimum_rows=10)
    furthest = [0.0]

    def write():
        for t in range(500):
            if limiter.before_insert() is not Admission.go:
                return
            buffer.add([float(t)], [0.0], 0.0, [t + 1.0])

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(100):
        assert limiter.before_sample(16, at_most=30) is Admission.go
        # The insert that was let go may still be on its way.
        while len(buffer) < 1:
            time.sleep(0.001)
        buffer.sample(16)
        furthest[0] = max(furthest[0], abs(limiter.status().ahead))
    limiter.stop()
    writer.join(30)
    assert not writer.is_alive() and furthest[0] <= 64
    assert 100 * 16 / 4 - 16 <= limiter.status().rows_stored <= 100 * 16 / 4 + 64


def test_long_waits_are_told_and_given_up():
    told = []
    limiter = RateLimiter(minimum_rows=5, long_wait=0.2, on_long_wait=told.append, give_up=0.7)
    with pytest.raises(RuntimeError, match="gave up"):
        limiter.before_sample(1)
    assert 1 <= len(told) <= 3 and "5 more inserts needed" in told[0]

    def refuse(text):
        raise KeyError(text)

    with pytest.raises(KeyError, match="inserts needed"):
        RateLimiter(minimum_rows=5, long_wait=0, on_long_wait=refuse).before_sample(1)


def test_waiting_releases_the_interpreter():
    limiter = RateLimiter(minimum_rows=2)
    threading.Timer(0.2, limiter.before_insert, (2,)).start()
    assert limiter.before_sample(1) is Admission.go


def test_a_signal_ends_a_wait():
    # A job in the background may have been started with the signal ignored.
    code = """
import mneme, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
mneme.RateLimiter(minimum_rows=2).before_sample(1)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=120)[1]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"samples_per_insert": 0}, "samples_per_insert|ratio|insert"),
        ({"samples_per_insert": float("nan")}, "nan"),
        ({"tolerance": -1}, "tolerance"),
        ({"minimum_rows": -1}, "minimum"),
        ({"give_up": -1.0}, "give_up"),
        ({"long_wait": float("inf")}, "long_wait"),
        ({"on_long_wait": 3}, "on_long_wait"),
    ],
)
def test_what_cannot_be(options, text):
    with pytest.raises(ValueError, match=text):
        RateLimiter(**options)
    limiter = RateLimiter()
    for call in (limiter.before_insert, limiter.before_sample, limiter.try_sample):
        with pytest.raises(ValueError):
            call(0)
    with pytest.raises(ValueError, match="at_most"):
        limiter.before_insert(1, at_most=-1.0)
    with pytest.raises(ValueError):  # a batch so large that both sides could wait
        RateLimiter(tolerance=4).before_sample(1000)
