"""mneme/worker/vector.py - vector environments of Gymnasium, in every autoreset mode.

    next_step   the step after an end only resets: the row is flagged as not a transition
    same_step   resets within the step; the terminal observation is in info: `final_obs`, before 1.0
                `final_observation`
    disabled    this file resets the rows that ended, in the same step

All rows step together, so an action cannot be held for some rows only: repeat must be 1.
"""

import numpy as np

from .block import BEGUN, NO_STEP, SUCCESS, TERMINATED, TRUNCATED
from .loop import seed_with_nonce
from .spaces import Actions, Batch, Observations


def mode_of(environment, version):
    """From its metadata; without them, what Gymnasium `version` (a pair of numbers) does."""
    mode = (getattr(environment, "metadata", None) or {}).get("autoreset_mode")
    if mode is None:
        return "same_step" if version < (1, 0) else "next_step"
    name = str(getattr(mode, "value", mode)).replace("_", "").replace("-", "").lower()
    known = {"nextstep": "next_step", "samestep": "same_step", "disabled": "disabled"}
    if name not in known:
        raise ValueError(f"the autoreset mode is {mode!r}; known: {', '.join(known.values())}")
    return known[name]


class Vector:
    """A vector environment of one group."""

    final = True

    def __init__(self, group, environment, mode, success=None, horizon=0):
        if group.repeat != 1:
            raise ValueError(
                f"{group.task}: repeat={group.repeat}; environments that step together allow only 1"
            )
        self.group, self.environment, self.mode, self.success = group, environment, mode, success
        self.horizon, self.count = horizon, group.count
        if environment.num_envs != group.count:
            raise ValueError(
                f"{group.task} has {environment.num_envs} environments, not {group.count}"
            )
        self.observations = Observations(environment.single_observation_space, group.keys)
        self.actions = Actions(environment.single_action_space)
        self._nonce = None
        self._over = np.zeros(group.count, bool)  # ended; the next step only resets

    def attach(self, block, first):
        rows = slice(first, first + self.count)
        self._action = self.actions.source(block.action[rows, : self.actions.size])
        self._final = Batch(
            self.observations, block.final_observation[rows, : self.observations.size]
        )
        self._begun = Batch(self.observations, block.observation[rows, : self.observations.size])
        self._reward, self._flags = block.reward[rows], block.flags[rows]

    def reset(self, nonce=0):
        seeding = self._nonce is None or (nonce and nonce != self._nonce)
        self._nonce = nonce
        seeds = [seed_with_nonce(seed, nonce) for seed in self.group.seeds]
        if seeding:
            observation, _ = self.environment.reset(seed=seeds)
        else:
            observation, _ = self.environment.reset()
        self._final.put(observation)
        self._over[:] = False

    def step(self):
        observation, reward, terminated, truncated, info = self.environment.step(self._action())
        flags, idle = self._flags, self._over
        self._final.put(observation)
        self._reward[:] = reward
        over = np.logical_or(terminated, truncated)
        flags[:] = np.where(terminated, TERMINATED, 0) | np.where(truncated, TRUNCATED, 0)
        if self.success is not None:
            flags[self._solved(info, over)] |= SUCCESS
        if self.mode == "next_step":
            if idle.any():
                flags[idle] = NO_STEP
                self._reward[idle] = 0
                over = over & ~idle
            self._over = over
        elif over.any():
            self._replace(np.flatnonzero(over), over, observation, info)

    def _replace(self, which, over, observation, info):
        """Terminal observations and first ones, for the rows that ended."""
        if self.mode == "disabled":
            observation, _ = self.environment.reset(options={"reset_mask": over})
        else:
            last = info.get("final_obs", info.get("final_observation"))
            if last is None:
                raise ValueError("an episode ended in same-step mode, but info has no final_obs")
            for row in which:
                self._final.put_row(row, last[row])
        self._begun.put_some(which, observation)
        self._flags[which] |= BEGUN

    def _solved(self, info, over):
        """Where the step was a success. Of rows that were reset within the step, info is that of
        the reset."""
        solved = np.zeros(self.count, bool)
        if self.success in info:
            known = info.get("_" + self.success, True)
            solved |= np.asarray(info[self.success]).astype(bool).reshape(self.count) & known
        final = info.get("final_info")
        if self.mode == "same_step" and final is not None:
            solved &= ~over
            if isinstance(final, dict):
                if self.success in final:
                    known = final.get("_" + self.success, True)
                    solved |= (
                        over
                        & np.asarray(final[self.success]).astype(bool).reshape(self.count)
                        & known
                    )
            else:  # before 1.0: an array of what each environment said
                for row in np.flatnonzero(over):
                    solved[row] = bool((final[row] or {}).get(self.success))
        if self.mode == "next_step":
            solved &= ~self._over
        return solved

    def close(self):
        self.environment.close()
