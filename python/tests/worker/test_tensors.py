"""tests/worker/test_tensors.py - Isaac Lab's interface, with a synthetic simulator in its place.

No graphics card is needed. The simulator behaves as Isaac Lab does: a dict of tensors, buffers of
rewards and flags that the next step overwrites, resets within the step before observations are made.
With torch where it is installed, and with arrays everywhere.
"""

import numpy as np
import pytest
from mneme_worker import block
from mneme_worker.messages import Group
from mneme_worker.spaces import Box, Dict
from mneme_worker.tensors import Numpy, Tensors, Torch

COUNT, WIDTH, ACTIONS, LENGTH = 5, 6, 3, 7


class Arrays:
    """What the stand-in needs, of NumPy."""

    kind = "numpy"
    operations = staticmethod(Numpy)

    def zeros(self, shape, kind):
        return np.zeros(shape, kind)

    def rows(self, mask):
        return np.flatnonzero(mask)

    def column(self, values):
        return np.asarray(values)

    def stack(self, columns):
        return np.stack([np.asarray(each, np.float32) for each in columns], 1)


class Tensored:
    kind = "torch"

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="torch is not installed here")

    def operations(self):
        return Torch("cpu")

    def zeros(self, shape, kind):
        return self.torch.zeros(shape, dtype=getattr(self.torch, np.dtype(kind).name))

    def rows(self, mask):
        return mask.nonzero(as_tuple=False).squeeze(-1)

    def column(self, values):
        return self.torch.as_tensor(values)

    def stack(self, columns):
        return self.torch.stack([each.to(self.torch.float32) for each in columns], 1)


class Config:
    compute_final_obs = False


class Recorders:
    """A recorder manager without terms: it must not be asked for more than Isaac Lab asks it."""

    active_terms = ()

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        if not name.startswith("record_"):
            raise AttributeError(name)
        return lambda *_: self.calls.append(name)


class Simulator:
    """Row i falls after (i + 3) steps or times out after LENGTH; its observation is (row, episode,
    step, last action...)."""

    def __init__(self, arrays, style, native=False):
        self.a, self.style = arrays, style
        self.cfg = Config()
        self.cfg.compute_final_obs = native
        self.num_envs, self.max_episode_length = COUNT, LENGTH
        self.single_observation_space = Dict({"policy": Box(-np.inf, np.inf, (WIDTH,), np.float32)})
        self.single_action_space = Box(-np.inf, np.inf, (ACTIONS,), np.float32)
        self.episode_length_buf = arrays.zeros(COUNT, np.int64)
        self.reward_buf = arrays.zeros(COUNT, np.float32)
        self.reset_terminated, self.reset_time_outs = (arrays.zeros(COUNT, bool) for _ in range(2))
        self.episode, self.actions = (
            arrays.zeros(COUNT, np.int64),
            arrays.zeros((COUNT, ACTIONS), np.float32),
        )
        self.row = arrays.column(np.arange(COUNT))
        self.observed = 0
        if style == "manager":
            self.recorder_manager, self.observation_manager = Recorders(), object()
        self.obs_buf = {}

    @property
    def unwrapped(self):
        return self

    def _get_observations(self):
        self.observed += 1
        parts = [self.row, self.episode, self.episode_length_buf]
        return {"policy": self.a.stack([*parts, *(self.actions[:, i] for i in range(ACTIONS))])}

    def reset(self):
        self._reset_idx(self.row)
        self.obs_buf = self._get_observations()
        return self.obs_buf, {}

    def _reset_idx(self, rows):
        self.episode[rows] += 1
        self.episode_length_buf[rows] = 0
        self.actions[rows] = 0

    def step(self, action):
        extras = {}
        self.actions[:] = action
        self.episode_length_buf += 1
        self.reset_terminated[:] = self.episode_length_buf >= self.row + 3
        self.reset_time_outs[:] = self.episode_length_buf >= LENGTH
        self.reward_buf[:] = self.actions.sum(1) + self.episode_length_buf
        over = self.reset_terminated | self.reset_time_outs
        if self.style == "manager":
            if len(self.recorder_manager.active_terms) > 0:
                self.obs_buf = self._get_observations()
                self.recorder_manager.record_post_step()
        if self.cfg.compute_final_obs:
            extras["final_obs"] = self._get_observations()
        rows = self.a.rows(over)
        if len(rows):
            if self.style == "manager":
                self.recorder_manager.record_pre_reset(rows)
            self._reset_idx(rows)
        self.obs_buf = self._get_observations()
        return self.obs_buf, self.reward_buf, self.reset_terminated, self.reset_time_outs, extras

    def close(self):
        pass


@pytest.fixture(params=[Arrays, Tensored])
def arrays(request):
    return request.param()


