"""mneme/worker/suites/metaworld.py - the 50 manipulation tasks of Meta-World 3.

The protocol is that of BRC: classes with the goal in the observation, drawn once by the constructor
from its seed and frozen from then on; 200 steps; never terminated; success as info says at every
step. goals=episode draws a new goal for every episode instead, from a generator that the seed
starts.
"""

from ..loop import Singles

PACKAGES = ("metaworld", "mujoco", "gymnasium", "numpy")
# In the order of the paper.
TASKS = tuple(
    "assembly basketball bin-picking box-close button-press-topdown button-press-topdown-wall button-press "
    "button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble door-close door-lock door-open "
    "door-unlock hand-insert drawer-close drawer-open faucet-open faucet-close hammer handle-press-side handle-press "
    "handle-pull-side handle-pull lever-pull pick-place-wall pick-out-of-hole pick-place plate-slide plate-slide-side "
    "plate-slide-back plate-slide-back-side peg-insert-side peg-unplug-side soccer stick-push stick-pull push push-wall "
    "push-back reach reach-wall shelf-place sweep-into sweep window-open window-close".split()
)
CHECKED = ("reach", "pick-place", "door-open")
LIMIT = 200


def randomness(task):
    return "instance"


def make(group):
    from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as classes

    name = f"{group.task}-v3-goal-observable"
    if name not in classes:
        raise LookupError(f"there is no task metaworld/{group.task}; known: {', '.join(TASKS)}")
    goals = group.take("goals", "frozen", ("frozen", "episode"))
    group.all_taken(("goals",))
    limit = group.limit or LIMIT

    environments = []
    for seed in group.seeds:
        environment = classes[name](seed=seed)
        # Its own truncation at 500 steps, after which it refuses to go on, stays out of the way.
        environment.max_path_length = max(environment.max_path_length, limit + 1)
        if goals == "episode":
            environment._freeze_rand_vec = False
            environment.seeded_rand_vec = True
        environments.append(environment)
    reseed = _reseed if goals == "episode" else None
    return Singles(
        group, environments, success="success", limit=limit, reseed=reseed, at_reset=False
    )


def _reseed(environment, seed):
    environment.seed(seed)
