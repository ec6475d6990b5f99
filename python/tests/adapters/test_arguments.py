"""tests/adapters/test_arguments.py - an argument is honored or refused, never ignored."""

import warnings

import numpy as np
import pytest

import mneme

spaces = pytest.importorskip("gymnasium").spaces
BOX, ACT = spaces.Box(-1, 1, (3,), np.float32), spaces.Box(-1, 1, (1,), np.float32)
ENV = {"obs": {"shape": 3}, "act": {}, "rew": {}, "next_obs": {"shape": 3}, "done": {}}


def sb3(**options):
    pytest.importorskip("stable_baselines3")
    from mneme.adapters.stable_baselines3 import ReplayBuffer

    return ReplayBuffer(100, BOX, ACT, "cpu", **options)


def cleanrl(**options):
    pytest.importorskip("torch")
    from mneme.adapters.cleanrl import ReplayBuffer

    return ReplayBuffer(100, BOX, ACT, "cpu", **options)


def torchrl(**options):
    pytest.importorskip("tensordict")
    from mneme.adapters.torchrl import ReplayBuffer

    return ReplayBuffer((3,), (1,), 100, **options)


def tianshou(**options):
    pytest.importorskip("tianshou")
    from mneme.adapters.tianshou import ReplayBuffer

    return ReplayBuffer(100, **options)


def cpprb(**options):
    from mneme.adapters.cpprb import ReplayBuffer

    return ReplayBuffer(100, ENV, **options)


def cpprb_prioritized(**options):
    from mneme.adapters.cpprb import PrioritizedReplayBuffer

    return PrioritizedReplayBuffer(100, ENV, **options)


def fasttd3(**options):
    pytest.importorskip("tensordict")
    from mneme.adapters.fasttd3 import SimpleReplayBuffer

    return SimpleReplayBuffer(1, 100, 3, 1, 3, **options)


def brc(**options):
    from mneme.adapters.brc import ParallelReplayBuffer

    return ParallelReplayBuffer(BOX, 1, 100, 1, **options)


def simbav2(**options):
    from mneme.adapters.simbav2 import Buffer

    return Buffer(BOX, ACT, 1, 0.99, 100, 1, 32, **options)


EVERY = [sb3, cleanrl, torchrl, tianshou, cpprb, cpprb_prioritized, fasttd3, brc, simbav2]
OWN = [each for each in EVERY if each is not tianshou]  # those over a mneme.ReplayBuffer


def core_of(buffer):
    return buffer.core if hasattr(buffer, "core") else buffer.buffer


@pytest.mark.parametrize("make", EVERY)
def test_unknown_options_are_refused(make):
    with pytest.raises(TypeError, match="samplr"):
        make(samplr="uniform")


@pytest.mark.parametrize("make", OWN)
@pytest.mark.parametrize("option", [{"observation": (9,)}, {"capacity": 7}, {"streams": 5}])
def test_options_that_the_adapter_sets_are_refused(make, option):
    if make is torchrl:
        option = {"observation": (9,)}  # the others are its own arguments
    if make in (brc, cleanrl) and "capacity" in option:
        option = {"streams": 5}
    with pytest.raises(TypeError):
        make(**option)


@pytest.mark.parametrize("make", OWN)
def test_options_of_the_core_arrive(make):
    for option in ({"horizon": "half"}, {"stream_policy": "half"}):
        if make is fasttd3 and "stream_policy" in option:
            continue
        with pytest.raises((ValueError, KeyError), match="half"):
            make(**option)
    if make is not cpprb_prioritized:
        assert core_of(make(sampler="ere:eta=0.99")).sampler == "ere:eta=0.99"
        assert core_of(make(sampler=mneme.samplers.PER)).sampler == "per"


def test_cpprb_prioritized_refuses_a_sampler():
    with pytest.raises(TypeError, match="sampler"):
        cpprb_prioritized(sampler="uniform")


