"""mneme/adapters/simbav2.py - the buffer of SimbaV2's training loop.

    # buffer = create_buffer(observation_space, action_space, **cfg.buffer)
    buffer = Buffer(observation_space, action_space, **cfg.buffer)

Same arguments (of NpyUniformBuffer), same dicts in and out. n-step sums are made when sampled and
stop at an episode's end; the batch also carries `discount`, what multiplies the bootstrap value.
`truncated` is always 0: a cut-off window already carries its true last observation.
"""

from typing import Any

import numpy as np

from .._adapting import Narrowing, emptied, refuse, seed_from_numpy, with_seed
from ..replay_buffer import ReplayBuffer as Core


class Buffer:
    """SimbaV2's signature; `sampler` and other keywords are mneme's."""

    def __init__(
        self,
        observation_space: Any,
        action_space: Any,
        n_step: Any,
        gamma: Any,
        max_length: Any,
        min_length: Any,
        sample_batch_size: Any,
        *,
        buffer_class_type: Any = None,
        buffer_type: Any = None,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        if buffer_class_type not in (None, "numpy") or buffer_type not in (None, "uniform"):
            raise ValueError(
                f"buffer_class_type={buffer_class_type!r}, buffer_type={buffer_type!r}: this buffer "
                "replaces 'numpy', 'uniform'; choose another one with sampler="
            )
        refuse(
            "the SimbaV2 adapter",
            options,
            {
                "observation": "it comes from observation_space",
                "capacity": "pass max_length",
                "discount": "pass gamma",
                "streams": "it has one",
            },
        )
        options = with_seed(options, seed_from_numpy)
        self._shapes = (observation_space.shape[-1],), (action_space.shape[-1],)
        self._streams = observation_space.shape[0] if len(observation_space.shape) > 1 else 1
        self._min_length, self._sample_batch_size = min_length, sample_batch_size
        self._max_length = max_length
        self._stored = Narrowing()
        self._options = {"sampler": sampler, "n_step": n_step, "discount": gamma, **options}
        self.core = None
        self.reset()

    def reset(self) -> Any:
        observation, action = self._shapes
        capacity = max(1, self._max_length // self._streams)
        options = {
            "observation": observation,
            "action": action,
            "capacity": capacity,
            "streams": self._streams,
            **self._options,
        }
        self.core = Core(**options) if self.core is None else emptied(self.core, options)

    def add(self, timestep: Any) -> Any:
        """One step of all environments."""
        self.core.add(
            self._stored("observation", timestep["observation"], np.float32),
            self._stored("action", timestep["action"], np.float32),
            np.ascontiguousarray(timestep["reward"], np.float32),
            self._stored("next_observation", timestep["next_observation"], np.float32),
            np.asarray(timestep["terminated"], bool),
            np.asarray(timestep["truncated"], bool),
        )

    def can_sample(self) -> Any:
        return len(self) >= max(self._min_length, self.core.n_step * self._streams)

    def sample(self) -> Any:
        batch = self.core.sample(self._sample_batch_size)
        return {
            "observation": batch.observation,
            "action": batch.action,
            "reward": batch.reward,
            "terminated": (batch.discount == 0).astype(np.float32),
            "truncated": np.zeros(len(batch), np.float32),
            "next_observation": batch.next_observation,
            "discount": batch.discount,
        }

    def save(self, path: Any) -> Any:
        self.core.save(f"{path}/buffer")

    def __len__(self) -> Any:
        return len(self.core)
