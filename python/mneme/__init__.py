"""mneme - experience replay for reinforcement learning.

    buffer = mneme.ReplayBuffer(observation=(17,), action=(6,), capacity=1_000_000,
                                sampler="truncated_geometric:alpha=10", n_step=3, discount=0.99)
    buffer.add(observation, action, reward, next_observation, terminated, truncated)
    batch = buffer.sample(256)
    buffer.update_priorities(batch.id, td_error)

With `path=` a buffer lives in a directory; `buffer.commit()` keeps it, `mneme.open(path)` continues.
`samplers` has every sampler as a class, `inspect`, `match`, `frontier` and `advise` say what one
does to your data, `stats` compares scores, `adapters` fits the buffer into the loops of others.
"""

from typing import TYPE_CHECKING

from . import _results as _results
from . import datasets, functional, samplers, stats
from ._core import (
    Admission,
    Batch,
    RateLimiter,
    Reader,
    Sampler,
    SequenceBatch,
    __version__,
    advise,
    frontier,
    inspect,
    make_sampler,
    match,
)
from ._errors import NotFoundError
from .replay_buffer import ReplayBuffer, load
from .replay_buffer import open as open

if TYPE_CHECKING:
    from .envs import VectorEnv


def make_vec(task: str, num_envs: int = 1, *, threads: int = 1, seed: int = 0) -> "VectorEnv":
    """Environments of a native task as a vector environment of Gymnasium; see mneme.envs."""
    from .envs import VectorEnv

    return VectorEnv(task, num_envs, threads=threads, seed=seed)


__all__ = [
    "Admission",
    "Batch",
    "NotFoundError",
    "RateLimiter",
    "Reader",
    "ReplayBuffer",
    "Sampler",
    "SequenceBatch",
    "__version__",
    "advise",
    "datasets",
    "frontier",
    "functional",
    "inspect",
    "load",
    "make_sampler",
    "make_vec",
    "match",
    "samplers",
    "stats",
]  # without `open`, which would replace Python's own after `from mneme import *`
