"""mneme/adapters/torchrl.py - a replay buffer that takes and returns TensorDicts.

    from mneme.adapters.torchrl import ReplayBuffer
    rb = ReplayBuffer(observation=(17,), action=(6,), capacity=1_000_000, batch_size=256)
    for data in collector:            # TensorDicts of shape [time] or [environments, time]
        rb.extend(data.cpu())
        batch = rb.sample()           # observation, action, next: observation, reward, done, ...
        rb.update_priority(batch["index"], batch["td_error"])

The keys are TorchRL's: observation, action, ("next", "observation" | "reward" | "terminated" |
"truncated" | "done"). With n-step windows the batch carries ("next", "discount"), what multiplies
the bootstrap value, and "steps_to_next_obs".
"""

import numpy as np
from tensordict import TensorDict

from .._frameworks import torch_column
from ..replay_buffer import ReplayBuffer as Core


def _array(tensor):
    return tensor.detach().contiguous().numpy()


class ReplayBuffer:
    """extend, add, sample, update_priority and iteration, as in torchrl.data.ReplayBuffer."""

    def __init__(
        self, observation, action, capacity=1_000_000, streams=1, *, batch_size=None, **options
    ):
        self.core = Core(observation, action, capacity, streams, **options)
        self.batch_size = batch_size

    def add(self, data):
        """One transition, or one of every stream."""
        self.extend(data.unsqueeze(-1))

    def extend(self, data):
        """Transitions in the order they happened: [time], or [streams, time]."""
        if len(data.batch_size) not in (1, 2):
            raise ValueError(
                f"a TensorDict of batch size {list(data.batch_size)}; pass [time] or [streams, time]"
            )
        many = len(data.batch_size) == 2
        if many and data.batch_size[0] != self.core.streams:
            raise ValueError(f"{data.batch_size[0]} environments for {self.core.streams} streams")
        after = data["next"]
        observation, action = _array(data["observation"]), _array(data["action"])
        successor = _array(after["observation"])
        scalar = data.batch_size  # rewards and flags have a trailing 1 in TorchRL
        reward = _array(after["reward"].reshape(scalar).float())
        terminated = after.get("terminated", None)
        done = _array(after["done"].reshape(scalar).bool())
        over = done if terminated is None else _array(terminated.reshape(scalar).bool())
        late = done & ~over
        if many:
            observation, action, successor = (
                np.ascontiguousarray(each.swapaxes(0, 1))
                for each in (observation, action, successor)
            )
            reward, over, late = (np.ascontiguousarray(each.T) for each in (reward, over, late))
        for t in range(len(reward)):
            self.core.add(observation[t], action[t], reward[t], successor[t], over[t], late[t])

    def sample(self, batch_size=None):
        rows = batch_size or self.batch_size
        if rows is None:
            raise ValueError("pass a batch_size, here or to the constructor")
        batch = self.core.sample(rows)
        tensor = torch_column
        discount = batch.discount[:, None]
        over = tensor(discount == 0)
        return TensorDict(
            {
                "observation": tensor(batch.observation),
                "action": tensor(batch.action),
                "index": tensor(batch.id.view(np.int64)),
                "_weight": tensor(batch.weight),
                "steps_to_next_obs": tensor(batch.horizon[:, None]),
                "next": TensorDict(
                    {
                        "observation": tensor(batch.next_observation),
                        "reward": tensor(batch.reward[:, None]),
                        "discount": tensor(discount),
                        "terminated": over,
                        "done": over.clone(),
                    },
                    batch_size=[rows],
                ),
            },
            batch_size=[rows],
        )

    def update_priority(self, index, priority):
        ids = index.detach().cpu().numpy().view(np.uint64)
        return self.core.update_priorities(ids, priority.detach().flatten().cpu())

    def update_tensordict_priority(self, data):
        return self.update_priority(data["index"], data["td_error"])

    def __iter__(self):
        while True:
            yield self.sample()

    def __len__(self):
        return len(self.core)

    def dumps(self, path):
        self.core.save(path)
