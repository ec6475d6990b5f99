"""mneme/worker/suites/myo.py - the ten hand tasks of MyoSuite 2.12.

The protocol is that of SimbaV2: the registered time limit, at most 100 steps; success is
info["solved"]; the trainer asks for repeat=2. The constructor takes the seed, because MyoSuite
ignores the seed of reset. Any other id of MyoSuite can be named (`myo/myoElbowPose1D6MRandom-v0`).
"""

from ..loop import Singles
from . import facts

FACTS = facts("myo")
IDS = {
    "reach": "myoHandReachFixed-v0",
    "reach-hard": "myoHandReachRandom-v0",
    "pose": "myoHandPoseFixed-v0",
    "pose-hard": "myoHandPoseRandom-v0",
    "obj-hold": "myoHandObjHoldFixed-v0",
    "obj-hold-hard": "myoHandObjHoldRandom-v0",
    "key-turn": "myoHandKeyTurnFixed-v0",
    "key-turn-hard": "myoHandKeyTurnRandom-v0",
    "pen-twirl": "myoHandPenTwirlFixed-v0",
    "pen-twirl-hard": "myoHandPenTwirlRandom-v0",
}
LIMIT = 100


def make(group):
    import gymnasium
    import myosuite  # noqa: F401 - registers its ids

    name = IDS.get(group.task, group.task)
    if name not in gymnasium.registry:
        raise LookupError(
            f"there is no task myo/{group.task}; known: {', '.join(FACTS.tasks)}, and ids of MyoSuite"
        )
    group.all_taken(())
    registered = gymnasium.spec(name).max_episode_steps or LIMIT
    limit = group.limit or (min(registered, LIMIT) if group.task in IDS else registered)
    environments = [
        gymnasium.make(name, seed=seed, max_episode_steps=limit, disable_env_checker=True)
        for seed in group.seeds
    ]
    return Singles(
        group, environments, success="solved", horizon=limit, reseed=_reseed, at_reset=False
    )


def _reseed(environment, seed):
    environment.unwrapped.seed(seed)
