"""tests/adapters/test_brc.py - the calls that BRC's train.py and logger.py make."""

import numpy as np
import pytest

from mneme.adapters.brc import ParallelReplayBuffer

spaces = pytest.importorskip("gymnasium").spaces


def test_the_loop(tmp_path):
    buffer = ParallelReplayBuffer(
        spaces.Box(-1, 1, (4, 3), np.float32), 2, capacity=50, num_tasks=4, seed=1
    )
    for t in range(120):
        now = np.array([[task, t // 9, t % 9] for task in range(4)], np.float32)
        masks = np.full(4, 0.0 if t % 18 == 17 else 1.0)
        buffer.insert(now, np.zeros((4, 2)), np.full(4, t), masks, now + np.float32([0, 0, 1]))
    assert buffer.size == 50
    batch = buffer.sample(32, 3)
    assert batch.observations.shape == (3, 32, 3) and batch.actions.shape == (3, 32, 2)
    assert batch.rewards.shape == batch.masks.shape == batch.task_ids.shape == (3, 32)
    assert (batch.observations[..., 0] == batch.task_ids).all()
    assert (batch.next_observations == batch.observations + np.float32([0, 0, 1])).all()
    over = batch.rewards % 18 == 17
    assert ((batch.masks == 0) == over).all() and over.any()
    each = buffer.sample_task_batches()
    assert each.observations.shape == (4, 32, 3)
    assert (each.task_ids == np.arange(4)[:, None]).all()
    buffer.save(tmp_path)
    buffer.insert(now, np.zeros((4, 2)), np.zeros(4), np.ones(4), now)
    buffer.load(tmp_path)
    assert buffer.sample(8, 1).observations.shape == (1, 8, 3)
