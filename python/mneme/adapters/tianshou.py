"""mneme/adapters/tianshou.py - mneme's samplers in Tianshou's buffers.

    from mneme.adapters.tianshou import CachedReplayBuffer, ReplayBuffer, VectorReplayBuffer
    buffer = VectorReplayBuffer(1_000_000, buffer_num=8, sampler="truncated_geometric:alpha=10")

Tianshou's algorithms compute their targets out of the buffer's own arrays (n-step returns walk from
index to index), so the rows stay where Tianshou keeps them. What changes is which are drawn: any
age-only sampler of mneme decides, within each sub-buffer, by age. With `stack_num` and
`sample_avail=True` it decides among the rows that have a whole stack.
"""

import json
from typing import Any

import numpy as np
from tianshou.data import CachedReplayBuffer as TianshouCached
from tianshou.data import ReplayBuffer as TianshouBuffer
from tianshou.data import VectorReplayBuffer as TianshouVector

from .._core import make_sampler

_OPTIONS = {
    *("size", "total_size", "buffer_num"),
    *("stack_num", "ignore_obs_next", "save_only_last_obs", "sample_avail"),
}


class _Sampled:
    def __init__(
        self, *arguments: Any, sampler: Any = "uniform", random_seed: Any = 42, **options: Any
    ) -> None:
        unknown = sorted(set(options) - _OPTIONS)  # Tianshou's own constructor drops them
        if unknown:
            raise TypeError(
                f"unknown arguments {', '.join(unknown)}; known: sampler, random_seed, "
                f"{', '.join(sorted(_OPTIONS))}"
            )
        super().__init__(*arguments, random_seed=random_seed, **options)
        self._set_sampler(sampler, random_seed)

    def _set_sampler(self, sampler: Any, random_seed: Any) -> Any:
        # Tianshou keeps what it does not know of itself out of its data with a reserved dict.
        if isinstance(sampler, type):
            sampler = sampler()
        self.__dict__["_mneme_spec"] = getattr(sampler, "spec", sampler)
        self.__dict__["_mneme"] = make_sampler(sampler)
        self.__dict__["_mneme_draws"] = np.random.default_rng(random_seed)

    def _parts(self) -> Any:
        """(first index, capacity, rows, next index) of every sub-buffer."""
        buffers = getattr(self, "buffers", None)
        if buffers is None:
            return [(0, self.maxsize, len(self), self._insertion_idx)]
        return [
            (int(first), each.maxsize, len(each), each._insertion_idx)
            for first, each in zip(self._offset, buffers, strict=True)
        ]

    def sample_indices(self, batch_size: Any) -> Any:
        if batch_size is None or batch_size < 0:
            return super().sample_indices(batch_size)
        if batch_size > 0 and self.stack_num > 1 and self._sample_avail:
            return self._among(super().sample_indices(0), batch_size)
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

    def _among(self, allowed: Any, batch_size: Any) -> Any:
        """Draws from the sampler, given that the row is one of `allowed`."""
        weights, share = np.zeros(self.maxsize), len(self)
        for first, capacity, rows, insertion in self._parts():
            if rows == 0:
                continue
            oldest = insertion if rows == capacity else 0
            places = first + (oldest + np.arange(rows)) % capacity
            weights[places] = self.__dict__["_mneme"].probabilities(rows, capacity) * rows / share
        weights = weights[allowed]
        if not weights.sum() > 0:
            raise ValueError(
                f"no row with a whole stack of {self.stack_num} is within reach of "
                f"{self.__dict__['_mneme_spec']}"
            )
        return self.__dict__["_mneme_draws"].choice(allowed, batch_size, p=weights / weights.sum())

    def save_hdf5(self, path: Any, compression: Any = None) -> Any:
        """As Tianshou's, with the sampler and its generator."""
        import h5py

        own = {
            key: self.__dict__.pop(key) for key in list(self.__dict__) if key.startswith("_mneme")
        }
        try:
            super().save_hdf5(path, compression)
        finally:
            self.__dict__.update(own)
        with h5py.File(path, "r+") as file:
            file.attrs["mneme_sampler"] = own["_mneme_spec"]
            file.attrs["mneme_generator"] = json.dumps(own["_mneme_draws"].bit_generator.state)

    @classmethod
    def load_hdf5(cls, path: Any, device: Any = None) -> Any:
        import h5py

        self = super().load_hdf5(path, device)
        with h5py.File(path, "r") as file:
            self.__dict__["_mneme_spec"] = str(file.attrs["mneme_sampler"])
            draws = np.random.default_rng()
            draws.bit_generator.state = json.loads(file.attrs["mneme_generator"])
        self.__dict__["_mneme_draws"] = draws
        self.__dict__["_mneme"] = make_sampler(self.__dict__["_mneme_spec"])
        return self

    def __getstate__(self) -> Any:
        # The sampler has no state of its own: its spec makes it again.
        return {key: value for key, value in self.__dict__.items() if key != "_mneme"}

    def __setstate__(self, state: Any) -> Any:
        super().__setstate__(state)
        if "_mneme_spec" in self.__dict__:  # not in the files of save_hdf5, which come without it
            self.__dict__["_mneme"] = make_sampler(self.__dict__["_mneme_spec"])


class ReplayBuffer(_Sampled, TianshouBuffer):
    """tianshou.data.ReplayBuffer, sampled by mneme."""


class VectorReplayBuffer(_Sampled, TianshouVector):
    """tianshou.data.VectorReplayBuffer, sampled by mneme."""


class CachedReplayBuffer(_Sampled, TianshouCached):
    """tianshou.data.CachedReplayBuffer, sampled by mneme: in the main buffer and in the cached ones."""

    def __init__(
        self,
        main_buffer: Any,
        cached_buffer_num: Any,
        max_episode_length: Any,
        *,
        sampler: Any = "uniform",
        random_seed: Any = 42,
    ) -> None:
        TianshouCached.__init__(self, main_buffer, cached_buffer_num, max_episode_length)
        self._set_sampler(sampler, random_seed)