@pytest.mark.parametrize("make", OWN)
def test_n_step_has_its_discount_in_the_batch(make):
    """Whatever name n_step has, a window of three steps never bootstraps with discount^1."""
    own = {sb3: "n_steps", fasttd3: "n_steps"}.get(make, "n_step")
    gamma = {sb3: "gamma", fasttd3: "gamma"}.get(make, "discount")
    if make is simbav2:
        with pytest.raises(TypeError):
            make(n_step=3)
        return
    buffer = make(**{own: 3, gamma: 0.5})
    core = core_of(buffer)
    assert core.n_step == 3 and core.discount == 0.5
    for t in range(20):
        row = np.full(3, t, np.float32)
        core.add(row, np.zeros(1, np.float32), 1.0, row + 1)
    if make is cpprb or make is cpprb_prioritized:
        assert (buffer.sample(8)["discounts"] == 0.125).all()
    elif make is sb3:
        assert (buffer.sample(8).discounts == 0.125).all()
    elif make is cleanrl:
        assert (buffer.sample(8).discounts == 0.125).all()
    elif make is torchrl:
        assert (buffer.sample(8)["next", "discount"] == 0.125).all()
    elif make is fasttd3:
        assert (buffer.sample(8)["next", "effective_n_steps"] == 3).all()


def seed_frameworks(seed):
    np.random.seed(seed)
    try:
        import torch

        torch.manual_seed(seed)
    except ImportError:
        pass


def draws(make, **options):
    core = core_of(make(**options))
    for t in range(60):
        row = np.full(3, t, np.float32)
        core.add(row, np.zeros(1, np.float32), float(t), row + 1)
    return core.sample(32).reward.tolist()


@pytest.mark.parametrize("make", OWN)
def test_seeds_come_from_the_framework(make):
    seen = []
    for seed in (1, 2, 1):
        seed_frameworks(seed)
        seen.append(draws(make, seed=None))
    assert seen[0] == seen[2] and seen[0] != seen[1]
    assert draws(make, seed=5) == draws(make, seed=5)


def test_seed_none_is_another_one_each_time():
    rows = []
    for _ in range(2):
        buffer = mneme.ReplayBuffer((1,), (1,), 100, seed=None)
        for t in range(100):
            buffer.add([t], [0], 1.0, [t + 1])
        rows.append(buffer.sample(32).observation[:, 0].tolist())
    assert rows[0] != rows[1]


def test_sb3_n_step_needs_gamma():
    with pytest.raises(TypeError, match="n_steps=3 needs gamma="):
        sb3(n_steps=3)
    with pytest.raises(TypeError, match="mean the same"):
        sb3(n_steps=3, n_step=2, gamma=0.9)
    buffer = sb3(n_step=3, discount=0.9)
    assert buffer.core.n_step == buffer.n_steps == 3 and buffer.core.discount == 0.9


def test_sb3_float64_that_loses_digits_warns_once():
    buffer = sb3()
    wide = np.full((1, 3), 16777217.0)
    with pytest.warns(UserWarning, match="observation is float64 and stored as float32"):
        buffer.add(wide, wide, np.zeros((1, 1)), np.zeros(1), np.zeros(1), [{}])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        buffer.add(wide, wide, np.zeros((1, 1)), np.zeros(1), np.zeros(1), [{}])


