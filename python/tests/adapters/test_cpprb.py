"""tests/adapters/test_cpprb.py - the same calls to cpprb and to us give the same rows."""

import numpy as np
import pytest

from mneme.adapters import cpprb as ours

ENV = {
    "obs": {"shape": 3},
    "act": {"shape": 1},
    "rew": {},
    "next_obs": {"shape": 3},
    "done": {},
    "extra": {"shape": (2, 2), "dtype": np.float32},
}


def fill(rb, steps=40):
    for t in range(steps):
        now = np.array([t // 9, t % 9, 1.0])
        done = t % 18 == 17
        rb.add(
            obs=now,
            act=[t],
            rew=t,
            next_obs=now + np.array([0, 1, 0]),
            done=done,
            extra=np.full((2, 2), t),
        )
        if t % 9 == 8:
            rb.on_episode_end()


def check(batch, rows):
    assert batch["obs"].shape == (rows, 3) and batch["rew"].shape == (rows, 1)
    assert batch["done"].shape == (rows, 1) and batch["extra"].shape == (rows, 2, 2)
    assert (batch["next_obs"] == batch["obs"] + [0, 1, 0]).all()
    assert (batch["extra"][:, 0, 0] == batch["act"][:, 0]).all()
    assert ((batch["done"] == 1) == (batch["rew"] % 18 == 17)).all()


@pytest.mark.parametrize("which", ["ours", "theirs"])
def test_plain(which, tmp_path):
    module = ours if which == "ours" else pytest.importorskip("cpprb")
    rb = module.ReplayBuffer(32, ENV)
    fill(rb)
    assert rb.get_stored_size() == rb.get_buffer_size() == 32
    check(rb.sample(64), 64)
    rb.clear()
    assert rb.get_stored_size() == 0
    fill(rb, 5)
    rb.add(**{key: np.zeros((3, *np.atleast_1d(ENV[key].get("shape", 1)))) for key in ENV})
    assert rb.get_stored_size() == 8


@pytest.mark.parametrize("which", ["ours", "theirs"])
def test_prioritized(which):
    module = ours if which == "ours" else pytest.importorskip("cpprb")
    rb = module.PrioritizedReplayBuffer(32, ENV, alpha=1.0)
    fill(rb, 30)
    batch = rb.sample(16, beta=0.7)
    check(batch, 16)
    assert batch["weights"].shape == batch["indexes"].shape == (16,)
    assert np.allclose(batch["weights"], 1)
    for _ in range(60):  # all rows but the last one lose their priority
        batch = rb.sample(32, beta=0.0)
        rb.update_priorities(batch["indexes"], np.where(batch["rew"][:, 0] == 29, 5.0, 0.0))
    batch = rb.sample(64, beta=1.0)
    assert (batch["rew"] == 29).mean() > 0.9
    assert batch["weights"].max() <= 1 + 1e-6 and batch["weights"].min() < 0.01


def test_n_step():
    nstep = {"size": 3, "gamma": 0.5, "rew": "rew", "next": "next_obs"}
    rb = ours.ReplayBuffer(32, ENV, Nstep=nstep)
    fill(rb, 27)
    batch = rb.sample(200)
    time = batch["obs"][:, 1]
    steps = np.minimum(3, 9 - time)
    assert (batch["next_obs"][:, 1] == time + steps).all()
    assert (batch["discounts"] == 0.5 ** steps[:, None] * (1 - batch["done"])).all()


def test_ours_refuses_what_it_cannot_store():
    with pytest.raises(ValueError, match="env_dict lacks next_obs, done"):
        ours.ReplayBuffer(32, {"obs": {}, "act": {}, "rew": {}})
    rb = ours.ReplayBuffer(32, {**{k: ENV[k] for k in ENV if k != "next_obs"}}, next_of="obs")
    with pytest.raises(KeyError, match="act is missing"):
        rb.add(obs=[1, 2, 3])


def test_priorities_of_new_rows_are_honoured():
    env = {key: ENV[key] for key in ENV if key != "extra"}
    for single in (True, False):
        rb = ours.PrioritizedReplayBuffer(50, env, alpha=1.0, eps=1e-6)
        rows = np.arange(60, dtype=np.float32)[:, None] * np.ones(3, np.float32)
        priorities = np.where(np.arange(60) == 33, 100.0, 1e-6)
        batch = {
            "obs": rows,
            "act": rows[:, :1],
            "rew": rows[:, 0],
            "next_obs": rows + 1,
            "done": np.zeros(60),
        }
        if single:
            for k in range(60):
                rb.add(**{key: value[k] for key, value in batch.items()}, priorities=priorities[k])
        else:
            rb.add(**batch, priorities=priorities)
        assert (rb.sample(200)["rew"] == 33).mean() > 0.99


def test_wrong_priorities_and_unknown_keys_are_refused():
    env = {key: ENV[key] for key in ENV if key != "extra"}
    row = {"obs": np.zeros(3), "act": 0, "rew": 0.0, "next_obs": np.ones(3), "done": 0}
    rb = ours.PrioritizedReplayBuffer(50, env)
    with pytest.raises(ValueError, match="2 priorities for 1 rows"):
        rb.add(**row, priorities=[1, 2])
    with pytest.raises(ValueError, match="priorities must be finite and at least 0"):
        rb.add(**row, priorities=-1.0)
    with pytest.raises(KeyError, match="unknown key logp; add"):
        rb.add(**row, logp=0.0)
    with pytest.raises(KeyError, match="unknown key priorities"):
        ours.ReplayBuffer(50, env).add(**row, priorities=1.0)
    assert rb.get_stored_size() == 0


def test_actions_that_do_not_fit_are_refused():
    env = {**{key: ENV[key] for key in ENV if key != "extra"}, "act": {"dtype": np.int32}}
    rb = ours.ReplayBuffer(50, env)
    row = {"obs": np.zeros(3), "rew": 0.0, "next_obs": np.ones(3), "done": 0}
    with pytest.raises(ValueError, match="act holds values that do not fit into int32"):
        rb.add(**row, act=0.5)
    with pytest.raises(ValueError, match="act holds values that do not fit into int32"):
        rb.add(**row, act=2**40)
    rb.add(**row, act=3)
