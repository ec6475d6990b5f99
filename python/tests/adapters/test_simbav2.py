"""tests/adapters/test_simbav2.py - the calls that SimbaV2's run_online.py makes."""

import numpy as np
import pytest

from mneme.adapters.simbav2 import Buffer

spaces = pytest.importorskip("gymnasium").spaces


def test_the_loop(tmp_path):
    buffer = Buffer(
        spaces.Box(-1, 1, (2, 3), np.float64),
        spaces.Box(-1, 1, (2, 1), np.float32),
        buffer_class_type="numpy",
        buffer_type="uniform",
        n_step=2,
        gamma=0.9,
        max_length=200,
        min_length=20,
        sample_batch_size=64,
    )
    buffer.reset()
    for t in range(300):
        time = t % 7
        observation = np.array([[s, t // 7, time] for s in range(2)], float)
        ends = np.full(2, time == 6)
        buffer.add(
            {
                "observation": observation,
                "action": np.full((2, 1), time),
                "reward": np.full(2, time),
                "terminated": ends & (t % 2 == 0),
                "truncated": ends & (t % 2 == 1),
                "next_observation": observation + np.array([0, 0, 1]),
            }
        )
        assert buffer.can_sample() == (t + 1 >= 10)
    assert len(buffer) == 200
    batch = buffer.sample()
    assert {key: value.shape for key, value in batch.items()} == {
        "observation": (64, 3),
        "action": (64, 1),
        "reward": (64,),
        "terminated": (64,),
        "truncated": (64,),
        "next_observation": (64, 3),
        "discount": (64,),
    }
    time = batch["observation"][:, 2]
    steps = np.minimum(2, 7 - time)
    assert (batch["next_observation"][:, 2] == time + steps).all()
    np.testing.assert_allclose(batch["reward"], time + (steps == 2) * 0.9 * (time + 1), rtol=1e-6)
    assert batch["terminated"].any() and not batch["terminated"].all()
    buffer.save(tmp_path)
