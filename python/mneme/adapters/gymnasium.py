"""mneme/adapters/gymnasium.py - vector environments of Gymnasium, whatever their autoreset mode.

    envs = gymnasium.make_vec("Pendulum-v1", num_envs=8)
    recorder = Recorder(envs, mneme.ReplayBuffer.from_env(envs, capacity=100_000))
    observation, info = recorder.reset(seed=0)
    observation, reward, terminated, truncated, info = recorder.step(action)

Every step is stored as it happened. With NEXT_STEP the step after an end only resets and is left
out; with SAME_STEP the true last observation is taken from `info`; with DISABLED the caller resets
through the recorder.
"""

import numpy as np


def _row(observation, stream):
    if isinstance(observation, dict):
        return {key: _row(part, stream) for key, part in observation.items()}
    return observation[stream]


def _copy(observation):
    if isinstance(observation, dict):
        return {key: _copy(part) for key, part in observation.items()}
    return np.array(observation)


def _replace(observation, stream, final):
    if isinstance(observation, dict):
        for key, part in observation.items():
            _replace(part, stream, final[key])
    else:
        observation[stream] = final


class Recorder:
    """A vector environment and the buffer its true transitions go into: one stream for each."""

    def __init__(self, envs, buffer):
        if buffer.streams != envs.num_envs:
            raise ValueError(
                f"{envs.num_envs} environments but {buffer.streams} streams; "
                "make the buffer with ReplayBuffer.from_env(envs)"
            )
        self.envs, self.buffer = envs, buffer
        mode = getattr(envs, "metadata", {}).get("autoreset_mode", "NextStep")
        self.mode = str(getattr(mode, "value", mode)).replace("_", "").lower()
        if self.mode not in ("nextstep", "samestep", "disabled"):
            raise ValueError(f"autoreset mode {mode!r}; known: NEXT_STEP, SAME_STEP, DISABLED")
        self._observation = None
        self._over = np.zeros(envs.num_envs, bool)  # ended; the next step of it only resets

    def reset(self, *, seed=None, options=None):
        """Resets all environments, or those of options["reset_mask"]."""
        mask = (options or {}).get("reset_mask")
        self._observation, info = self.envs.reset(seed=seed, options=options)
        self._observation = _copy(self._observation)
        over = np.ones(self.envs.num_envs, bool) if mask is None else np.asarray(mask, bool)
        # An episode that was still running is broken off here.
        for stream in np.flatnonzero(over & ~self._over):
            self.buffer.cut(int(stream))
        self._over[over] = False
        return self._observation, info

    def step(self, action):
        """One step of all environments, stored for each that really made one."""
        if self._observation is None:
            raise ValueError("call reset() before step()")
        if self.mode == "disabled" and self._over.any():
            which = np.flatnonzero(self._over).tolist()
            raise ValueError(f"environments {which} have ended: reset them with options reset_mask")
        before, resetting = self._observation, self._over.copy()
        after, reward, terminated, truncated, info = self.envs.step(action)
        after = _copy(after)
        over = terminated | truncated
        true_after = after
        if self.mode == "samestep" and over.any():
            true_after = _copy(after)
            for stream in np.flatnonzero(over):
                _replace(true_after, stream, info["final_obs"][stream])
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
