"""mneme/worker/suites/humanoid_bench.py - HumanoidBench by its own package, from a checkout.

The package is not on PyPI: install it with `pip install --no-deps -e CHECKOUT`, or name its absolute
path in PYTHONPATH. Ids are those of the package (`h1hand-walk-v0`; -v0 may be omitted). Making an
environment needs an off-screen renderer: MUJOCO_GL is osmesa unless set. Options are keyword
arguments of gymnasium.make.
"""

import os

from . import facts, gym

FACTS = facts("humanoid_bench")
# Tasks with info["success"]; the paper scores the others by their returns.
_WITH_SUCCESS = ("push", "cabinet", "truck", "bookshelf", "basketball", "package")


def make(group):
    os.environ.setdefault("MUJOCO_GL", "osmesa")
    import gymnasium
    import humanoid_bench  # noqa: F401 - registers its ids

    name = group.task if group.task in gymnasium.registry else group.task + "-v0"
    if name not in gymnasium.registry:
        raise LookupError(
            f"there is no task humanoid_bench/{group.task}; its ids are like {FACTS.tasks[0]}"
        )
    success = "success" if any(f"-{task}" in name for task in _WITH_SUCCESS) else None
    return gym.singles(group, name, group.take("success", success))
