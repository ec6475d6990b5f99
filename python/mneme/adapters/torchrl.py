"""mneme/adapters/torchrl.py - a replay buffer that takes and returns TensorDicts.

    from mneme.adapters.torchrl import ReplayBuffer
    rb = ReplayBuffer(observation=(17,), action=(6,), capacity=1_000_000, batch_size=256)
    for data in collector:            # TensorDicts of shape [time] or [environments, time]
        rb.extend(data.cpu())
        batch = rb.sample()           # observation, action, next: observation, reward, done, ...
        rb.update_priority(batch["index"], batch["td_error"])

The keys are TorchRL's: observation, action, ("next", "observation" | "reward" | "terminated" |
"truncated" | "done"). A dict of observations is read from keys of the same names, as GymEnv writes
them, or from below "observation". With n-step windows the batch carries ("next", "discount"), what
multiplies the bootstrap value, and "steps_to_next_obs". In a batch ("next", "truncated") is False and
"done" means terminated: a window that a time limit ends carries its true last observation. Other keys are stored if they are declared
with `fields=`; the first `extend` warns of those that are not. The seed comes from torch's generator.
"""

import os
import warnings
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict

from .._adapting import core_of, emptied, files_of, seed_from_torch, with_seed
from .._frameworks import torch_column
from ..replay_buffer import ReplayBuffer as Core
from ..replay_buffer import load

# Written by collectors and samplers; what they say of a step is in "next" too, or not of the step.
_BOOKKEEPING = {"next", "done", "terminated", "truncated", "collector", "index", "_weight"}


def _array(tensor: Any) -> Any:
    return tensor.detach().contiguous().numpy()