def constant(add, limit=10, steps=200):
    """One environment that always looks the same, stopped by a time limit; rewards tell the episode."""
    now = np.zeros((1, 3), np.float32)
    for t in range(steps):
        late = t % limit == limit - 1
        add(now, np.float32([t // limit]), late)


@pytest.mark.parametrize("key", ["final_obs", "final_observation"])
def test_cleanrl_takes_time_limits_from_infos(key):
    buffer = cleanrl(n_step=3, discount=1.0)

    def add(now, reward, late):
        final = np.full(1, None, object)
        final[0] = now[0]
        infos = {key: final, f"_{key}": np.array([True])} if late else {}
        buffer.add(now, now, np.zeros((1, 1), np.float32), reward, np.array([False]), infos)

    constant(add)
    batch = buffer.buffer.sample(2000)
    assert (batch.reward % batch.horizon == 0).all() and not (batch.discount == 0).any()
    assert (batch.horizon < 3).any() and buffer.buffer.cuts == 0


def test_cleanrl_handles_timeouts_of_sb3():
    for handle in (True, False):
        buffer = cleanrl(handle_timeout_termination=handle)
        row = np.zeros((1, 3), np.float32)
        infos = [{"TimeLimit.truncated": True}]
        buffer.add(row, row + 1, np.zeros((1, 1), np.float32), [1.0], np.array([True]), infos)
        assert bool(buffer.sample(1).dones[0, 0]) is not handle


def test_brc_takes_time_limits():
    buffer = brc(n_step=3, discount=1.0)
    constant(
        lambda now, reward, late: buffer.insert(
            now, np.zeros((1, 1)), reward, np.ones(1), now, truncated=np.array([late])
        )
    )
    batch = buffer.core.sample(2000)
    assert (batch.reward % batch.horizon == 0).all() and (batch.horizon < 3).any()


def test_simbav2_refuses_other_buffers():
    with pytest.raises(ValueError, match="buffer_type='prioritized'"):
        simbav2(buffer_type="prioritized")


@pytest.mark.parametrize("make", OWN)
def test_a_path_continues_where_the_last_commit_left(make, tmp_path):
    """What a restarted script does: the same arguments, the same directory."""
    first = make(path=tmp_path / "buffer", seed=3)
    core = core_of(first)
    for t in range(60):
        core.add(
            np.full(3, t, np.float32),
            np.zeros(1, np.float32),
            float(t),
            np.full(3, t + 1.0, np.float32),
        )
    core.sample(16)
    core.commit()
    wanted = core.sample(32).reward.tolist()
    core._abandon()  # as a crash would
    again = core_of(make(path=tmp_path / "buffer", seed=3))
    assert again.added == 60 and again.sample(32).reward.tolist() == wanted


def test_sb3_position_follows_an_opened_buffer(tmp_path):
    first = sb3(path=tmp_path / "buffer")
    row = np.zeros((1, 3), np.float32)
    for t in range(130):
        first.add(row + t, row + t + 1, np.zeros((1, 1)), np.zeros(1), np.zeros(1), [{}])
    first.core.close()
    again = sb3(path=tmp_path / "buffer")
    assert again.pos == 30 and again.full and again.size() == 100


@pytest.mark.parametrize("make", [brc, simbav2])
def test_float64_that_loses_digits_warns_once(make):
    buffer, wide = make(), np.full((1, 3), 16777217.0)
    one = np.zeros(1)

    def add():
        if make is brc:
            buffer.insert(wide, np.zeros((1, 1)), one, np.ones(1), wide)
        else:
            step = {"observation": wide, "action": np.zeros((1, 1)), "reward": one}
            buffer.add({**step, "next_observation": wide, "terminated": one, "truncated": one})

    with pytest.warns(UserWarning, match="observation is float64 and stored as float32"):
        add()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        add()


def test_parts_of_observations_that_lose_digits_warn_once():
    buffer = mneme.ReplayBuffer({"a": (1,), "b": (1,)}, (1,), 10)
    wide = {"a": np.array([16777217.0]), "b": np.array([0.5])}
    with pytest.warns(
        UserWarning, match=r"observation\.a is float64 and stored as float32"
    ) as seen:
        buffer.add(wide, [0], 1.0, wide)
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        buffer.add(wide, [0], 1.0, wide)


def test_torchrl_state_goes_through_torch_save(tmp_path):
    buffer, other = torchrl(seed=1), torchrl(seed=2)
    import torch

    for t in range(40):
        core_of(buffer).add(
            np.full(3, t, np.float32), np.zeros(1, np.float32), 1.0, np.full(3, t + 1.0, np.float32)
        )
    torch.save(buffer.state_dict(), tmp_path / "state.pt")
    other.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=False))
    a, b = buffer.sample(16), other.sample(16)
    assert (a["index"] == b["index"]).all()
    assert not a["next", "truncated"].any()


def test_cleanrl_ids_are_tensors_and_come_back():
    buffer = cleanrl(sampler="per")
    row = np.zeros((1, 3), np.float32)
    for t in range(20):
        buffer.add(row + t, row + t + 1, np.zeros((1, 1)), [1.0], [False], {})
    batch = buffer.sample(8)
    import torch

    assert batch.ids.dtype == torch.int64
    assert buffer.update_priorities(batch.ids, batch.rewards).applied == 8
