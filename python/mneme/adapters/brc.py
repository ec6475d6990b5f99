"""mneme/adapters/brc.py - the multi-task buffer of BRC's training loop.

    # from jaxrl.replay_buffer import ParallelReplayBuffer
    from mneme.adapters.brc import ParallelReplayBuffer

Same arguments and batches: one ring per task, `sample(batch_size, num_batches)` returns arrays of
shape (num_batches, batch_size, ...). `mask` is 0 where an episode terminated. A time limit is known
from `insert(..., truncated=)`; without it, only where the observation that comes next differs from
`next_observation`. The seed comes from NumPy's generator.
"""

import collections
from pathlib import Path
from typing import Any

import numpy as np

from .._adapting import Narrowing, seed_from_numpy, with_seed
from ..replay_buffer import ReplayBuffer as Core
from ..replay_buffer import load

Batch = collections.namedtuple(
    "Batch", ["observations", "actions", "rewards", "masks", "next_observations", "task_ids"]
)


class ParallelReplayBuffer:
    """BRC's signature; `sampler` and other keywords are mneme's."""

    def __init__(
        self,
        observation_space: Any,
        action_dim: Any,
        capacity: Any,
        num_tasks: Any,
        *,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        self.capacity, self.num_tasks = capacity, num_tasks
        self._stored = Narrowing()
        self.core = Core(
            (observation_space.shape[-1],),
            (action_dim,),
            capacity,
            num_tasks,
            sampler,
            **with_seed(options, seed_from_numpy),
        )

    @property
    def size(self) -> Any:
        return self.core.size(0)

    def insert(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        mask: Any,
        next_observation: Any,
        truncated: Any = False,
    ) -> Any:
        """One step of every task; `truncated`: which of them a time limit stopped."""
        self.core.add(
            self._stored("observation", observation, np.float32),
            self._stored("action", action, np.float32),
            np.ascontiguousarray(reward, np.float32),
            self._stored("next_observation", next_observation, np.float32),
            np.asarray(mask) == 0,
            np.asarray(truncated, bool),
        )

    def _batch(self, batch: Any, shape: Any) -> Any:
        def shaped(array: Any) -> Any:
            return array.reshape(*shape, *array.shape[1:])

        return Batch(
            shaped(batch.observation),
            shaped(batch.action),
            shaped(batch.reward),
            shaped((batch.discount != 0).astype(np.float32)),
            shaped(batch.next_observation),
            shaped(batch.stream),
        )

    def sample(self, batch_size: Any, num_batches: Any) -> Any:
        return self._batch(self.core.sample(batch_size * num_batches), (num_batches, batch_size))

    def sample_task_batches(self, batch_size_per_task: Any = None) -> Any:
        """The same number of rows of every task, task by task."""
        each = 32 if batch_size_per_task is None else batch_size_per_task
        left, parts = [each] * self.num_tasks, [[] for _ in range(self.num_tasks)]
        while any(left):
            whole = self._batch(drawn := self.core.sample(4 * each * self.num_tasks), (-1,))
            for task in range(self.num_tasks):
                rows = np.flatnonzero(drawn.stream == task)[: left[task]]
                parts[task].append(Batch(*(array[rows] for array in whole)))
                left[task] -= len(rows)
        tasks = [Batch(*map(np.concatenate, zip(*part, strict=True))) for part in parts]
        return Batch(*map(np.stack, zip(*tasks, strict=True)))

    def save(self, save_dir: Any) -> Any:
        self.core.save(Path(save_dir, "buffer"))

    def load(self, save_dir: Any) -> Any:
        self.core.close()
        self.core = load(Path(save_dir, "buffer"))
