"""mneme/adapters/fasttd3.py - the buffer of FastTD3's training loop.

    # from fast_td3_utils import SimpleReplayBuffer
    from mneme.adapters.fasttd3 import SimpleReplayBuffer

Same arguments, same TensorDicts in and out: `sample(b)` returns n_env * b rows, b of each
environment. Rows live in host memory and come to `device` with the batch. `dones` marks
terminations only, which is what the loop's bootstrap mask makes of dones and truncations.
"""

from typing import Any

import numpy as np
import torch
from tensordict import TensorDict

from .._adapting import refuse, seed_from_torch, with_seed
from ..replay_buffer import ReplayBuffer as Core


def _array(tensor: Any, dtype: Any = np.float32) -> Any:
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=dtype)


class SimpleReplayBuffer:
    """FastTD3's signature; `sampler` and other keywords are mneme's."""

    def __init__(
        self,
        n_env: Any,
        buffer_size: Any,
        n_obs: Any,
        n_act: Any,
        n_critic_obs: Any,
        asymmetric_obs: Any = False,
        playground_mode: Any = False,
        n_steps: Any = 1,
        gamma: Any = 0.99,
        device: Any = None,
        *,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        refuse(
            "the FastTD3 adapter",
            options,
            {
                "n_step": "pass n_steps",
                "discount": "pass gamma",
                "capacity": "pass buffer_size",
                "streams": "pass n_env",
                "stream_policy": "every environment has the same share of a batch",
                "fields": "its TensorDicts have no place for extra fields",
            },
        )
        self.n_env, self.n_obs, self.device = n_env, n_obs, device
        self.asymmetric_obs = asymmetric_obs
        self.playground_mode = playground_mode and asymmetric_obs
        # One row for actor and critic; in playground mode the critic's begins with the actor's.
        width = n_obs
        if asymmetric_obs:
            width = n_critic_obs if self.playground_mode else n_obs + n_critic_obs
        self.core = Core(
            (width,),
            (n_act,),
            buffer_size,
            n_env,
            sampler,
            stream_policy="equal_share",
            n_step=n_steps,
            discount=gamma,
            **with_seed(options, seed_from_torch),
        )
        self.ptr = 0

    def _joined(self, part: Any) -> Any:
        if not self.asymmetric_obs:
            return _array(part["observations"])
        if self.playground_mode:
            return _array(part["critic_observations"])
        both = torch.cat([part["observations"], part["critic_observations"]], dim=1)
        return _array(both)

    @torch.no_grad()
    def extend(self, tensor_dict: Any) -> Any:
        after = tensor_dict["next"]
        done, late = _array(after["dones"], bool), _array(after["truncations"], bool)
        self.core.add(
            self._joined(tensor_dict),
            _array(tensor_dict["actions"]),
            _array(after["rewards"]),
            self._joined(after),
            done & ~late,
            late,
        )
        self.ptr += 1

    @torch.no_grad()
    def sample(self, batch_size: Any) -> Any:
        rows = self.n_env * batch_size
        column = self.core.sample(rows).torch(self.device)
        now, then = self._split(column.observation), self._split(column.next_observation)
        over = (column.discount == 0).long()
        return TensorDict(
            {
                **now,
                "actions": column.action,
                "next": {
                    "rewards": column.reward,
                    "dones": over,
                    "truncations": torch.zeros_like(over),
                    "effective_n_steps": column.horizon,
                    **then,
                },
            },
            batch_size=rows,
        )

    def _split(self, rows: Any) -> Any:
        if not self.asymmetric_obs:
            return {"observations": rows}
        critic = rows if self.playground_mode else rows[:, self.n_obs :]
        return {"observations": rows[:, : self.n_obs], "critic_observations": critic}