def driven(arrays, style, dtype="f32", **options):
    simulator = Simulator(arrays, style, options.pop("native", False))
    runner = Tensors(Group("isaac", COUNT, range(COUNT)), simulator, arrays.operations(), **options)
    rows = block.local(COUNT, WIDTH, ACTIONS, dtype)
    runner.attach(rows, 0)
    return simulator, runner, rows


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize(
    ("style", "native", "way"),
    [("manager", False, "recorder"), ("direct", False, "reset_idx"), ("manager", True, "native"),
     ("direct", True, "native")],
)  # fmt: skip
def test_terminal_observations_are_exact(arrays, style, native, way, dtype):
    _, runner, rows = driven(arrays, style, native=native, dtype=dtype)
    assert runner.way == way and runner.final
    runner.reset()
    assert rows.final_observation[:, 0].tolist() == list(range(COUNT))
    episode, step = np.ones(COUNT), np.zeros(COUNT)
    random = np.random.RandomState(1)
    for _ in range(40):
        action = random.uniform(-2, 2, (COUNT, ACTIONS)).astype(np.float32)
        rows.flags[:] = 0
        rows.action[:] = action
        action = np.clip(action, -1, 1)
        runner.step()
        step += 1
        terminated, truncated = step >= np.arange(COUNT) + 3, step >= LENGTH
        over = terminated | truncated
        want = np.column_stack([np.arange(COUNT), episode, step, action])
        np.testing.assert_array_equal(rows.final_observation, want.astype(np.float32))
        np.testing.assert_allclose(rows.reward, action.sum(1) + step, rtol=1e-6)
        episode, step = episode + over, np.where(over, 0, step)
        first = np.column_stack([np.arange(COUNT), episode, step, np.zeros((COUNT, ACTIONS))])
        np.testing.assert_array_equal(rows.observation[over], first[over])
        np.testing.assert_array_equal(
            rows.flags, terminated * 1 + truncated * 2 + over * block.BEGUN
        )


def test_missing_terminal_observations_are_flagged(arrays):
    _, runner, rows = driven(arrays, "direct", way="none")
    assert not runner.final
    runner.reset()
    rows.action[:] = 0
    for _ in range(3):
        runner.step()
    assert rows.flags.tolist() == [block.TERMINATED | block.BEGUN | block.NOT_FINAL, 0, 0, 0, 0]
    assert rows.final_observation[0, 2] == 0  # the reset observation, as FastTD3 stores it


def test_random_start_spreads_the_ends(arrays):
    simulator, runner, _ = driven(arrays, "direct", random_start=True)
    seen = set()
    for _ in range(20):
        runner.reset()
        seen.update(int(number) for number in simulator.episode_length_buf)
    assert seen == set(range(LENGTH))


def first_returns(arrays, **options):
    """Returns of the first episode of every row, which is what an evaluation scores."""
    _, runner, rows = driven(arrays, "direct", **options)
    totals, running = [], np.ones(COUNT, bool)
    for _ in range(5):
        runner.reset()
        total, running = np.zeros(COUNT), np.ones(COUNT, bool)
        for _ in range(LENGTH):
            rows.flags[:] = 0
            runner.step()
            total[running] += 1
            running &= (rows.flags & block.BEGUN) == 0
        totals.append(total)
    return np.mean(totals, axis=0)


def test_random_start_shortens_first_episodes(arrays):
    whole = first_returns(arrays, random_start=False)
    np.testing.assert_array_equal(whole, np.minimum(np.arange(COUNT) + 3, LENGTH))
    assert (first_returns(arrays, random_start=True) <= whole).all()
    assert first_returns(arrays, random_start=True).sum() < whole.sum() - 1


def test_a_step_costs_no_more_observations_than_needed(arrays):
    for style, native, each in (("manager", False, 2), ("manager", True, 3), ("direct", False, 1)):
        simulator, runner, rows = driven(arrays, style, native=native)
        runner.reset()
        rows.action[:] = 0
        before = simulator.observed
        runner.step()  # nothing ends here
        # native: that of the stand-in, plus the one it publishes; no recorder of ours beside it
        assert simulator.observed - before == (each if not native else 2)


def test_unsupported_options_are_rejected(arrays):
    simulator = Simulator(arrays, "direct")
    for group, message in (
        (Group("isaac", COUNT, range(COUNT), repeat=2), "repeat=2"),
        (Group("isaac", 2, range(2)), "has 5 environments, not 2"),
        (Group("isaac", COUNT, range(COUNT), limit=3), "the simulator has 7"),
    ):
        with pytest.raises(ValueError, match=message):
            Tensors(group, simulator, arrays.operations())
