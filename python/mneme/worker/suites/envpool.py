"""mneme/worker/suites/envpool.py - any id of EnvPool.

Options are the keys of its specs (`frame_skip=2`), parsed as JSON where they are JSON. The
constructor takes the seeds. A pool has one thread unless num_threads is set, because the trainer
divides the rows among workers.

EnvPool's versions of Meta-World and MyoSuite differ from the packages: goals change with every
episode, and up to 1.2.5 MyoSuite's random tasks draw no goal. Use `metaworld` and `myo` instead.
"""

from ..envpool import Pool
from . import facts, gym

FACTS = facts("envpool")


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