class ReplayBuffer:
    """extend, add, sample, update_priority and iteration, as in torchrl.data.ReplayBuffer."""

    def __init__(
        self,
        observation: Any,
        action: Any,
        capacity: Any = 1_000_000,
        streams: Any = 1,
        *,
        batch_size: Any = None,
        **options: Any,
    ) -> None:
        self._options = {
            "observation": observation,
            "action": action,
            "capacity": capacity,
            "streams": streams,
            **with_seed(options, seed_from_torch),
        }
        self.core = Core(**self._options)
        self.batch_size = batch_size
        parts = getattr(observation, "spaces", observation)
        self._parts = list(parts) if hasattr(parts, "keys") else None
        self._fields = list(options.get("fields") or {})
        self._below = False  # dict observations: below "observation", or beside "action"
        self._looked = False

    def add(self, data: Any) -> Any:
        """One transition, or one of every stream."""
        return self.extend(data.unsqueeze(-1))

    def _observation(self, data: Any, arrange: Any) -> Any:
        if self._parts is None:
            return arrange(data["observation"])
        source = data["observation"] if self._below else data

        def arranged(each: Any) -> Any:
            if hasattr(each, "keys"):
                return {key: arranged(part) for key, part in each.items()}
            return arrange(each)

        return {key: arranged(source[key]) for key in self._parts}

    def _look(self, data: Any) -> Any:
        """Once: where observations are, and which keys are not stored."""
        self._looked = True
        self._below = self._parts is not None and "observation" in data.keys()
        observed = {"observation"} if self._parts is None or self._below else set(self._parts)
        stored = observed | {"action", *self._fields} | _BOOKKEEPING
        lost = sorted(str(key) for key in data.keys() if key not in stored)
        if lost:
            warnings.warn(
                f"the keys {', '.join(lost)} are not stored; declare them with fields= to keep "
                "them. This warning appears once",
                UserWarning,
                stacklevel=3,
            )

    def extend(self, data: Any) -> Any:
        """Transitions in the order they happened: [time], or [streams, time]. Returns their ids."""
        if len(data.batch_size) not in (1, 2):
            raise ValueError(
                f"a TensorDict of batch size {list(data.batch_size)}; pass [time] or [streams, time]"
            )
        many = len(data.batch_size) == 2
        if many and data.batch_size[0] != self.core.streams:
            raise ValueError(f"{data.batch_size[0]} environments for {self.core.streams} streams")
        if not many and self.core.streams > 1:
            raise ValueError(
                f"a TensorDict of batch size {list(data.batch_size)} for {self.core.streams} "
                "streams; pass [streams, time]"
            )
        if not self._looked:
            self._look(data)
        shape, after = data.batch_size, data["next"]

        def arrange(tensor: Any) -> Any:
            array = _array(tensor)
            return np.ascontiguousarray(array.swapaxes(0, 1)) if many else array

        def scalar(tensor: Any) -> Any:  # rewards and flags have a trailing 1 in TorchRL
            return arrange(tensor.reshape(shape))

        done = scalar(after["done"].bool())
        terminated = after.get("terminated", None)
        over = done if terminated is None else scalar(terminated.bool())
        late = done & ~over
        if after.get("truncated", None) is not None:
            late = late | (scalar(after["truncated"].bool()) & ~over)
        fields = {}
        for name, (size, _) in self.core._config()["fields"].items():
            if name not in data.keys():
                raise ValueError(f"the key '{name}' is missing; it was declared with fields=")
            fields[name] = arrange(data[name].reshape(*shape, *size))
        first = [self.core.added_to(stream) for stream in range(self.core.streams)]
        self.core.extend(
            self._observation(data, arrange),
            arrange(data["action"]),
            scalar(after["reward"].float()),
            self._observation(after, arrange),
            over,
            late,
            **fields,
        )
        time = torch.arange(shape[-1])
        ids = torch.stack([(stream << 44) + begin + time for stream, begin in enumerate(first)])
        return ids if many else ids[0]

    def _shown(self, column: Any) -> Any:
        """Where an observation goes in a TensorDict."""
        tensor = torch_column(column)
        if self._parts is None or self._below:
            return {"observation": tensor}
        return tensor

    def sample(self, batch_size: Any = None) -> Any:
        rows = self.batch_size if batch_size is None else batch_size
        if rows is None:
            raise ValueError("pass a batch_size, here or to the constructor")
        batch = self.core.sample(rows)
        tensor = torch_column
        discount = batch.discount[:, None]
        over = tensor(discount == 0)
        return TensorDict(
            {
                **self._shown(batch.observation),
                "action": tensor(batch.action),
                "index": tensor(batch.id.view(np.int64)),
                "_weight": tensor(batch.weight),
                "steps_to_next_obs": tensor(batch.horizon[:, None]),
                **{name: tensor(batch[name]) for name in self._fields},
                "next": TensorDict(
                    {
                        **self._shown(batch.next_observation),
                        "reward": tensor(batch.reward[:, None]),
                        "discount": tensor(discount),
                        "terminated": over,
                        "truncated": torch.zeros_like(over),
                        "done": over.clone(),
                    },
                    batch_size=[rows],
                ),
            },
            batch_size=[rows],
        )

    def update_priority(self, index: Any, priority: Any) -> Any:
        """Priorities of the rows of a batch: one each, or one for all."""
        ids = torch.as_tensor(index).detach().cpu().reshape(-1)
        priority = torch.as_tensor(priority, dtype=torch.float32).detach().flatten().cpu()
        if priority.numel() == 1:
            priority = priority.expand(len(ids)).contiguous()
        return self.core.update_priorities(ids.numpy().view(np.uint64), priority)

    def update_tensordict_priority(self, data: Any) -> Any:
        return self.update_priority(data["index"], data["td_error"])

    def set_progress(self, progress: Any) -> Any:
        """The share of the run that is done, in [0, 1]: beta and eta schedules follow it."""
        self.core.set_progress(progress)

    def __iter__(self) -> Any:
        while True:
            yield self.sample()

    def __len__(self) -> Any:
        return len(self.core)

    @property
    def write_count(self) -> Any:
        return self.core.added

    def empty(self) -> Any:
        """Removes all rows."""
        self.core = emptied(self.core, self._options)

    def dumps(self, path: Any) -> Any:
        self.core.save(path)

    def loads(self, path: Any) -> Any:
        """The rows, priorities and generator that `dumps` wrote; in memory from then on."""
        self._replace(load(os.fspath(path)), path)

    def state_dict(self) -> Any:
        """Rows, priorities and generator as bytes, for torch.save."""
        return {"files": files_of(self.core)}

    def load_state_dict(self, state: Any) -> Any:
        """What `state_dict` of a buffer of the same shapes returned."""
        self._replace(core_of(state["files"]), "the state")

    def _replace(self, other: Any, path: Any) -> Any:
        mine, theirs = self.core._config(), other._config()
        for name in ("observation", "action", "streams", "fields"):
            if mine[name] != theirs[name]:
                raise ValueError(f"{path}: {name} is {theirs[name]!r}, not {mine[name]!r}")
        self.core.close()
        self.core = other
