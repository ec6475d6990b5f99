"""mneme/adapters/cpprb.py - cpprb's `env_dict` interface.

    # from cpprb import ReplayBuffer, PrioritizedReplayBuffer
    from mneme.adapters.cpprb import ReplayBuffer, PrioritizedReplayBuffer

    rb = ReplayBuffer(10**6, {"obs": {"shape": 17}, "act": {"shape": 6}, "rew": {}, "next_obs": {"shape": 17}, "done": {}})
    rb.add(obs=obs, act=act, rew=rew, next_obs=next_obs, done=done)
    rb.on_episode_end()
    batch = rb.sample(256)      # a dict of arrays, scalars as columns

The keys obs, act, rew, next_obs and done must be there (next_obs may be declared by `next_of`);
others become extra fields. With n-step windows a sample has `discounts`: gamma^h, 0 after
termination. `indexes` of a prioritized sample are 64-bit ids that never mean another row.
The seed comes from NumPy's generator.
"""

from typing import Any

import numpy as np

from .._adapting import Narrowing, emptied, refuse, seed_from_numpy, with_seed
from ..replay_buffer import ReplayBuffer as Core
from ..replay_buffer import load

_KNOWN = ("obs", "act", "rew", "next_obs", "done")
_TAKEN = {
    "observation": "declare obs in env_dict",
    "action": "declare act in env_dict",
    "capacity": "pass size",
    "streams": "cpprb has one",
    "fields": "declare them in env_dict",
    **{
        name: "rows are always stored once; leave it out"
        for name in ("stack_compress", "mmap_prefix")
    },
}


def _field(settings: Any, default: Any) -> Any:
    shape = settings.get("shape", 1)
    shape = tuple(np.atleast_1d(shape).tolist())
    dtype = np.dtype(settings.get("dtype") or default or np.float32)
    return shape, {"float64": "float32", "bool": "uint8"}.get(dtype.name, dtype.name)


class ReplayBuffer:
    """cpprb's buffer; `sampler` and other keywords are mneme's."""

    def __init__(
        self,
        size: Any,
        env_dict: Any = None,
        next_of: Any = None,
        *,
        default_dtype: Any = None,
        Nstep: Any = None,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        refuse("the cpprb adapter", options, _TAKEN)
        if Nstep and ("n_step" in options or "discount" in options):
            raise TypeError("Nstep and n_step or discount mean the same; pass one of them")
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
        self._options = {
            "observation": self._fields["obs"],
            "action": self._fields["act"],
            "capacity": int(size),
            "sampler": sampler,
            "fields": {key: self._fields[key] for key in self._extras},
            **with_seed(options, seed_from_numpy),
        }
        self.core = Core(**self._options)
        self._stored = Narrowing()

    def _rows(self, key: Any, value: Any) -> Any:
        shape, dtype = self._fields[key]
        return self._stored(key, value, dtype).reshape(-1, *shape)

    def add(self, **transition: Any) -> Any:
        """One transition, or several consecutive ones."""
        for key in self._fields:
            if key not in transition:
                raise KeyError(f"{key} is missing; add() takes {', '.join(self._fields)}")
        for key in transition:
            if key not in self._fields:
                raise KeyError(f"unknown key {key}; add() takes {', '.join(self._fields)}")
        rows = {key: self._rows(key, transition[key]) for key in self._fields}
        count = len(rows["obs"])
        if any(len(each) != count for each in rows.values()):
            counts = ", ".join(f"{key} {len(each)}" for key, each in rows.items())
            raise ValueError(f"all keys must have the same number of rows, got {counts}")
        reward = rows["rew"].reshape(count).astype(np.float32)
        done = rows["done"].reshape(count) != 0
        if count == 0:
            return
        self.core.extend(
            rows["obs"],
            rows["act"],
            reward,
            rows["next_obs"],
            done,
            **{key: rows[key] for key in self._extras},
        )

    def _columns(self, batch: Any) -> Any:
        columns = {
            "obs": batch.observation,
            "act": batch.action,
            "rew": batch.reward.reshape(-1, 1),
            "next_obs": batch.next_observation,
            "done": (batch.discount == 0).astype(np.float32).reshape(-1, 1),
            **{key: batch[key] for key in self._extras},
        }
        if self.core.n_step > 1:  # what multiplies the value of the successor, 0 after termination
            columns["discounts"] = batch.discount.reshape(-1, 1)
        return columns

    def sample(self, batch_size: Any) -> Any:
        return self._columns(self.core.sample(batch_size))

    def on_episode_end(self) -> Any:
        """The stream ends here (a cut), unless the last row ended the episode anyway."""
        if len(self.core):
            self.core.cut(0)

    def clear(self) -> Any:
        self.core = emptied(self.core, self._options)

    def get_stored_size(self) -> Any:
        return len(self.core)

    def get_buffer_size(self) -> Any:
        return self.core.capacity

    def save_transitions(self, folder: Any) -> Any:
        """Into a directory: rows, priorities, cursor and generator."""
        self.core.save(folder)

    def load_transitions(self, folder: Any) -> Any:
        self.core.close()
        self.core = load(folder)


class PrioritizedReplayBuffer(ReplayBuffer):
    """cpprb's proportional prioritization; `beta` is given with every sample."""

    def __init__(
        self,
        size: Any,
        env_dict: Any = None,
        *,
        alpha: Any = 0.6,
        eps: Any = 1e-4,
        check_for_update: Any = True,
        **options: Any,
    ) -> None:
        if "sampler" in options:
            raise TypeError("PrioritizedReplayBuffer has a sampler; pass ReplayBuffer(sampler=)")
        if not check_for_update:
            raise ValueError(
                "check_for_update=False: feedback to overwritten rows is always noticed"
            )
        # beta runs from 0 to 1 with the progress, so that setting the progress sets beta.
        sampler = f"per:alpha={alpha},eps={eps},beta=0,beta_end=1"
        super().__init__(size, env_dict, sampler=sampler, **options)

    def add(self, *, priorities: Any = None, **transition: Any) -> Any:
        """As of ReplayBuffer; `priorities` as for update_priorities, one for each row."""
        first = self.core.added
        if priorities is not None:
            count = self._rows("obs", transition["obs"]).shape[0] if "obs" in transition else 0
            priorities = np.asarray(priorities, np.float32).reshape(-1)
            if len(priorities) != count:
                raise ValueError(f"{len(priorities)} priorities for {count} rows; pass one each")
            if not (np.isfinite(priorities).all() and (priorities >= 0).all()):
                raise ValueError("priorities must be finite and at least 0")
        super().add(**transition)
        if priorities is not None:
            # Ids of the first stream are its sequence numbers. Of more rows than fit, the last count.
            ids = np.arange(first, self.core.added, dtype=np.uint64)[-self.core.capacity :]
            self.core.update_priorities(ids, priorities[-len(ids) :])

    def sample(self, batch_size: Any, beta: Any = 0.4) -> Any:
        self.core.set_progress(beta)
        batch = self.core.sample(batch_size)
        return {**self._columns(batch), "weights": batch.weight, "indexes": batch.id}

    def update_priorities(self, indexes: Any, priorities: Any) -> Any:
        priorities = np.asarray(priorities, np.float32).reshape(-1)
        self.core.update_priorities(np.asarray(indexes, np.uint64).reshape(-1), priorities)
