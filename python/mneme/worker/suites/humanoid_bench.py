"""mneme/worker/suites/humanoid_bench.py - HumanoidBench's own package, from a checkout of the
user's.

It is not on PyPI: the interpreter must find it (`pip install --no-deps -e CHECKOUT`, or
PYTHONPATH). Ids are those of the package (`h1hand-walk-v0`; -v0 may be left out). It wants an
off-screen renderer when it is made: MUJOCO_GL=osmesa unless something is set. Options are keyword
arguments of gymnasium.make.
"""

import os

from . import gym

PACKAGES = ("humanoid_bench", "gymnasium", "mujoco", "dm_control", "numpy")
_BODIES = ("h1", "h1hand")
_NAMES = (
    "walk stand run reach hurdle crawl maze sit_simple sit_hard balance_simple balance_hard stair slide pole push "
    "cabinet highbar_hard door truck cube bookshelf_simple bookshelf_hard basketball window spoon kitchen package "
    "powerlift room insert_small insert_normal"
).split()
TASKS = tuple(f"{body}-{name}-v0" for body in _BODIES for name in _NAMES)
CHECKED = ("h1-walk-v0", "h1hand-stand-v0")
# Tasks whose info tells success; of the others the paper counts returns.
_TELLING = ("push", "cabinet", "truck", "bookshelf", "basketball", "package")


def randomness(task):
    return "episodes"


def make(group):
    os.environ.setdefault("MUJOCO_GL", "osmesa")
    import gymnasium
    import humanoid_bench  # noqa: F401 - registers its ids

    name = group.task if group.task in gymnasium.registry else group.task + "-v0"
    if name not in gymnasium.registry:
        raise LookupError(
            f"there is no task humanoid_bench/{group.task}; its ids are like {TASKS[0]}"
        )
    telling = any(f"-{task}" in name for task in _TELLING)
    return gym.singles(group, name, group.take("success", "success" if telling else None))
