"""mneme/worker/suites/metaworld.py - the 50 manipulation tasks of Meta-World, version 3.

The protocol is that of BRC. The goal is part of the observation; the constructor draws it from the
seed, and it stays frozen. An episode has 200 steps and never terminates; success is info["success"]
at any step. The option goals=episode draws a new goal for every episode from a generator seeded with
the same seed. The paper names the v2 classes; Meta-World 3 has the same tasks as v3.
"""

from ..loop import Singles
from . import facts

FACTS = facts("metaworld")
LIMIT = 200


def make(group):
    from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as classes

    name = f"{group.task}-v3-goal-observable"
    if name not in classes:
        raise LookupError(
            f"there is no task metaworld/{group.task}; known: {', '.join(FACTS.tasks)}"
        )
    goals = group.take("goals", "frozen", ("frozen", "episode"))
    group.all_taken(("goals",))
    limit = group.limit or LIMIT

    environments = []
    for seed in group.seeds:
        environment = classes[name](seed=seed)
        # Meta-World's own limit of 500 steps must not end an episode.
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
