"""mneme/worker/suites/gym.py - any id of Gymnasium.

Options are keyword arguments of gymnasium.make, read as JSON where they are JSON
(`healthy_reward=2.5`), else as text; but for two: success=KEY names the entry of info that tells
success, and vector=entry_point asks for the id's own vector environment. An id of a package that
registers itself is written MODULE:ID, as in Gymnasium.
"""

import json

from ..loop import Singles
from ..vector import Vector, mode_of

PACKAGES = ("gymnasium", "mujoco", "numpy")
TASKS = (
    "Pendulum-v1",
    "MountainCarContinuous-v0",
    "Ant-v5",
    "HalfCheetah-v5",
    "Hopper-v5",
    "Humanoid-v5",
    "HumanoidStandup-v5",
    "InvertedDoublePendulum-v5",
    "InvertedPendulum-v5",
    "Pusher-v5",
    "Reacher-v5",
    "Swimmer-v5",
    "Walker2d-v5",
)
CHECKED = ("Pendulum-v1", "MountainCarContinuous-v0", "HalfCheetah-v5", "Humanoid-v5")


def randomness(task):
    return "episodes"


def arguments(group):
    """What is left of the options, for make."""
    found = {}
    for name, text in group.options.items():
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    group.options = {}
    return found


def make(group):
    import gymnasium

    success = group.take("success", None)
    if group.take("vector", "no", ("no", "entry_point")) == "entry_point":
        return _vector(group, gymnasium, success)
    return singles(group, group.task, success)


def singles(group, name, success=None):
    """Environments of a registered id. The registered time limit holds unless the group has one."""
    import gymnasium

    options = arguments(group)
    if group.limit:
        options["max_episode_steps"] = group.limit
    options.setdefault("disable_env_checker", True)
    environments = [gymnasium.make(name, **options) for _ in range(group.count)]
    spec = environments[0].spec
    horizon = group.limit or (spec.max_episode_steps if spec else 0) or 0
    return Singles(group, environments, success=success, horizon=horizon)


def _vector(group, gymnasium, success):
    options = arguments(group)
    if group.limit:
        options["max_episode_steps"] = group.limit
    made = gymnasium.make_vec(
        group.task, num_envs=group.count, vectorization_mode="vector_entry_point", **options
    )
    version = tuple(int(part) for part in gymnasium.__version__.split(".")[:2])
    horizon = group.limit or (made.spec.max_episode_steps if made.spec else 0) or 0
    return Vector(group, made, mode_of(made, version), success=success, horizon=horizon)
