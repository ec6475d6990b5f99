"""mneme/adapters/cleanrl.py - the buffer of CleanRL's scripts (SAC, TD3, DDPG, DQN, C51).

    # from cleanrl_utils.buffers import ReplayBuffer
    from mneme.adapters.cleanrl import ReplayBuffer

The rest of the script stays. `real_next_obs` is stored as the successor. A time limit is known from
`infos` (final_obs), or from the observation that the next step begins with. The seed comes from
NumPy's generator, which the script seeds.

Make the environments with autoreset_mode=SAME_STEP, as CleanRL's loop expects. With NEXT_STEP, the
default of Gymnasium 1.x, that loop stores a step between two episodes that never happened.
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from .._adapting import refuse, seed_from_numpy, time_limits, with_seed
from .._frameworks import torch_column
from ..replay_buffer import ReplayBuffer as Core

_TAKEN = {
    "observation": "it comes from observation_space",
    "action": "it comes from action_space",
    "capacity": "pass buffer_size",
    "streams": "pass n_envs",
    "fields": "CleanRL's samples have no place for extra fields; use mneme.ReplayBuffer",
}


class Samples(NamedTuple):
    """What CleanRL reads of a batch, and more: discounts for n-step targets, weights and ids for PER.

    `discounts` is what multiplies the value of the successor: gamma^h, 0 after termination.
    """

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
        buffer_size: Any,
        observation_space: Any,
        action_space: Any,
        device: Any = "cpu",
        n_envs: Any = 1,
        optimize_memory_usage: Any = False,  # rows are always stored once
        handle_timeout_termination: Any = False,  # True: `done` also marks the time limits in `infos`
        *,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        refuse("the CleanRL adapter", options, _TAKEN)
        self.device, self.n_envs = torch.device(device), n_envs
        self.handle_timeout_termination = handle_timeout_termination
        self.buffer = Core(
            observation_space,
            action_space,
            max(buffer_size // n_envs, 1),
            n_envs,
            sampler,
            **with_seed(options, seed_from_numpy),
        )

    def add(
        self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any = None
    ) -> Any:
        """One step of all environments; `done` are terminations."""
        done = np.asarray(done, bool).reshape(self.n_envs)
        late = time_limits(infos, self.n_envs)
        if self.handle_timeout_termination and isinstance(infos, (list, tuple)):
            done = done & ~late
        self.buffer.add(
            np.asarray(obs),
            np.asarray(action),
            np.asarray(reward, np.float32),
            np.asarray(next_obs),
            done,
            late & ~done,
        )

    def sample(self, batch_size: Any) -> Any:
        batch = self.buffer.sample(batch_size)

        def tensor(column: Any) -> Any:
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
            tensor(batch.id.view(np.int64)),
        )

    def set_progress(self, progress: Any) -> Any:
        """The share of the run that is done, in [0, 1]: beta and eta schedules follow it."""
        self.buffer.set_progress(progress)

    def update_priorities(self, ids: Any, td_errors: Any) -> Any:
        """The `ids` of a sample, and its TD errors."""
        return self.buffer.update_priorities(
            torch.as_tensor(ids).cpu(), td_errors.detach().flatten().cpu()
        )

    def __len__(self) -> Any:
        return len(self.buffer)
