"""mneme - experience replay for reinforcement learning.

    buffer = mneme.ReplayBuffer(observation=(17,), action=(6,), capacity=1_000_000,
                                sampler="truncated_geometric:alpha=10", n_step=3, discount=0.99)
    buffer.add(observation, action, reward, next_observation, terminated, truncated)
    batch = buffer.sample(256)
    buffer.update_priorities(batch.id, td_error)

With `path=` a buffer lives in a directory; `buffer.commit()` keeps it, `mneme.open(path)` goes on.
`samplers` has every sampler as a class, `inspect`, `match`, `frontier` and `advise` say what one
does to your data, `stats` compares scores, `adapters` fits the buffer into the loops of others.
"""

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
    "match",
    "samplers",
    "stats",
]  # without `open`, which would replace Python's own after `from mneme import *`
