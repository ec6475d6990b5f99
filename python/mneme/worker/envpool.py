"""mneme/worker/envpool.py - pools of EnvPool, kept in lock-step.

EnvPool resets an environment in the step after its end. Here the rows that ended are reset at once,
by a masked reset within the same step, so that every row of every step is a transition, and terminal
observations are exact. `_send` and `_recv` are used because the nested results of the public
functions take longer to build than a cheap environment takes to step.
"""

import numpy as np

from .block import BEGUN, SUCCESS, TERMINATED, TRUNCATED
from .spaces import Actions, Batch, Observations


class Pool:
    """A pool of one group. Its constructor took the seeds."""

    final = True

    def __init__(self, group, pool, horizon):
        self.group, self.pool, self.horizon, self.count = group, pool, horizon, group.count
        self.observations = Observations(pool.observation_space, group.keys)
        self.actions = Actions(pool.action_space)
        keys = list(pool._state_keys)
        self._at = {name: keys.index(name) for name in ("reward", "done", "trunc")}
        self.success = next((key for key in ("success", "solved") if "info:" + key in keys), None)
        self._solved = keys.index("info:" + self.success) if self.success else None
        self._parts = [
            (key[4:].split(":" if ":" in key[4:] else "."), at)
            for at, key in enumerate(keys)
            if key.startswith("obs:")
        ]
        self._whole = keys.index("obs") if "obs" in keys else None
        self._ids = np.arange(self.count, dtype=np.int32)

    def attach(self, block, first):
        rows = slice(first, first + self.count)
        self._action = self.actions.source(block.action[rows, : self.actions.size])
        self._final = Batch(
            self.observations, block.final_observation[rows, : self.observations.size]
        )
        self._begun = Batch(self.observations, block.observation[rows, : self.observations.size])
        self._reward, self._flags = block.reward[rows], block.flags[rows]

    def _observation(self, state):
        if self._whole is not None:
            return state[self._whole]
        if self.observations.plain:
            return state[self._parts[0][1]]
        nested = {}
        for path, at in self._parts:
            where = nested
            for key in path[:-1]:
                where = where.setdefault(key, {})
            where[path[-1]] = state[at]
        return nested

    def reset(self, nonce=0):
        self.pool._reset(self._ids)
        self._final.put(self._observation(self.pool._recv()))

    def step(self):
        action, running, flags = self._action(), self._ids, self._flags
        for again in range(self.group.repeat):
            # Only rows whose episode still runs are sent; the result has these rows, in this order.
            some = len(running) < self.count
            self.pool._send(
                [running, running, np.ascontiguousarray(action[running]) if some else action]
            )
            state = self.pool._recv()
            done, late = state[self._at["done"]], state[self._at["trunc"]]
            if some:
                self._final.put_compact(running, self._observation(state))
            else:
                self._final.put(self._observation(state))
            if again:
                self._reward[running] += state[self._at["reward"]]
            else:
                self._reward[:] = state[self._at["reward"]]
            if self._solved is not None:
                flags[running[np.asarray(state[self._solved]).astype(bool).reshape(-1)]] |= SUCCESS
            if done.any():
                flags[running[done & ~late]] |= TERMINATED
                flags[running[done & late]] |= TRUNCATED
                running = running[~done]
                if not len(running):
                    break
        if len(running) < self.count:
            ended = np.flatnonzero(flags & (TERMINATED | TRUNCATED)).astype(np.int32)
            self.pool._reset(ended)
            self._begun.put_compact(ended, self._observation(self.pool._recv()))
            flags[ended] |= BEGUN

    def close(self):
        self.pool.close()
