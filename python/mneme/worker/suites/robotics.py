"""mneme/worker/suites/robotics.py - Gymnasium-Robotics by its ids.

Goal environments observe achieved_goal, desired_goal and observation, in this order (keys=sorted).
Success is info["is_success"], in Adroit's tasks info["success"]. Options are keyword arguments of
gymnasium.make.
"""

from . import facts, gym

FACTS = facts("robotics")


def make(group):
    import gymnasium
    import gymnasium_robotics

    if hasattr(gymnasium, "register_envs"):
        gymnasium.register_envs(gymnasium_robotics)
    success = "success" if group.task.startswith("Adroit") else "is_success"
    return gym.singles(group, group.task, group.take("success", success))
