"""tests/worker/test_suites.py - facts and modules of the suites, and the smoke test."""

import types
from importlib.resources import files

import numpy as np
import pytest
from loading import FOLDER
from mneme_worker import block, check, suites
from mneme_worker.loop import Loop, Singles
from mneme_worker.messages import Group
from mneme_worker.spaces import Box
from mneme_worker.suites import dm_control, gym


def test_every_module_loads_without_its_packages():
    for name in suites.NAMES:
        module = suites.load(name)
        facts = module.FACTS
        assert callable(module.make) and facts.name == name
        assert facts.title and facts.packages and facts.checked
        assert set(facts.checked) <= set(facts.tasks)
        assert len(set(facts.tasks)) == len(facts.tasks)
        assert {facts.starts(task) for task in facts.tasks} <= set(suites.STARTS)
    counts = {name: len(suites.load(name).FACTS.tasks) for name in ("metaworld", "myo", "isaac")}
    assert counts == {"metaworld": 50, "myo": 10, "isaac": 6}


def test_isaac_knows_every_listed_task():
    isaac = suites.load("isaac")
    assert {isaac.id_of(task) for task in isaac.FACTS.tasks} == set(isaac.IDS.values())
    assert isaac.id_of("Isaac-Ant-v0") == "Isaac-Ant-v0"


def test_myo_tasks_start_alike_unless_hard():
    facts = suites.load("myo").FACTS
    assert facts.starts("reach") == "none" and facts.starts("reach-hard") == "episodes"
    assert facts.starts("myoElbowPose1D6MRandom-v0") == "episodes"


def test_requirements_are_pinned_and_describe_themselves():
    listed = {path.stem for path in (FOLDER / "requirements").glob("*.txt")}
    assert listed == set(suites.NAMES) - {"isaac", "synthetic"}
    for name in listed:
        lines = (FOLDER / "requirements" / f"{name}.txt").read_text().splitlines()
        assert lines[0].startswith("# ") and ("MB" in lines[0] or "GB" in lines[0])
        needed = [line for line in lines if not line.startswith("#")]
        assert needed and all("==" in line or line == "packaging" for line in needed)


def test_the_installed_package_has_the_worker():
    pytest.importorskip("mneme", reason="the package is not installed here")
    there = files("mneme").joinpath("worker")
    for path in FOLDER.rglob("*"):
        if path.suffix in (".py", ".txt", ".ini"):
            assert there.joinpath(*path.relative_to(FOLDER).parts).is_file(), path


class Random:
    """First observation: `draw(seed, episode)`."""

    def __init__(self, draw, seed):
        self.observation_space, self.action_space = Box(-1, 1, (4,), float), Box(-1, 1, (1,), float)
        self.draw, self.seed, self.episode = draw, seed, 0

    def reset(self):
        self.episode += 1
        return self.draw(self.seed, self.episode) + np.zeros(4), {}

    def step(self, action):
        return np.full(4, 100 + float(action[0])), 1.0, False, False, {}


def suite(kind, draw):
    def make(group):
        return Singles(group, [Random(draw, seed) for seed in group.seeds], at_reset=False)

    return types.SimpleNamespace(make=make, FACTS=types.SimpleNamespace(starts=lambda task: kind))


DRAWS = {
    "episodes": lambda seed, episode: seed + 10 * episode,
    "instance": lambda seed, episode: seed,
    "none": lambda seed, episode: 5,
    "same in all seeds": lambda seed, episode: episode,
}


@pytest.mark.parametrize("kind", ["episodes", "instance", "none"])
@pytest.mark.parametrize("draw", DRAWS)
def test_check_compares_starts_with_the_facts(kind, draw):
    if kind == draw:
        assert "4 observed, 1 acted on" in check.check_task(suite(kind, DRAWS[draw]), "task")
    else:
        with pytest.raises(check.Failure):
            check.check_task(suite(kind, DRAWS[draw]), "task")


def test_check_rejects_nan_and_unseeded_starts():
    with pytest.raises(check.Failure, match="not finite"):
        check.check_task(suite("none", lambda seed, episode: np.nan), "task")
    calls = []
    with pytest.raises(check.Failure, match="the same seeds begin with other observations"):
        check.check_task(suite("episodes", lambda *_: calls.append(0) or len(calls)), "task")


def test_dm_control_last_step_is_truncated_or_terminated_by_discount():
    class Step(tuple):
        def last(self):
            return self[0] == 2

        @property
        def observation(self):
            return self[3]

    class Fake:
        steps = ()

        def action_spec(self):
            return types.SimpleNamespace(minimum=-1.0, maximum=1.0, shape=(2,), dtype=float)

        def observation_spec(self):
            return {name: types.SimpleNamespace(shape=shape) for name, shape in self.parts}

        parts = (("velocity", (2,)), ("height", ()))

        def reset(self):
            return Step((0, None, None, {"velocity": [1, 2], "height": 3.0}))

        def step(self, action):
            return Step((*self.script.pop(0), {"velocity": [1, 2], "height": 3.0}))

    for order, first in (("sorted", [3, 1, 2]), ("native", [1, 2, 3])):
        fake = Fake()
        fake.script = [(1, 0.5, 1.0), (2, 0.5, 1.0), (2, 0.5, 0.0)]
        group = Group("fake-task", 1, [1], keys=order)
        loop = Loop([Singles(group, [dm_control.Control(fake)], at_reset=False)])
        rows = block.local(1, 3, 2, "f64")
        loop.attach(rows, 0)
        loop.reset()
        assert rows.final_observation[0].tolist() == first
        seen = []
        for _ in range(3):
            rows.flags[:] = 0
            loop.step()
            seen.append(int(rows.flags[0]))
        assert seen == [0, block.TRUNCATED | block.BEGUN, block.TERMINATED | block.BEGUN]


def test_gymnasium_options_are_parsed_as_json():
    group = Group("t", 1, [0], options={"a": "2.5", "b": "text", "c": "[1, 2]", "d": "true"})
    assert gym.arguments(group) == {"a": 2.5, "b": "text", "c": [1, 2], "d": True}


@pytest.mark.parametrize(
    ("task", "limit"), [("Pendulum-v1", 200), ("MountainCarContinuous-v0", 999)]
)
def test_gymnasium_tasks_equal_stepping_by_hand(task, limit):
    gymnasium = pytest.importorskip("gymnasium")
    assert check.check_task(gym, task)
    made = gym.make(Group(task, 1, [3]))
    assert made.horizon == limit
    loop = Loop([gym.make(Group(task, 2, [3, 4], limit=5))])
    size = made.observations.size
    rows = block.local(2, size, 1, "f64")
    loop.attach(rows, 0)
    loop.reset()
    alone = gymnasium.make(task)
    np.testing.assert_array_equal(rows.final_observation[1], alone.reset(seed=4)[0])
    for step in range(1, 6):
        rows.flags[:] = 0
        rows.action[:] = 0.3
        loop.step()
        bound = alone.action_space.high
        after, reward, *_ = alone.step((np.float64(0.3) * bound).astype(np.float32))
        np.testing.assert_array_equal(rows.final_observation[1], after)
        assert rows.reward[1] == reward
        assert rows.flags[1] == (block.TRUNCATED | block.BEGUN if step == 5 else 0)
    np.testing.assert_array_equal(rows.observation[1], alone.reset()[0])


def test_discrete_actions_are_rejected():
    pytest.importorskip("gymnasium")
    with pytest.raises(ValueError, match="the actions are Discrete"):
        gym.make(Group("CartPole-v1", 1, [0]))
