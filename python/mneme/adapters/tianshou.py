"""mneme/adapters/tianshou.py - mneme's samplers in Tianshou's buffers.

    from mneme.adapters.tianshou import ReplayBuffer, VectorReplayBuffer
    buffer = VectorReplayBuffer(1_000_000, buffer_num=8, sampler="truncated_geometric:alpha=10")

Tianshou's algorithms compute their targets out of the buffer's own arrays (n-step returns walk from
index to index), so the rows stay where Tianshou keeps them. What changes is which are drawn: any
age-only sampler of mneme decides, within each sub-buffer, by age.
"""

import numpy as np
from tianshou.data import ReplayBuffer as TianshouBuffer
from tianshou.data import VectorReplayBuffer as TianshouVector

from .._core import make_sampler


class _Sampled:
    def __init__(self, *arguments, sampler="uniform", random_seed=42, **options):
        super().__init__(*arguments, random_seed=random_seed, **options)
        # Tianshou keeps what it does not know of itself out of its data with a reserved dict.
        self.__dict__["_mneme"] = make_sampler(sampler)
        self.__dict__["_mneme_draws"] = np.random.default_rng(random_seed)

    def _parts(self):
        """(first index, capacity, rows, next index) of every sub-buffer."""
        buffers = getattr(self, "buffers", None)
        if buffers is None:
            return [(0, self.maxsize, len(self), self._insertion_idx)]
        return [
            (int(first), each.maxsize, len(each), each._insertion_idx)
            for first, each in zip(self._offset, buffers, strict=True)
        ]

    def sample_indices(self, batch_size):
        if batch_size is None or batch_size < 0 or self.stack_num > 1:
            return super().sample_indices(batch_size)
        parts = [part for part in self._parts() if part[2] > 0]
        if batch_size == 0 or not parts:
            return super().sample_indices(batch_size)
        sizes = np.array([rows for _, _, rows, _ in parts])
        draws = self.__dict__["_mneme_draws"]
        shares = draws.multinomial(batch_size, sizes / sizes.sum())
        indices = []
        for (first, capacity, rows, insertion), share in zip(parts, shares, strict=True):
            if share == 0:
                continue
            seed = int(draws.integers(2**63))
            age_order = self.__dict__["_mneme"].sample(rows, capacity, int(share), seed=seed)
            oldest = insertion if rows == capacity else 0
            indices.append(first + (oldest + age_order) % capacity)
        return np.concatenate(indices)


class ReplayBuffer(_Sampled, TianshouBuffer):
    """tianshou.data.ReplayBuffer, sampled by mneme."""


class VectorReplayBuffer(_Sampled, TianshouVector):
    """tianshou.data.VectorReplayBuffer, sampled by mneme."""
