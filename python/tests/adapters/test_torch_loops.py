"""tests/adapters/test_torch_loops.py - torch and JAX columns; CleanRL's, FastTD3's and TorchRL's calls."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
spaces = pytest.importorskip("gymnasium").spaces
BOX, ACT = spaces.Box(-1, 1, (3,), np.float32), spaces.Box(-1, 1, (1,), np.float32)


def rows(t, streams=2):
    return np.array([[s, t // 9, t % 9] for s in range(streams)], np.float32)


def test_tensors_are_views(buffer):
    batch = buffer.sample(8)
    tensors = batch.torch()
    assert tensors.observation.data_ptr() == batch.observation.ctypes.data
    assert set(tensors) == set(batch.keys())
    place = tensors.reward.data_ptr()
    kept = tensors.reward
    seen = kept.clone()
    del batch, tensors
    for _ in range(10):
        assert buffer.sample(8).reward.ctypes.data != place
    assert torch.equal(kept, seen)


def test_out_takes_tensors_of_any_type(buffer):
    mine = {
        "observation": torch.zeros(8, 3, dtype=torch.bfloat16),
        "action": torch.zeros(8, 1, dtype=torch.float64),
        "reward": torch.zeros(8),
    }
    buffer.sample(8, out=mine)
    assert (mine["observation"][:, 2].float() == mine["reward"]).all()
    assert (mine["action"][:, 0] == -mine["reward"]).all()
    with pytest.raises(ValueError, match="cannot be written in place"):
        buffer.sample(8, out={"reward": torch.zeros(16)[::2]})
    with pytest.raises(ValueError, match="cannot be written in place"):
        buffer.sample(8, out={"reward": torch.zeros(8, device="meta")})


def test_tensors_go_in(buffer):
    plain = torch.zeros(2, 3)
    buffer.add(plain, torch.zeros(2, 1), torch.zeros(2), plain, torch.zeros(2, dtype=torch.bool))
    for bad, words in [
        (plain.clone().requires_grad_(), "requires grad"),
        (plain.to("meta"), "on device 'meta'"),
        (plain.bfloat16(), "cannot be read"),
        (plain.long(), "handed in as i64"),
    ]:
        with pytest.raises(ValueError, match=words):
            buffer.add(bad, torch.zeros(2, 1), torch.zeros(2), plain)


def test_jax_arrays_are_views(buffer):
    jax = pytest.importorskip("jax")
    batch = buffer.sample(8)
    arrays = batch.jax()
    assert arrays["observation"].unsafe_buffer_pointer() == batch.observation.ctypes.data
    np.testing.assert_array_equal(np.asarray(arrays.next_observation), batch.next_observation)
    assert arrays.age.dtype == jax.numpy.int32 and "id" not in arrays
    seen, kept = batch.reward.copy(), arrays.reward
    del batch, arrays
    for _ in range(10):
        buffer.sample(8)
    np.testing.assert_array_equal(np.asarray(kept), seen)
    buffer.add(
        jax.numpy.zeros((2, 3)), jax.numpy.zeros((2, 1)), jax.numpy.zeros(2), np.zeros((2, 3), "f")
    )


def test_cleanrl():
    from mneme.adapters.cleanrl import ReplayBuffer

    rb = ReplayBuffer(100, BOX, ACT, "cpu", n_envs=2, handle_timeout_termination=False)
    for t in range(80):
        # Time limits after nine steps, of which CleanRL's buffer is told nothing.
        rb.add(
            rows(t),
            rows(t) + np.float32([0, 0, 1]),
            np.zeros((2, 1), "f"),
            np.full(2, t),
            np.zeros(2, bool),
            {},
        )
    data = rb.sample(256)
    assert data.rewards.shape == data.dones.shape == (256, 1)
    assert torch.equal(data.next_observations, data.observations + torch.tensor([0.0, 0, 1]))
    assert rb.buffer.cuts > 0 and not data.dones.any()
    discrete = ReplayBuffer(10, BOX, spaces.Discrete(3), sampler="per")
    discrete.add(rows(0)[:1], rows(1)[:1], np.array([2]), np.array([1.0]), np.array([True]), {})
    data = discrete.sample(4)
    assert data.actions.shape == (4, 1) and data.actions.dtype == torch.int64
    assert discrete.update_priorities(data.ids, torch.ones(4, 1)).applied == 4


@pytest.mark.parametrize("mode", ["plain", "asymmetric", "playground"])
def test_fasttd3(mode):
    tensordict = pytest.importorskip("tensordict")
    from mneme.adapters.fasttd3 import SimpleReplayBuffer

    rb = SimpleReplayBuffer(
        n_env=2, buffer_size=40, n_obs=3, n_act=1, n_critic_obs=5, asymmetric_obs=mode != "plain",
        playground_mode=mode == "playground", n_steps=3, gamma=0.9, device="cpu",
    )  # fmt: skip
    for t in range(70):
        now, then = torch.tensor(rows(t)), torch.tensor(rows(t)) + torch.tensor([0.0, 0, 1])
        ends = torch.full((2,), int(t % 9 == 8))
        step = tensordict.TensorDict(
            {
                "observations": now,
                "actions": torch.zeros(2, 1),
                "critic_observations": torch.cat([now, now[:, 1:]], 1),
                "next": {
                    "observations": then,
                    "rewards": torch.full((2,), float(t)),
                    "dones": ends,
                    "truncations": ends * (t % 2),
                    "critic_observations": torch.cat([then, then[:, 1:]], 1),
                },
            },
            batch_size=2,
        )
        rb.extend(step)
    data = rb.sample(16)
    assert data.batch_size == (32,)
    assert torch.bincount(data["observations"][:, 0].long()).tolist() == [16, 16]
    steps = data["next"]["effective_n_steps"]
    assert torch.equal(data["next"]["observations"][:, 2], data["observations"][:, 2] + steps)
    assert data["next"]["dones"].any() and not data["next"]["truncations"].any()
    if mode != "plain":
        assert torch.equal(data["critic_observations"][:, :3], data["observations"])
        assert torch.equal(
            data["next"]["critic_observations"][:, 3:], data["next"]["observations"][:, 1:]
        )


def test_torchrl():
    pytest.importorskip("torchrl")
    from torchrl.collectors import Collector
    from torchrl.envs import GymEnv

    from mneme.adapters.torchrl import ReplayBuffer

    env = GymEnv("Pendulum-v1")
    collector = Collector(env, None, frames_per_batch=250, total_frames=1000)
    rb = ReplayBuffer((3,), (1,), capacity=2000, sampler="per", batch_size=128, n_step=3)
    for data in collector:
        rb.extend(data)
        batch = rb.sample()
        assert batch["next", "reward"].shape == (128, 1) and batch["action"].shape == (128, 1)
        batch["td_error"] = batch["next", "reward"].abs()
        assert rb.update_tensordict_priority(batch).refused == 0
    assert len(rb) == 1000 and rb.core.cuts == 0
    collector.shutdown()
    many = ReplayBuffer((3,), (1,), capacity=50, streams=2)
    for first in range(0, 60, 10):
        from tensordict import TensorDict

        time = torch.arange(first, first + 10)
        now = torch.tensor(np.stack([rows(t) for t in time.tolist()], 1))
        ends = (time % 9 == 8).expand(2, 10).unsqueeze(-1)
        after = {
            "observation": now + torch.tensor([0.0, 0, 1]),
            "reward": time.float().expand(2, 10).unsqueeze(-1),
            "done": ends,
            "terminated": ends & (time % 2 == 0).unsqueeze(-1),
        }
        many.extend(
            TensorDict(
                {"observation": now, "action": torch.zeros(2, 10, 1), "next": after}, [2, 10]
            )
        )
    batch = many.sample(200)
    assert torch.equal(
        batch["next", "observation"], batch["observation"] + torch.tensor([0.0, 0, 1])
    )
    reward = batch["next", "reward"].long()
    assert torch.equal(batch["next", "terminated"], (reward % 9 == 8) & (reward % 2 == 0))
    assert many.core.cuts == 0
    with pytest.raises(ValueError, match="pass a batch_size"):
        many.sample()


def transitions(count, first=0, streams=None, **extra):
    from tensordict import TensorDict

    lead = [count] if streams is None else [streams, count]
    time = torch.arange(first, first + count).float().expand(*lead).unsqueeze(-1)
    ends = time.long() % 9 == 8
    return TensorDict(
        {
            "observation": time.repeat_interleave(3, -1),
            "action": -time,
            **{name: make(time) for name, make in extra.items()},
            "next": {
                "observation": time.repeat_interleave(3, -1) + 1,
                "reward": time,
                "done": ends,
                "terminated": ends & (time.long() % 2 == 0),
                "truncated": ends & (time.long() % 2 == 1),
            },
        },
        lead,
    )


def test_torchrl_keys_are_stored_or_named():
    pytest.importorskip("tensordict")
    from mneme.adapters.torchrl import ReplayBuffer

    rb = ReplayBuffer((3,), (1,), 100)
    with pytest.warns(UserWarning, match="the keys logp are not stored") as seen:
        rb.extend(transitions(10, logp=lambda time: time[..., 0]))
        rb.extend(transitions(10, 10, logp=lambda time: time[..., 0]))
    assert len(seen) == 1
    rb = ReplayBuffer((3,), (1,), 100, fields={"logp": ()})
    rb.extend(transitions(20, logp=lambda time: time / 2))
    batch = rb.sample(64)
    assert torch.equal(batch["logp"], batch["observation"][:, 0] / 2)
    with pytest.raises(ValueError, match="key 'logp' is missing"):
        rb.extend(transitions(1))


@pytest.mark.parametrize("streams", [None, 2])
def test_torchrl_returns_ids_and_takes_scalar_priorities(streams, tmp_path):
    pytest.importorskip("tensordict")
    from mneme.adapters.torchrl import ReplayBuffer

    rb = ReplayBuffer((3,), (1,), 100, streams or 1, sampler="per:alpha=1,eps=1e-9")
    rb.extend(transitions(10, streams=streams))
    ids = rb.extend(transitions(10, 10, streams))
    assert ids.shape == ((10,) if streams is None else (streams, 10))
    rb.update_priority(ids.flatten(), 1.0)
    everything = torch.tensor(rb.core[:].id.view(np.int64))
    rb.update_priority(everything, 0.0)
    rb.update_priority(ids[..., -1], 5.0)  # the last row of every stream
    assert rb.sample(50)["observation"].eq(19).all()
    assert rb.write_count == 20 * (streams or 1)
    rb.dumps(tmp_path / "rows")
    rb.empty()
    assert len(rb) == 0
    rb.loads(tmp_path / "rows")
    assert len(rb) == 20 * (streams or 1) and rb.sample(50)["observation"].eq(19).all()
    with pytest.raises(ValueError, match=r"action is .* not"):
        ReplayBuffer((3,), (2,), 100, streams or 1).loads(tmp_path / "rows")


@pytest.mark.parametrize("below", [False, True])
def test_torchrl_dict_observations(below):
    pytest.importorskip("tensordict")
    from tensordict import TensorDict

    from mneme.adapters.torchrl import ReplayBuffer

    rb = ReplayBuffer({"pixels": ((2, 2), "uint8"), "speed": (1,)}, (1,), 100)
    time = torch.arange(21)
    seen = {
        "pixels": time.to(torch.uint8)[:, None, None].expand(21, 2, 2),
        "speed": time.float()[:, None],
    }
    now, then = ({key: part[a:b] for key, part in seen.items()} for a, b in ((0, 20), (1, 21)))
    if below:
        now, then = {"observation": now}, {"observation": then}
    after = {**then, "reward": torch.zeros(20, 1), "done": torch.zeros(20, 1, dtype=torch.bool)}
    rb.extend(TensorDict({**now, "action": torch.zeros(20, 1), "next": after}, [20]))
    assert rb.core.cuts == 0
    batch = rb.sample(16)
    place = batch["observation"] if below else batch
    following = batch["next", "observation"] if below else batch["next"]
    assert place["pixels"].shape == (16, 2, 2)
    assert torch.equal(following["speed"], place["speed"] + 1)
