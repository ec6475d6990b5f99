"""mneme/worker/suites/dm_control.py - DeepMind's Control Suite by the names of our native tasks,
DOMAIN-TASK.

Parts of the observation are in the order of their names or of the suite, as in the native tasks. A
last step whose discount is 1 is truncated, any other terminated. The seed goes into the
constructor.
"""

from ..loop import Singles
from ..spaces import Box, Dict

PACKAGES = ("dm_control", "mujoco", "numpy")
TASKS = tuple(
    "acrobot-swingup acrobot-swingup_sparse ball_in_cup-catch cartpole-balance cartpole-balance_sparse cartpole-swingup "
    "cartpole-swingup_sparse cheetah-run dog-stand dog-walk dog-trot dog-run finger-spin finger-turn_easy "
    "finger-turn_hard fish-upright fish-swim hopper-stand hopper-hop humanoid-stand humanoid-walk humanoid-run "
    "pendulum-swingup point_mass-easy point_mass-hard quadruped-walk quadruped-run reacher-easy reacher-hard "
    "swimmer-swimmer6 swimmer-swimmer15 walker-stand walker-walk walker-run".split()
)
CHECKED = ("cartpole-swingup", "walker-run", "humanoid-run")


def randomness(task):
    return "episodes"


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

    os.environ.setdefault("MUJOCO_GL", "disable")  # nothing is drawn, and no display is looked for
    from dm_control import suite

    domain, dash, task = group.task.partition("-")
    if not dash or (domain, task) not in suite.ALL_TASKS:
        raise LookupError(f"there is no task dm_control/{group.task}; known: {', '.join(TASKS)}")
    group.all_taken(())
    environments = [suite.load(domain, task, task_kwargs={"random": seed}) for seed in group.seeds]
    own = environments[0]._step_limit
    limit = group.limit or (0 if own == float("inf") else int(own))
    for environment in environments:
        # A longer limit than the suite's takes the suite's away; that of the loop truncates.
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
