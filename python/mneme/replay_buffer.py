"""mneme/replay_buffer.py - the buffer: what its arguments mean, spaces of environments, refusals."""

import os
from numbers import Integral

from . import _core
from ._spaces import Packing, field_of


class ReplayBuffer(_core.ReplayBuffer):
    """Streams (environments or tasks) of transitions, and a sampler over them.

    `observation`, `action` and the values of `fields` are a shape, a pair (shape, dtype), or a
    Gymnasium space. Types: float32, float64, float16, bfloat16, uint8, int32, int64; 16-bit floats
    come out as float32. `capacity` counts transitions per stream. With `path` the buffer lives in
    that directory and survives crashes up to its last `commit()`; see `mneme.open`.

    >>> buffer = ReplayBuffer(observation=(3,), action=(1,), capacity=1000, seed=0)
    >>> import numpy as np
    >>> row = np.zeros(3, np.float32)
    >>> buffer.add(row, np.zeros(1, np.float32), 1.0, row, False, False)
    >>> len(buffer)
    1
    >>> buffer.sample(2).reward.tolist()
    [1.0, 1.0]
    """

    def __init__(
        self,
        observation,
        action,
        capacity=1_000_000,
        streams=1,
        sampler="uniform",
        *,
        stream_policy="uniform",
        n_step=1,
        discount=0.99,
        horizon="full",
        stack=1,
        seed=0,
        fields=None,
        path=None,
        commit_every=0,
        diagnostics=True,
    ):
        for name, number in {
            "capacity": capacity,
            "streams": streams,
            "n_step": n_step,
            "stack": stack,
            "seed": seed,
            "commit_every": commit_every,
        }.items():
            if not isinstance(number, Integral) or not 0 <= number < 2**63:
                raise ValueError(f"{name} is {number!r}; pass a whole number from 0 up")
        packing = Packing.of(observation)
        if packing:
            observation = packing.spec
        super().__init__(
            field_of("observation", observation),
            field_of("action", action),
            capacity,
            streams,
            sampler,
            stream_policy,
            n_step,
            discount,
            horizon,
            stack,
            seed,
            [(name, field_of(name, field)) for name, field in (fields or {}).items()],
            "" if path is None else os.fspath(path),
            commit_every,
            diagnostics,
            _presentation(packing),
        )
        self._take(packing, path)

    def _take(self, packing, path):
        """Remembers how observations are packed, also on disk: the core knows rows only."""
        self._packing = packing
        if packing:
            self.__class__ = _PackedReplayBuffer
            if path is not None:
                packing.write(path)

    @classmethod
    def from_env(cls, env, capacity=1_000_000, **options):
        """A buffer for an environment of Gymnasium, or for a vector of them: one stream each."""
        count = getattr(env, "num_envs", None)
        single = count is not None and hasattr(env, "single_observation_space")
        observation = env.single_observation_space if single else env.observation_space
        action = env.single_action_space if single else env.action_space
        return cls(observation, action, capacity, count if single else 1, **options)

    def save(self, path):
        """A copy in a directory, for mneme.open or mneme.load; only what is new is written again."""
        super().save(os.fspath(path))
        if self._packing:
            self._packing.write(path)

    @classmethod
    def _from(cls, path, how):
        path = os.fspath(path)
        packing = Packing.read(path)
        self = cls.__new__(cls)
        _core.ReplayBuffer.__init__(self, path, how, _presentation(packing))
        self._take(packing, None)
        return self

    def __repr__(self):
        if self.closed:
            return "<mneme.ReplayBuffer, closed>"
        return (
            f"<mneme.ReplayBuffer: {len(self):,} transitions, {self.streams} x {self.capacity:,}, "
            f"{self.sampler}>"
        )

    def __reduce__(self):
        raise TypeError(
            "a ReplayBuffer is not pickled or copied: it is large, and two with one generator "
            "draw the same batches. Use save(path) and mneme.load(path)"
        )

    def __copy__(self):
        return self.__reduce__()

    def __deepcopy__(self, memo):
        return self.__reduce__()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _presentation(packing):
    """How the columns of packed observations are shown."""
    if not packing:
        return {}
    names = ("observation", "next_observation", "last_observation")
    return dict.fromkeys(names, packing.unpack)


def open(path, *, read_only=False):
    """The buffer in a directory, as its last commit left it; see ReplayBuffer(path=...).

    With `read_only` others may look at it at the same time, and nothing done to it reaches the disk.
    """
    return ReplayBuffer._from(path, "reading" if read_only else "writing")


def load(path):
    """A buffer in memory, as `save` or `commit` left it in a directory."""
    return ReplayBuffer._from(path, "memory")


class _PackedReplayBuffer(ReplayBuffer):
    """A buffer whose observations are dicts."""

    def add(
        self,
        observation,
        action,
        reward,
        next_observation,
        terminated=False,
        truncated=False,
        stream=None,
        **fields,
    ):
        """Stores one step, or one of every stream; the parts of an observation become one row."""
        pack = self._packing.pack
        super().add(
            pack("observation", observation, self.streams),
            action,
            reward,
            pack("next_observation", next_observation, self.streams),
            terminated,
            truncated,
            stream,
            **fields,
        )


__all__ = ["ReplayBuffer", "load", "open"]
