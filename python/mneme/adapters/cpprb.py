"""mneme/adapters/cpprb.py - cpprb's `env_dict` interface.

    # from cpprb import ReplayBuffer, PrioritizedReplayBuffer
    from mneme.adapters.cpprb import ReplayBuffer, PrioritizedReplayBuffer

    rb = ReplayBuffer(10**6, {"obs": {"shape": 17}, "act": {"shape": 6}, "rew": {}, "next_obs": {"shape": 17}, "done": {}})
    rb.add(obs=obs, act=act, rew=rew, next_obs=next_obs, done=done)
    rb.on_episode_end()
    batch = rb.sample(256)      # a dict of arrays, scalars as columns

The keys obs, act, rew, next_obs and done must be there (next_obs may be declared by `next_of`);
others become extra fields. `indexes` of a prioritized sample are 64-bit ids that never mean another row.
"""

import numpy as np

from ..replay_buffer import ReplayBuffer as Core
from ..replay_buffer import load

_KNOWN = ("obs", "act", "rew", "next_obs", "done")


def _field(settings, default):
    shape = settings.get("shape", 1)
    shape = tuple(np.atleast_1d(shape).tolist())
    dtype = np.dtype(settings.get("dtype") or default or np.float32)
    return shape, {"float64": "float32", "bool": "uint8"}.get(dtype.name, dtype.name)


class ReplayBuffer:
    """cpprb's buffer; `sampler` and other keywords are mneme's."""

    def __init__(
        self,
        size,
        env_dict=None,
        next_of=None,
        *,
        default_dtype=None,
        Nstep=None,
        sampler="uniform",
        **options,
    ):
        env_dict = dict(env_dict or {})
        if next_of is not None and "obs" in np.atleast_1d(next_of):
            env_dict.setdefault("next_obs", env_dict.get("obs", {}))
        missing = [key for key in _KNOWN if key not in env_dict]
        if missing:
            raise ValueError(f"env_dict lacks {', '.join(missing)}; mneme stores whole transitions")
        self._fields = {key: _field(value, default_dtype) for key, value in env_dict.items()}
        self._extras = [key for key in env_dict if key not in _KNOWN]
        if Nstep:
            options.update(n_step=Nstep["size"], discount=Nstep.get("gamma", 0.99), horizon="clip")
        self._nstep = Nstep
        self._options = {
            "observation": self._fields["obs"],
            "action": self._fields["act"],
            "capacity": int(size),
            "sampler": sampler,
            "fields": {key: self._fields[key] for key in self._extras},
            **options,
        }
        self.core = Core(**self._options)

    def _rows(self, key, value):
        shape, dtype = self._fields[key]
        return np.asarray(value, dtype).reshape(-1, *shape)

    def add(self, **transition):
        """One transition, or several consecutive ones."""
        for key in self._fields:
            if key not in transition:
                raise KeyError(f"{key} is missing; add() takes {', '.join(self._fields)}")
        rows = {key: self._rows(key, transition[key]) for key in self._fields}
        count = len(rows["obs"])
        if any(len(each) != count for each in rows.values()):
            raise ValueError({key: len(each) for key, each in rows.items()})
        reward = rows["rew"].reshape(count).astype(np.float32)
        done = rows["done"].reshape(count) != 0
        for k in range(count):
            self.core.add(
                rows["obs"][k],
                rows["act"][k],
                reward[k],
                rows["next_obs"][k],
                done[k],
                fields={key: rows[key][k] for key in self._extras} or None,
            )

    def _columns(self, batch):
        columns = {
            "obs": batch.observation,
            "act": batch.action,
            "rew": batch.reward.reshape(-1, 1),
            "next_obs": batch.next_observation,
            "done": (batch.discount == 0).astype(np.float32).reshape(-1, 1),
            **{key: batch[key] for key in self._extras},
        }
        if self._nstep:
            gamma = np.float32(self.core.discount)
            columns["discounts"] = (gamma**batch.horizon).astype(np.float32).reshape(-1, 1)
        return columns

    def sample(self, batch_size):
        return self._columns(self.core.sample(batch_size))

    def on_episode_end(self):
        """The stream breaks off here, unless the last row ended the episode anyway."""
        if len(self.core):
            self.core.cut(0)

    def clear(self):
        self.core.close()
        self.core = Core(**self._options)

    def get_stored_size(self):
        return len(self.core)

    def get_buffer_size(self):
        return self.core.capacity

    def save_transitions(self, folder):
        """Into a directory: rows, priorities, cursor and generator."""
        self.core.save(folder)

    def load_transitions(self, folder):
        self.core.close()
        self.core = load(folder)


class PrioritizedReplayBuffer(ReplayBuffer):
    """cpprb's proportional prioritization; `beta` is given with every sample."""

    def __init__(
        self, size, env_dict=None, *, alpha=0.6, eps=1e-4, check_for_update=True, **options
    ):
        # beta runs from 0 to 1 with the progress, so that setting the progress sets beta.
        sampler = f"per:alpha={alpha},eps={eps},beta=0,beta_end=1"
        super().__init__(size, env_dict, sampler=sampler, **options)

    def sample(self, batch_size, beta=0.4):
        self.core.set_progress(beta)
        batch = self.core.sample(batch_size)
        return {**self._columns(batch), "weights": batch.weight, "indexes": batch.id}

    def update_priorities(self, indexes, priorities):
        priorities = np.asarray(priorities, np.float32).reshape(-1)
        self.core.update_priorities(np.asarray(indexes, np.uint64).reshape(-1), priorities)
