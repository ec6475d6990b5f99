"""mneme/worker/suites/dm_control.py - DeepMind Control by its own package, DOMAIN-TASK.

Parts of the observation are sorted by name or in the suite's order, as in the native tasks. A last
step with discount 1 is truncated, any other terminated. The constructor takes the seed.
"""

from ..loop import Singles
from ..spaces import Box, Dict
from . import facts

FACTS = facts("dm_control")


class Control:
    """An environment of dm_control, with reset and step as in Gymnasium."""

    def __init__(self, environment):
        self.environment = environment
        spec = environment.action_spec()
        self.action_space = Box(spec.minimum, spec.maximum, spec.shape, spec.dtype)
        parts = environment.observation_spec().items()
        self.observation_space = Dict(
            (name, Box(float("-inf"), float("inf"), part.shape, float)) for name, part in parts
        )

    def reset(self):
        return self.environment.reset().observation, {}

    def step(self, action):
        _, reward, discount, observation = now = self.environment.step(action)
        if now.last():
            return observation, reward, discount != 1, discount == 1, {}
        return observation, reward, False, False, {}

    def close(self):
        self.environment.close()


def make(group):
    import os

    os.environ.setdefault("MUJOCO_GL", "disable")  # no renderer, no display
    from dm_control import suite

    domain, dash, task = group.task.partition("-")
    if not dash or (domain, task) not in suite.ALL_TASKS:
        raise LookupError(
            f"there is no task dm_control/{group.task}; known: {', '.join(FACTS.tasks)}"
        )
    group.all_taken(())
    environments = [suite.load(domain, task, task_kwargs={"random": seed}) for seed in group.seeds]
    own = environments[0]._step_limit
    limit = group.limit or (0 if own == float("inf") else int(own))
    for environment in environments:
        # A limit in the task spec replaces the suite's; the loop truncates.
        environment._step_limit = max(own, limit + 1) if group.limit else own
    return Singles(
        group,
        [Control(environment) for environment in environments],
        limit=group.limit,
        horizon=limit,
        reseed=_reseed,
        at_reset=False,
    )


def _reseed(environment, seed):
    environment.environment.task.random.seed(seed)
