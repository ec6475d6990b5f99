"""mneme/worker/suites/robotics.py - Gymnasium-Robotics by its ids.

Goal environments observe achieved goal, desired goal and the rest, in the order of these names
(keys=sorted); success is info["is_success"], of Adroit's tasks info["success"]. Options are keyword
arguments of gymnasium.make.
"""

from . import gym

PACKAGES = ("gymnasium-robotics", "gymnasium", "mujoco", "numpy")
TASKS = (
    "FetchReachDense-v4",
    "FetchPushDense-v4",
    "FetchSlideDense-v4",
    "FetchPickAndPlaceDense-v4",
    "HandReachDense-v3",
    "HandManipulateBlockRotateXYZDense-v1",
    "HandManipulateEggRotateDense-v1",
    "HandManipulatePenRotateDense-v1",
    "AdroitHandDoor-v1",
    "AdroitHandHammer-v1",
    "AdroitHandPen-v1",
    "AdroitHandRelocate-v1",
)
CHECKED = ("FetchReachDense-v4", "HandManipulateBlockRotateXYZDense-v1", "AdroitHandDoor-v1")


def randomness(task):
    return "episodes"


def make(group):
    import gymnasium
    import gymnasium_robotics

    if hasattr(gymnasium, "register_envs"):
        gymnasium.register_envs(gymnasium_robotics)
    success = "success" if group.task.startswith("Adroit") else "is_success"
    return gym.singles(group, group.task, group.take("success", success))
