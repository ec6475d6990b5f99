"""mneme/worker/suites/isaac.py - the six Isaac Lab tasks that FastTD3 trains; needs a GPU.

Isaac Lab allows one simulator per process, so a worker has one group. Any other id of Isaac Lab can
be named. Options:

    device=cuda:0
    random_start=true|false   true, as in FastTD3's training: after a reset of all environments, episodes
                              are at random steps. Evaluations set false (isaac.ini): otherwise the first
                              episode of every environment would be cut short, and returns biased low
    final=native|recorder|reset_idx|none   how terminal observations are read (tensors.py); default: the
                              best that the version supports
    bound=1.0                 actions are [-1, 1] times this
"""

from ..tensors import Tensors, Torch
from . import facts

FACTS = facts("isaac")
IDS = {
    "velocity-flat-g1": "Isaac-Velocity-Flat-G1-v0",
    "velocity-rough-g1": "Isaac-Velocity-Rough-G1-v0",
    "velocity-flat-h1": "Isaac-Velocity-Flat-H1-v0",
    "velocity-rough-h1": "Isaac-Velocity-Rough-H1-v0",
    "repose-cube-allegro": "Isaac-Repose-Cube-Allegro-Direct-v0",
    "repose-cube-shadow": "Isaac-Repose-Cube-Shadow-Direct-v0",
}
OPTIONS = ("device", "random_start", "final", "bound")

_launched = []


def id_of(task):
    """The id of a listed task; any other name is an id already."""
    return IDS.get(task.lower().replace("-direct", ""), task)


def make(group):
    if _launched:
        raise ValueError("Isaac Lab has one simulator per process: one group per worker")
    known = id_of(group.task)
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
        raise LookupError(f"there is no task isaac/{group.task}; known: {', '.join(FACTS.tasks)}")
    cfg = parse_env_cfg(known, device=device, num_envs=group.count)
    cfg.seed = group.seeds[0]
    if hasattr(cfg, "compute_final_obs") and way in (None, "native"):
        cfg.compute_final_obs = True
    environment = gymnasium.make(known, cfg=cfg, render_mode=None)
    return Tensors(group, environment, Torch(device), bound, random_start, way)
