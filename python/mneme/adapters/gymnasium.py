"""mneme/adapters/gymnasium.py - vector environments of Gymnasium, whatever their autoreset mode.

    envs = gymnasium.make_vec("Pendulum-v1", num_envs=8)
    recorder = Recorder(envs, mneme.ReplayBuffer.from_env(envs, capacity=100_000))
    observation, info = recorder.reset(seed=0)
    observation, reward, terminated, truncated, info = recorder.step(action)

Every step is stored as it happened. With NEXT_STEP the step after an end only resets and is left
out; with SAME_STEP the true last observation is taken from `info`; with DISABLED the caller resets
through the recorder.

The mode comes from `autoreset_mode=`, else from `envs.metadata`. Gymnasium before 1.1 and many other
vector environments declare none: then the first episode that ends decides. `final_obs` (or
`final_observation`) in its `info` means SAME_STEP; without it `step` raises ValueError and asks for
`autoreset_mode=`, since the two remaining modes look alike.
"""

from typing import Any

import numpy as np


def _row(observation: Any, stream: Any) -> Any:
    if isinstance(observation, dict):
        return {key: _row(part, stream) for key, part in observation.items()}
    return observation[stream]


def _copy(observation: Any) -> Any:
    if isinstance(observation, dict):
        return {key: _copy(part) for key, part in observation.items()}
    return np.array(observation)


def _replace(observation: Any, stream: Any, final: Any) -> Any:
    if isinstance(observation, dict):
        for key, part in observation.items():
            _replace(part, stream, final[key])
    else:
        observation[stream] = final


_FINAL = ("final_obs", "final_observation")  # Gymnasium from 1.0, and before


def _mode_of(mode: Any) -> Any:
    name = str(getattr(mode, "value", mode)).replace("_", "").lower()
    if name not in ("nextstep", "samestep", "disabled"):
        raise ValueError(f"autoreset_mode must be NEXT_STEP, SAME_STEP or DISABLED, got {mode!r}")
    return name


def _finals(info: Any) -> Any:
    """The true last observations that `info` hands out; None if it has no such key."""
    return next((info[key] for key in _FINAL if info.get(key) is not None), None)


def _final(finals: Any, stream: Any) -> Any:
    """The last observation of one environment; None if it has none."""
    if isinstance(finals, dict):
        return _row(finals, stream)
    return finals[stream]


class Recorder:
    """A vector environment and the buffer its true transitions go into: one stream for each.

    `autoreset_mode`: NEXT_STEP, SAME_STEP or DISABLED, as a string or as Gymnasium's AutoresetMode.
    """

    def __init__(self, envs: Any, buffer: Any, autoreset_mode: Any = None) -> None:
        if not hasattr(envs, "num_envs"):
            raise ValueError(
                f"{type(envs).__name__} is not a vector environment; pass "
                "gymnasium.vector.SyncVectorEnv([lambda: env])"
            )
        if buffer.streams != envs.num_envs:
            raise ValueError(
                f"{envs.num_envs} environments but {buffer.streams} streams; "
                "make the buffer with ReplayBuffer.from_env(envs)"
            )
        self.envs, self.buffer = envs, buffer
        declared = (getattr(envs, "metadata", None) or {}).get("autoreset_mode")
        self._asked = autoreset_mode is not None  # the caller said it: `info` does not overrule
        mode = autoreset_mode if self._asked else declared
        self.mode = None if mode is None else _mode_of(mode)  # None: not known yet
        self._observation = None
        self._over = np.zeros(envs.num_envs, bool)  # ended; the next step of it only resets

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        """Resets all environments, or those of options["reset_mask"]."""
        mask = (options or {}).get("reset_mask")
        self._observation, info = self.envs.reset(seed=seed, options=options)
        self._observation = _copy(self._observation)
        over = np.ones(self.envs.num_envs, bool) if mask is None else np.asarray(mask, bool)
        # An episode that was still running stops here.
        for stream in np.flatnonzero(over & ~self._over):
            self.buffer.cut(int(stream))
        self._over[over] = False
        return self._observation, info

    def _settle(self, finals: Any) -> Any:
        """Decides an undeclared mode by what the first end looks like, and checks a declared one."""
        if self.mode is None:
            if finals is None:
                raise ValueError(
                    f"{type(self.envs).__name__} declares no autoreset mode and its info has no "
                    "final_obs; pass autoreset_mode='NEXT_STEP' or 'DISABLED' to Recorder. "
                    "The step was not stored"
                )
            self.mode = "samestep"
        elif self.mode == "nextstep" and finals is not None and not self._asked:
            raise ValueError(
                f"{type(self.envs).__name__} declares NEXT_STEP but info has final_obs, as with "
                "SAME_STEP; pass autoreset_mode= to Recorder. The step was not stored"
            )

    def step(self, action: Any) -> Any:
        """One step of all environments, stored for each that really made one."""
        if self._observation is None:
            raise ValueError("call reset() before step()")
        if self.mode == "disabled" and self._over.any():
            which = np.flatnonzero(self._over).tolist()
            raise ValueError(f"environments {which} have ended: reset them with options reset_mask")
        before, resetting = self._observation, self._over.copy()
        after, reward, terminated, truncated, info = self.envs.step(action)
        after = _copy(after)
        terminated, truncated = np.asarray(terminated, bool), np.asarray(truncated, bool)
        over = terminated | truncated
        true_after = after
        if over.any():
            finals = _finals(info)
            self._settle(finals)
            if self.mode == "samestep":
                true_after = _copy(after)
                for stream in np.flatnonzero(over):
                    final = None if finals is None else _final(finals, stream)
                    if final is None:
                        raise ValueError(
                            f"environment {stream} ended but info has no final_obs for it, as "
                            "SAME_STEP promises; nothing was stored. Pass the right autoreset_mode="
                        )
                    _replace(true_after, stream, final)
        action = np.asarray(action)
        if not resetting.any():
            self.buffer.add(
                before, action, np.asarray(reward, np.float32), true_after, terminated, truncated
            )
        else:
            for stream in map(int, np.flatnonzero(~resetting)):
                self.buffer.add(
                    _row(before, stream),
                    action[stream],
                    float(reward[stream]),
                    _row(true_after, stream),
                    bool(terminated[stream]),
                    bool(truncated[stream]),
                    stream=stream,
                )
        self._over = over if self.mode != "samestep" else np.zeros_like(over)
        self._observation = after
        return after, reward, terminated, truncated, info
