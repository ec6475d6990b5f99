"""tests/test_torch_buffer.py - the buffer on a device: seams, distributions, and no way through the host."""

import numpy as np
import pytest

import mneme

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import mneme.torch  # noqa: E402

FALSE_ALARM = 1e-6
# What waits for a device: a number on the host, a shape that depends on values, a copy.
WAITS = (
    "_local_scalar_dense",
    "item",
    "is_nonzero",
    "equal",
    "nonzero",
    "masked_select",
    "unique",
    "bincount",
    "repeat_interleave",
)


class HostTransfers(TorchDispatchMode):
    """Counts operations that a device would have to be waited for."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.__name__.partition(".")[0]
        masks = [
            index
            for each in args
            if isinstance(each, (list, tuple))
            for index in each
            if isinstance(index, torch.Tensor)
        ]
        by_mask = name in ("index", "index_put", "index_put_", "_index_put_impl_") and any(
            index.dtype == torch.bool for index in masks
        )
        moved = name in ("_to_copy", "to") and "device" in (kwargs or {}) and kwargs["device"]
        if name in WAITS or by_mask or moved:
            self.found.append(name)
        return func(*args, **(kwargs or {}))


def made(**options):
    settings = {"observation": (3,), "action": (1,), "capacity": 50, "streams": 4, "discount": 0.9}
    return mneme.torch.ReplayBuffer(**{**settings, **options})


def step(t, streams=4):
    base = torch.full((streams, 3), float(t))
    return base, torch.zeros(streams, 1), torch.full((streams,), float(t)), base + 1


def fill(buffer, steps, every=0):
    for t in range(steps):
        over = torch.full((buffer.streams,), every > 0 and t % every == every - 1)
        buffer.add(*step(t, buffer.streams), over)


@pytest.mark.parametrize("sampler", ["uniform", "truncated_geometric:alpha=6", "per"])
@pytest.mark.parametrize("n_step", [1, 3, 10])
@pytest.mark.parametrize("horizon", ["full", "clip"])
@pytest.mark.parametrize("capacity", [13, 200])
def test_no_row_crosses_a_seam(sampler, n_step, horizon, capacity):
    def make(**shapes):
        return made(
            **shapes,
            capacity=capacity,
            n_step=n_step,
            horizon=horizon,
            sampler=sampler,
            discount=1.0,
            final_rows=capacity,
        )

    found = mneme.torch.check_seams(make, steps=300, batch_size=128)
    assert found["wrong"] == 0 and found["rows"] > 3000


def test_the_seam_checker_notices_wrong_rows():
    class Forgetful(mneme.torch.ReplayBuffer):
        def _end(self, slot, which, kind, final):
            super()._end(slot, which & (kind != 3), kind, final)  # no cuts

    def make(**shapes):
        return Forgetful(**shapes, capacity=100, n_step=3, discount=1.0)

    assert mneme.torch.check_seams(make)["wrong"] > 0


def test_few_final_rows_cost_weight_not_truth():
    def make(**shapes):
        return made(**shapes, capacity=200, discount=1.0, final_rows=4)

    assert mneme.torch.check_seams(make)["wrong"] == 0
    buffer = made(capacity=100, final_rows=4)
    for t in range(100):
        buffer.add(*step(3 * t), False, torch.ones(4, dtype=torch.bool))
    batch = buffer.sample(1000)
    assert ((batch.weight == 0) == (batch.age >= 4)).all() and buffer.lost > 0


@pytest.mark.parametrize(
    "sampler",
    [
        "uniform",
        "truncated_geometric:alpha=8",
        "linear",
        "gaussian",
        "ere",
        "per",
        "per:weights=batch",
        "uniform_fifo:window=7",
        "stretched_exponential",
        "mix",
        "truncated_geometric:draws=stratified",
    ],
)
@pytest.mark.parametrize("policy", ["uniform", "equal_share"])
def test_nothing_goes_through_the_host(sampler, policy):
    buffer = made(sampler=sampler, n_step=3, stream_policy=policy)
    fill(buffer, 60, every=7)
    batch = buffer.sample(32)  # tables that are made once
    over = torch.tensor([True, False, False, True])
    row = step(61)
    with HostTransfers() as mode:
        buffer.add(*row, over, ~over)
        buffer.cut(over)
        buffer.set_progress(0.5)
        drawn = buffer.sample(32)
        buffer.update_priorities(drawn.id, drawn.reward)
    assert mode.found == []
    with HostTransfers() as mode:
        assert buffer.cuts >= 0 and batch.reward[batch.reward > 0].numel() >= 0
    assert mode.found  # the counter counts


@pytest.mark.parametrize("sampler", ["uniform", "truncated_geometric:alpha=6", "linear:ratio=20"])
@pytest.mark.parametrize("n_step", [1, 4])
def test_ages_follow_the_distribution_of_the_core(sampler, n_step):
    buffer = made(sampler=sampler, n_step=n_step, streams=3)
    fill(buffer, 120)
    starts = 50 - (n_step - 1)
    p = mneme.make_sampler(sampler).probabilities(starts, starts)
    counts = np.zeros(50)
    for _ in range(40):
        np.add.at(counts, buffer.sample(2000).age.numpy(), 1)
    assert counts[: n_step - 1].sum() == 0
    expected = p[::-1] * counts.sum()
    seen = counts[n_step - 1 :]
    z = (seen - expected) / np.sqrt(expected * (1 - p[::-1]))
    assert np.abs(z).max() < 6  # 150 comparisons at 6 sigma: below the false alarm of 1e-6
    assert (
        np.abs((np.roll(seen, 1) - expected) / np.sqrt(expected)).max() > 6 or sampler == "uniform"
    )


def test_priorities_choose_rows_and_weights():
    buffer = made(sampler="per:alpha=1,eps=0,beta=1", streams=2, capacity=300)
    fill(buffer, 300)
    ids = torch.cat([(s << 44) + torch.arange(300) for s in range(2)])
    errors = torch.arange(600).remainder(300).float()
    buffer.update_priorities(ids, -errors)  # signs do not matter
    counts = np.zeros(300)
    for _ in range(50):
        batch = buffer.sample(1000)
        rows = (batch.id & (2**44 - 1)).numpy()
        np.add.at(counts, rows, 1)
        np.testing.assert_allclose(batch.weight.numpy(), 1 / rows, rtol=1e-5)
    p = np.arange(300) / np.arange(300).sum()
    z = (counts - p * counts.sum())[1:] / np.sqrt(p[1:] * counts.sum())
    assert counts[0] == 0 and np.abs(z).max() < 6


def test_stale_and_infinite_feedback_changes_nothing():
    buffer = made(sampler="per:alpha=1", streams=1, capacity=20)
    fill(buffer, 50)
    before = [tensor.clone() for tensor in buffer._priorities.sums.tensors()]
    ids = torch.tensor([3, 10, 45, 46])
    buffer.update_priorities(ids, torch.tensor([9.0, 9.0, torch.nan, torch.inf]))
    for tensor, old in zip(buffer._priorities.sums.tensors(), before, strict=True):
        assert (tensor == old).all()
    buffer.update_priorities(torch.tensor([45, 5]), torch.tensor([7.0, 9.0]))
    assert float(buffer._priorities.sums.sums[0][0, 45 % 20]) == pytest.approx(7.0, rel=1e-5)


def test_big_rings_need_several_levels():
    buffer = made(sampler="per:alpha=1,eps=0", streams=1, capacity=10_000, observation=(1,))
    zero = torch.zeros(1, 1)
    for t in range(10_000):
        buffer.add(zero + t, zero, torch.zeros(1), zero + t + 1)
    assert len(buffer._priorities.sums.sums) == 3
    errors = torch.zeros(10_000)
    errors[[17, 4242, 9999]] = torch.tensor([1.0, 2.0, 1.0])
    buffer.update_priorities(torch.arange(10_000), errors)
    rows = (buffer.sample(4000).id & (2**44 - 1)).numpy()
    assert set(rows) == {17, 4242, 9999}
    assert abs((rows == 4242).mean() - 0.5) < 0.001  # stratified draws


def test_dict_observations_and_fields():
    buffer = mneme.torch.ReplayBuffer(
        {"policy": (2,), "image": ((2, 2), "uint8")}, (), 10, 3, fields={"cost": ()}
    )
    for t in range(25):
        now = {
            "policy": torch.full((3, 2), float(t)),
            "image": torch.full((3, 2, 2), t, dtype=torch.uint8),
        }
        then = {name: part + 1 for name, part in now.items()}
        buffer.add(now, torch.zeros(3), torch.zeros(3), then, cost=torch.full((3,), float(t)))
    batch = buffer.sample(64)
    assert (batch.next_observation["image"] == batch.observation["image"] + 1).all()
    assert (batch.observation["policy"][:, 0] == batch.cost).all() and buffer.cuts == 0


@pytest.mark.parametrize("sampler", ["truncated_geometric", "per"])
def test_a_restored_buffer_draws_the_same(sampler):
    buffer, other = made(sampler=sampler), made(sampler=sampler)
    fill(buffer, 70, every=9)
    buffer.sample(16)
    other.load_state_dict(buffer.state_dict())
    for _ in range(3):
        a, b = buffer.sample(16), other.sample(16)
        assert all((a[name] == b[name]).all() for name in a)
        buffer.update_priorities(a.id, a.reward)
        other.update_priorities(b.id, b.reward)
        row = step(100)
        buffer.add(*row)
        other.add(*row)
    with pytest.raises(ValueError, match="other shapes"):
        made(sampler=sampler, capacity=51).load_state_dict(buffer.state_dict())


def test_trusted_flags_keep_windows_whole():
    buffer = made(trust_flags=True, n_step=3)
    for t in range(40):
        now, action, reward, then = step(t)
        buffer.add(now + 0.01, action, reward, then)
    assert buffer.cuts == 0 and (buffer.sample(64).horizon == 3).all()


def test_refused_arguments():
    for options, words in (
        ({"capacity": 0}, "capacity must be at least 1, got 0"),
        ({"n_step": 51}, "at most the capacity 50"),
        ({"discount": 2.0}, "discount must be from 0 to 1"),
        ({"horizon": "half"}, "horizon must be full or clip"),
        ({"stream_policy": "weighted:1"}, "stream_policy must be"),
        ({"final_rows": 0}, "final_rows must be from 1"),
        ({"sampler": "rank_per"}, "does not run on a device"),
        ({"sampler": "per:new_rows=stored"}, "new_rows must be seen"),
    ):
        with pytest.raises(ValueError, match=words):
            made(**options)
    with pytest.raises(KeyError, match="unknown parameter 'alfa'"):
        made(sampler="per:alfa=1")
    buffer = made()
    with pytest.raises(ValueError, match="add more before sampling"):
        buffer.sample(4)
    now, action, reward, then = step(0)
    with pytest.raises(TypeError, match="observation must be a tensor on cpu, got ndarray"):
        buffer.add(now.numpy(), action, reward, then)
    with pytest.raises(ValueError, match=r"action must have shape \(4, 1\)"):
        buffer.add(now, action[:3], reward, then)
    with pytest.raises(ValueError, match=r"must be torch\.float32, got torch\.int64"):
        buffer.add(now.long(), action, reward, then)
    with pytest.raises(ValueError, match="fields must be"):
        buffer.add(now, action, reward, then, cost=reward)
    assert len(buffer) == 0
