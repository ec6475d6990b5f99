"""mneme/adapters/cleanrl.py - the buffer of CleanRL's scripts (SAC, TD3, DDPG, DQN, C51).

    # from cleanrl_utils.buffers import ReplayBuffer
    from mneme.adapters.cleanrl import ReplayBuffer

The rest of the script stays. `real_next_obs` is stored as the successor, and the observation that
the next step begins with tells an episode that was cut off by a time limit from one that goes on.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from .._frameworks import torch_column
from ..replay_buffer import ReplayBuffer as Core


class Samples(NamedTuple):
    """What CleanRL reads of a batch, and more: discounts for n-step targets, weights and ids for PER."""

    observations: Any
    actions: Any
    next_observations: Any
    dones: Any
    rewards: Any
    discounts: Any
    weights: Any
    ids: Any


class ReplayBuffer:
    """`add` and `sample` of CleanRL's buffer. `sampler` and other options are mneme's."""

    def __init__(
        self,
        buffer_size,
        observation_space,
        action_space,
        device="cpu",
        n_envs=1,
        optimize_memory_usage=False,  # rows are always stored once
        handle_timeout_termination=False,  # time limits are always told apart
        *,
        sampler="uniform",
        **options,
    ):
        self.device, self.n_envs = torch.device(device), n_envs
        self.buffer = Core(
            observation_space,
            action_space,
            max(buffer_size // n_envs, 1),
            n_envs,
            sampler,
            **options,
        )

    def add(self, obs, next_obs, action, reward, done, infos=None):
        """One step of all environments; `done` are terminations."""
        self.buffer.add(
            np.asarray(obs),
            np.asarray(action),
            np.asarray(reward, np.float32),
            np.asarray(next_obs),
            np.asarray(done, bool),
        )

    def sample(self, batch_size):
        batch = self.buffer.sample(batch_size)

        def tensor(column):
            return torch_column(column, None if self.device.type == "cpu" else self.device)

        actions = batch.action if batch.action.ndim > 1 else batch.action[:, None]
        discount = batch.discount[:, None]
        return Samples(
            tensor(batch.observation),
            tensor(actions),
            tensor(batch.next_observation),
            tensor((discount == 0).astype(np.float32)),
            tensor(batch.reward[:, None]),
            tensor(discount),
            tensor(batch.weight[:, None]),
            batch.id,
        )

    def update_priorities(self, ids, td_errors):
        return self.buffer.update_priorities(ids, td_errors.detach().flatten().cpu())

    def __len__(self):
        return len(self.buffer)
