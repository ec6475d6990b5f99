"""mneme/worker/suites/gym.py - any id of Gymnasium.

Options are keyword arguments of gymnasium.make, parsed as JSON where they are JSON
(`healthy_reward=2.5`), else text. Two are different: success=KEY names the entry of info that is the
success measure, and vector=entry_point asks for the id's own vector environment. To use an id of a
package that registers itself, write MODULE:ID as in Gymnasium.
"""

import json

from ..loop import Singles
from ..vector import Vector, mode_of
from . import facts

FACTS = facts("gym")


def arguments(group):
    """The remaining options as keyword arguments of gymnasium.make."""
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
    """Environments of a registered id, with its time limit unless the group has one."""
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
