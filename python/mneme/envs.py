"""mneme/envs.py - the native tasks as environments of Gymnasium.

    import gymnasium
    import mneme.envs                       # registers the ids

    envs = gymnasium.make_vec("mneme/dmc-walker-run-v0", num_envs=16)
    env = gymnasium.make("mneme/dmc-walker-run-v0")
    envs = mneme.make_vec("dmc/walker-run", num_envs=16, threads=2)

Ids are those of `mneme envs` with - for /. Observations are float32, actions in [-1, 1]. A vector
environment steps all of them in threads of its own and resets in the same step (SAME_STEP): `info`
has `final_obs` where an episode ended, `success` where the task defines it, and `cut` where the
simulation failed and the row should not be learned from. Tasks on MuJoCo need a package that was
built with it (docs/python/envs.md). There is no rendering here: `mneme envs play` makes videos.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from . import _envs

_ID = "mneme/{}-v0"


def _flags(array: np.ndarray) -> np.ndarray:
    return array.view(np.bool_)


def _step_spaces(size: int, actions: int) -> tuple[spaces.Box, spaces.Box]:
    return (
        spaces.Box(-np.inf, np.inf, (size,), np.float32),
        spaces.Box(-1.0, 1.0, (actions,), np.float32),
    )


class _Rows:
    """Arrays that one step fills; new ones each time, so that a caller may keep them."""

    def __init__(self, envs: Any) -> None:
        count, width = envs.count, envs.observation_size
        self.observation = np.empty((count, width), np.float32)
        self.reward = np.zeros(count, np.float32)
        self.final = np.empty((count, width), np.float32)
        self.flags = [np.zeros(count, np.uint8) for _ in range(4)]

    @property
    def numbers(self) -> list[np.ndarray]:
        return [self.observation, self.reward, self.final]


class VectorEnv(gymnasium.vector.VectorEnv):
    """`num_envs` environments of a task, stepped together by `threads` threads.

    `task` is a spec such as "dmc/walker-run" or "dmc/walker-run:repeat=2", as of `mneme envs`.
    """

    def __init__(
        self, task: str, num_envs: int = 1, *, threads: int = 1, seed: int = 0, **options: Any
    ) -> None:
        if options:
            raise TypeError(f"unknown arguments {', '.join(sorted(options))}")
        for name, value in {"num_envs": num_envs, "threads": threads}.items():
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        mode = getattr(gymnasium.vector, "AutoresetMode", None)  # from Gymnasium 1.1
        self.metadata = {
            "render_modes": [],
            "autoreset_mode": mode.SAME_STEP if mode is not None else "SAME_STEP",
        }
        self.task, self.threads, self.num_envs = task, threads, num_envs
        self._make(seed)
        sizes = (self._envs.observation_size, self._envs.action_size)
        self.single_observation_space, self.single_action_space = _step_spaces(*sizes)
        self.observation_space = gymnasium.vector.utils.batch_space(
            self.single_observation_space, num_envs
        )
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._running = False

    def _make(self, seed: int) -> None:
        self._envs = _envs.Envs([self.task], self.num_envs, self.threads, seed)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new episode everywhere. One `seed` for all of them: each draws from its own stream."""
        if isinstance(seed, (list, tuple, np.ndarray)):
            raise ValueError("seed must be one whole number: environment i draws from its stream i")
        if options:
            raise ValueError(f"options must be empty, got {options}; SAME_STEP resets by itself")
        if seed is not None:
            if seed < 0:
                raise ValueError(f"seed must be at least 0, got {seed}")
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(seed)
            self._make(seed)
        rows = _Rows(self._envs)
        self._envs.reset(rows.numbers, rows.flags)
        self._running = True
        return rows.observation, {}

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One step of all of them; observations of those that ended are of their next episode."""
        if not self._running:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        given = np.ascontiguousarray(actions, np.float32)
        if given.shape != self.action_space.shape:
            raise ValueError(
                f"actions must have shape {self.action_space.shape}, got {given.shape}"
            )
        rows = _Rows(self._envs)
        self._envs.step(given, rows.numbers, rows.flags)
        terminated, truncated, success, cut = map(_flags, rows.flags)
        info: dict[str, Any] = {"success": success}
        over = terminated | truncated
        if over.any():
            final = np.full(self.num_envs, None, dtype=object)
            for k in np.flatnonzero(over):
                final[k] = rows.final[k]
            info.update(final_obs=final, _final_obs=over, final_info={}, _final_info=over)
        if cut.any():
            info["cut"] = cut
        return rows.observation, rows.reward, terminated, truncated, info

    def close_extras(self, **_: Any) -> None:
        self._running = False

    def state(self) -> list[bytes]:
        """Everything that decides how the environments continue, one entry each."""
        return [self._envs.state(k) for k in range(self.num_envs)]

    def set_state(self, states: list[bytes]) -> None:
        """What `state` of the same task returned."""
        for k, state in enumerate(states):
            self._envs.set_state(k, state)
        self._running = True


class Env(gymnasium.Env):
    """One environment of a task: the caller resets it when an episode has ended."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, task: str, *, seed: int = 0, render_mode: str | None = None) -> None:
        if render_mode is not None:
            raise ValueError(
                f"render_mode must be None, got {render_mode!r}: see `mneme envs play`"
            )
        self.task, self.render_mode = task, None
        self._envs = _envs.Envs([task], 1, 1, seed)
        sizes = (self._envs.observation_size, self._envs.action_size)
        self.observation_space, self.action_space = _step_spaces(*sizes)
        self._next: np.ndarray | None = None  # the first observation of an episode already begun
        self._running = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self._envs, self._next = _envs.Envs([self.task], 1, 1, seed), None
        first, self._next, self._running = self._next, None, True
        if first is None:
            rows = _Rows(self._envs)
            self._envs.reset(rows.numbers, rows.flags)
            first = rows.observation[0]
        return first, {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if not self._running:
            raise gymnasium.error.ResetNeeded("the episode has ended: call reset() before step()")
        given = np.ascontiguousarray(action, np.float32)
        if given.shape != self.action_space.shape:
            raise ValueError(f"action must have shape {self.action_space.shape}, got {given.shape}")
        rows = _Rows(self._envs)
        self._envs.step(given, rows.numbers, rows.flags)
        terminated, truncated, success, cut = (bool(flag[0]) for flag in rows.flags)
        info: dict[str, Any] = {"success": success}
        if cut:
            info["cut"] = True
        if terminated or truncated:
            self._next, self._running = rows.observation[0], False
        return rows.final[0], float(rows.reward[0]), terminated, truncated, info


def tasks() -> list[str]:
    """The tasks that can be made here."""
    return [each["name"] for each in _envs.tasks() if each["available"] and each["observation"] > 0]


def register() -> None:
    """Makes the tasks known to Gymnasium as mneme/SUITE-TASK-v0. Importing this module does it."""
    for task in tasks():
        name = _ID.format(task.replace("/", "-"))
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="mneme.envs:Env",
                vector_entry_point="mneme.envs:VectorEnv",
                kwargs={"task": task},
            )


register()

__all__ = ["Env", "VectorEnv", "register", "tasks"]
