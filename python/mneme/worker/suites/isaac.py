"""mneme/worker/suites/isaac.py - the six tasks of Isaac Lab that FastTD3 trains. Needs its
simulator and a GPU.

Isaac Lab allows one simulator per process, so a worker has one group. Options: device=cuda:0;
random_start=true|false (as FastTD3's training: after a reset of all, episodes are at random places
of their time; false for evaluation); final=native|recorder|reset_idx|none (see tensors.py; the best
that the version allows); bound=1.0 (actions are [-1, 1] times this). Other ids are made as they
are.
"""

from ..tensors import Tensors, Torch

PACKAGES = ("isaaclab", "isaacsim", "torch", "gymnasium", "numpy")
IDS = {
    "velocity-flat-g1": "Isaac-Velocity-Flat-G1-v0",
    "velocity-rough-g1": "Isaac-Velocity-Rough-G1-v0",
    "velocity-flat-h1": "Isaac-Velocity-Flat-H1-v0",
    "velocity-rough-h1": "Isaac-Velocity-Rough-H1-v0",
    "repose-cube-allegro": "Isaac-Repose-Cube-Allegro-Direct-v0",
    "repose-cube-shadow": "Isaac-Repose-Cube-Shadow-Direct-v0",
}
TASKS = tuple(IDS)
CHECKED = ("velocity-flat-h1",)
OPTIONS = ("device", "random_start", "final", "bound")

_launched = []


def randomness(task):
    return "not looked at"  # one generator for all rows, and not the same bits twice


def make(group):
    if _launched:
        raise ValueError("Isaac Lab has one simulator per process: one group per worker")
    known = IDS.get(group.task.lower().replace("-direct", ""), group.task)
    device = group.take("device", "cuda:0")
    random_start = group.take("random_start", "true", ("true", "false")) == "true"
    way = group.take("final", None, (None, "native", "recorder", "reset_idx", "none"))
    bound = group.take_number("bound", 1.0, 0.0, 1e6)
    group.all_taken(OPTIONS)

    from isaaclab.app import AppLauncher  # before anything else of it

    _launched.append(AppLauncher(headless=True, device=device))
    import gymnasium
    import isaaclab_tasks  # noqa: F401 - registers its ids
    from isaaclab_tasks.utils.parse_cfg import parse_env_cfg

    if known not in gymnasium.registry:
        raise LookupError(f"there is no task isaac/{group.task}; known: {', '.join(TASKS)}")
    cfg = parse_env_cfg(known, device=device, num_envs=group.count)
    cfg.seed = group.seeds[0]
    if hasattr(cfg, "compute_final_obs") and way in (None, "native"):
        cfg.compute_final_obs = True
    environment = gymnasium.make(known, cfg=cfg, render_mode=None)
    return Tensors(group, environment, Torch(device), bound, random_start, way)
