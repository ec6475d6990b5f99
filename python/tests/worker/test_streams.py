"""tests/worker/test_streams.py - equal transitions in every way of stepping the same environments."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mneme_worker import block, suites
from mneme_worker.loop import Fault, Loop, Singles
from mneme_worker.messages import Group, Make
from mneme_worker.serve import build
from mneme_worker.spaces import Box

gymnasium = pytest.importorskip("gymnasium")
VERSION = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
if VERSION >= (1, 1):
    MODES = ["next_step", "same_step", "disabled"]
else:
    MODES = ["same_step" if VERSION < (1, 0) else "next_step"]


class Driven:
    """What trainer.streams() needs, without a process."""

    def __init__(self, groups, dtype="f64", fault="stop"):
        request = Make("synthetic", dtype, fault, groups)
        self.runners, facts = build(request, suites.load("synthetic"))
        self.rows = sum(group.count for group in groups)
        width = max(each.observations.size for each in facts)
        self.block = block.local(self.rows, width, max(each.actions.size for each in facts), dtype)
        first = 0
        for runner in self.runners:
            runner.attach(self.block, first)
            first += runner.count

    def reset(self, nonce=0):
        self.block.flags[:] = 0
        for runner in self.runners:
            runner.reset(nonce)
        return self.block.final_observation.copy()

    def step(self, actions):
        self.block.flags[:] = 0
        self.block.action[:, : actions.shape[1]] = actions
        for runner in self.runners:
            runner.step()
        return self.block


def streams(driven, steps):
    """As trainer.streams(), which wants eventfd."""
    now = driven.reset()
    found = [[] for _ in range(driven.rows)]
    for _ in range(steps):
        action = np.array([[np.sin(row + len(found[row])), 0.25] for row in range(driven.rows)])
        rows = driven.step(action)
        for row in range(driven.rows):
            flags, after = int(rows.flags[row]), rows.final_observation[row].tolist()
            if not flags & block.NO_STEP:
                found[row].append((list(now[row]), rows.reward[row], after, flags & 7))
            begun = flags & block.BEGUN
            now[row] = rows.observation[row] if begun else after
    return found


def same(one, other):
    for mine, yours in zip(one, other, strict=True):
        count = min(len(mine), len(yours))
        assert count > 5 and mine[:count] == yours[:count]


@pytest.mark.parametrize("limit", [0, 4])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("mode", MODES)
def test_all_modes_agree_with_the_loop(mode, dtype, limit):
    def made(task):
        return Driven(
            [Group(task, 3, [1, 2, 3], limit=limit, options={"lengths": "3/5/1/7"})], dtype
        )

    loop, vector = streams(made("loop"), 60), streams(made(mode), 60)
    same(loop, vector)
    assert all(len(row) == 60 for row in loop)
    # One step of every episode is lost where the source resets by itself in the next step.
    assert all((len(row) < 60) == (mode == "next_step") for row in vector)


@settings(max_examples=30, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=5),
    limit=st.integers(0, 5),
    repeat=st.integers(1, 4),
    counts=st.lists(st.integers(1, 3), min_size=1, max_size=3),
)
def test_repeated_actions_and_limits(lengths, limit, repeat, counts):
    """The loop against one that is written as the definition reads, one environment at a time."""
    options = {"lengths": "/".join(map(str, lengths))}
    groups = [
        Group("loop", count, range(7, 7 + count), repeat if k != 1 else 1, limit, options=options)
        for k, count in enumerate(counts)
    ]
    driven = Driven(groups)
    plain = []
    for group in [Group(g.task, g.count, g.seeds, g.repeat, options=dict(options)) for g in groups]:
        made = suites.load("synthetic").make(group)
        plain += [[each, group.repeat, 0] for each in made.environments]
    first = driven.reset()
    for (each, _, _), seed, row in zip(
        plain, [s for g in groups for s in g.seeds], first, strict=True
    ):
        np.testing.assert_array_equal(each.reset(seed=seed)[0], row)
    for step in range(25):
        action = np.array([[np.sin(step + row), 0.5] for row in range(driven.rows)])
        rows = driven.step(action)
        for row, entry in enumerate(plain):
            total, success = 0.0, False
            for _ in range(entry[1]):
                entry[2] += 1
                after, reward, terminated, truncated, info = entry[0].step(
                    action[row].astype(np.float32)
                )
                total, success = total + reward, success or info["success"]
                truncated = truncated or (limit > 0 and entry[2] >= limit)
                if terminated or truncated:
                    break
            np.testing.assert_array_equal(rows.final_observation[row], after)
            assert rows.reward[row] == total
            want = terminated * 1 | truncated * 2 | success * 4
            if terminated or truncated:
                np.testing.assert_array_equal(rows.observation[row], entry[0].reset()[0])
                entry[2], want = 0, want | block.BEGUN
            assert rows.flags[row] == want


@pytest.mark.skipif(
    "same_step" not in MODES, reason="this version of Gymnasium has no same-step mode"
)
def test_repeat_needs_single_environments():
    with pytest.raises(ValueError, match="repeat=2; environments that step together allow only 1"):
        Driven([Group("same_step", 2, [1, 2], repeat=2)])


class Keeper:
    """Keeps what it is given, as environments with a term on the last action do."""

    def __init__(self):
        self.observation_space = Box(-9, 9, (2,), np.float64)
        self.action_space = Box(-1, 1, (2,), np.float32)
        self.kept = []

    def reset(self, seed=None):
        return np.zeros(2), {}

    def step(self, action):
        self.kept.append(action)
        if len(self.kept) == 5:
            raise RuntimeError("enough")
        return np.zeros(2), np.float32(1), np.bool_(False), np.bool_(False), {}


@pytest.mark.parametrize("count", [1, 2])
def test_an_environment_may_keep_its_actions(count):
    keepers = [Keeper() for _ in range(count)]
    loop = Loop([Singles(Group("keeper", count, range(count)), keepers)])
    rows = block.local(count, 2, 2, "f32")
    loop.attach(rows, 0)
    loop.reset()
    for number in range(4):
        rows.action[:] = number / 4
        loop.step()
    for keeper in keepers:
        assert [float(action[0]) for action in keeper.kept] == [0, 0.25, 0.5, 0.75]
        assert all(action.dtype == np.float32 and action.shape == (2,) for action in keeper.kept)
    with pytest.raises(Fault) as caught:
        loop.step()
    assert caught.value.row == 0 and str(caught.value.__cause__) == "enough"


def test_reset_that_throws_names_its_row():
    class Broken(Keeper):
        def reset(self, seed=None):
            raise OSError("no such place")

    for drop in (False, True):
        made = [Keeper(), Broken()]
        loop = Loop([Singles(Group("broken", 2, [1, 2]), made)], drop=drop)
        rows = block.local(2, 2, 2, "f32")
        loop.attach(rows, 0)
        if not drop:
            with pytest.raises(Fault) as caught:
                loop.reset()
            assert caught.value.row == 1
        else:
            loop.reset()
            loop.step()
            assert rows.flags.tolist() == [0, block.DROPPED] and rows.reward.tolist() == [1, 0]


class FakePool:
    """The part of EnvPool that is used: next-step resets, subsets, lists of arrays."""

    _state_keys = ("info:env_id", "info:players.env_id", "elapsed_step", "done", "reward", "discount",
                   "step_type", "trunc", "obs", "info:success")  # fmt: skip

    def __init__(self, environments, limit):
        self.environments, self.limit = environments, limit
        self.observation_space = environments[0].observation_space
        self.action_space = environments[0].action_space
        self.elapsed = [0] * len(environments)
        self.queue = None

    def _reset(self, ids):
        rows = []
        for index in ids:
            first = self.elapsed[index] is None
            self.elapsed[index] = 0
            seed = None if not first and self.environments[index]._seed >= 0 else 7 + int(index)
            rows.append((self.environments[index].reset(seed=seed)[0], 0.0, False, False, False))
        self._answer(ids, rows)

    def _send(self, parts):
        ids, _, actions = parts
        assert ids.dtype == np.int32 and len(actions) == len(ids) and actions.flags.c_contiguous
        rows = []
        for index, action in zip(ids, actions, strict=True):
            assert self.elapsed[index] >= 0, "sent after its end"
            observation, reward, terminated, truncated, info = self.environments[index].step(action)
            self.elapsed[index] += 1
            late = truncated or bool(self.limit and self.elapsed[index] >= self.limit)
            done = terminated or late
            if done:
                self.elapsed[index] = -1
            rows.append((observation, reward, done, late and not terminated, info["success"]))
        self._answer(ids, rows)

    def _answer(self, ids, rows):
        observation, reward, done, late, success = (
            np.array(each) for each in zip(*rows, strict=True)
        )
        self.queue = [ids, ids, ids, done, reward, reward, ids, late, observation, success]

    def _recv(self):
        answer, self.queue = self.queue, None
        return answer


@pytest.mark.parametrize("repeat", [1, 3])
def test_pools_are_kept_in_lock_step(repeat):
    from mneme_worker.envpool import Pool

    def environments():
        group = Group("loop", 3, [7, 8, 9], options={"lengths": "4/2/5"})
        made = suites.load("synthetic").make(group).environments
        return made

    made = environments()
    for index, each in enumerate(made):
        each.reset(seed=7 + index)
        each._episode = -1
    pool = Pool(Group("pool", 3, [7, 8, 9], repeat), FakePool(made, 0), 0)
    pool.count = 3
    driven = Driven([Group("loop", 3, [7, 8, 9], repeat, options={"lengths": "4/2/5"})])
    rows = block.local(3, 8, 2, "f64")
    pool.attach(rows, 0)
    pool.reset()
    np.testing.assert_array_equal(rows.final_observation, driven.reset())
    for step in range(40):
        action = np.array([[np.sin(step + row), 0.5] for row in range(3)])
        want = driven.step(action)
        rows.flags[:] = 0
        rows.action[:] = action
        pool.step()
        for name in ("final_observation", "reward", "flags"):
            np.testing.assert_array_equal(getattr(rows, name), getattr(want, name))
        begun = (rows.flags & block.BEGUN) != 0
        np.testing.assert_array_equal(rows.observation[begun], want.observation[begun])


@pytest.mark.parametrize("task", ["loop", MODES[0]])
def test_steps_do_not_leak(task):
    driven = Driven([Group(task, 4, [1, 2, 3, 4])])
    driven.reset()

    def objects():
        gc.collect()
        return len(gc.get_objects())

    action = np.zeros((4, 2))
    for _ in range(100):
        driven.step(action)
    before = objects()
    for _ in range(10_000 if task == "loop" else 1000):
        driven.step(action)
    assert objects() - before < 20
