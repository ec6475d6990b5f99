"""mneme/worker/suites/envpool.py - any id of EnvPool.

Options are the keys of its specs (`frame_skip=2`), read as JSON where they are JSON. Seeds go into
the constructor. A pool has one thread unless num_threads says otherwise: the trainer divides the
rows among workers.

What EnvPool calls Meta-World and MyoSuite is not what the packages do: goals are drawn anew for
every episode, and up to 1.2.5 MyoSuite's random tasks draw none. `metaworld` and `myo` host the
packages.
"""

from ..envpool import Pool
from . import gym

PACKAGES = ("envpool", "gymnasium", "numpy")
TASKS = (
    "CheetahRun-v1",
    "WalkerRun-v1",
    "HumanoidRun-v1",
    "Ant-v4",
    "HalfCheetah-v4",
    "Hopper-v4",
    "Humanoid-v4",
    "Walker2d-v4",
    "Pendulum-v1",
)
CHECKED = ("CheetahRun-v1", "HalfCheetah-v4", "Pendulum-v1")


def randomness(task):
    return "episodes"


def make(group):
    import envpool

    if group.task not in envpool.list_all_envs():
        raise LookupError(
            f"there is no task envpool/{group.task}; envpool.list_all_envs() has them"
        )
    options = gym.arguments(group)
    options.setdefault("num_threads", 1)
    if group.limit:
        options["max_episode_steps"] = group.limit
    pool = envpool.make_gymnasium(
        group.task, num_envs=group.count, seed=list(group.seeds), **options
    )
    return Pool(group, pool, int(pool.config.get("max_episode_steps", 0)))
