"""tests/conftest.py - the buffer that the tests share."""

import pytest
from rows import fill

import mneme


@pytest.fixture
def buffer():
    """Two streams of 50, sixty steps in: wrapped."""
    made = mneme.ReplayBuffer(observation=(3,), action=(1,), capacity=50, streams=2, seed=3)
    fill(made, 60)
    return made
