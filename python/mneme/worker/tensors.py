"""mneme/worker/tensors.py - simulators with tensors on a device: Isaac Lab and mjlab.

All rows step together and are reset within the step; rewards and flags are buffers of the simulator
that the next step overwrites. Everything is therefore computed on the device (clamped actions, masks,
terminal observations) and copied once per step, packed: next observation, first observation, reward,
flags.

The simulator returns the reset observation where an episode ended. The option `final` says how the
terminal one is read:

    native      cfg.compute_final_obs: extras["final_obs"]; mjlab: extras["terminal"]
    recorder    manager environments up to 2.3.2: with a recorder term they observe before
                they reset; this adds one computation and one draw of noise to each step
    reset_idx   direct environments up to 2.3.2: _reset_idx is wrapped to observe first
    none        as FastTD3: rows that ended have the reset observation, and a flag that says so
"""

import numpy as np

from .block import BEGUN, NOT_FINAL, TERMINATED, TRUNCATED
from .spaces import Box, Observations


class Torch:
    """The operations that are needed, by torch."""

    def __init__(self, device):
        import torch

        self._torch, self._device, self._staging = torch, device, {}

    def put(self, array):
        return self._torch.from_numpy(array).to(self._device)

    def clamp(self, tensor, bound):
        return tensor.clamp(-1, 1) * bound

    def copy(self, tensor):
        return tensor.clone()

    def like(self, tensor):
        return self._torch.zeros_like(tensor)

    def where(self, mask, one, other):
        return self._torch.where(mask.unsqueeze(1), one, other)

    def pack(self, columns, flags):
        """One float32 array on the host. `flags`: pairs of mask and number."""
        torch = self._torch
        flag = sum(mask.to(torch.float32) * number for mask, number in flags)
        columns = [each.to(torch.float32) for each in columns]
        packed = torch.cat(
            [each if each.dim() == 2 else each.unsqueeze(1) for each in [*columns, flag]], 1
        )
        staging = self._staging.get(packed.shape)
        if staging is None:  # one for steps, one for resets
            pin = packed.is_cuda
            staging = torch.empty(packed.shape, dtype=torch.float32, pin_memory=pin)
            self._staging[packed.shape] = staging
        staging.copy_(packed)  # waits for the device
        return staging.numpy()

    def random_integers(self, like, below):
        return self._torch.randint_like(like, high=below)


class Numpy:
    """The same for simulators with NumPy arrays, and for tests without torch."""

    def __init__(self, seed=0):
        self._random = np.random.RandomState(seed)

    def put(self, array):
        return array.copy()

    def clamp(self, array, bound):
        return np.clip(array, -1, 1) * np.float32(bound)

    def copy(self, array):
        return array.copy()

    def like(self, array):
        return np.zeros_like(array)

    def where(self, mask, one, other):
        return np.where(mask[:, None], one, other)

    def pack(self, columns, flags):
        flag = sum(np.float32(number) * mask for mask, number in flags)
        columns = [each if each.ndim == 2 else each[:, None] for each in [*columns, flag]]
        return np.concatenate(columns, 1).astype(np.float32)

    def random_integers(self, like, below):
        return self._random.randint(0, below, like.shape).astype(like.dtype)


class _Recorder:
    """Stands before an environment's recorder manager: one term more, which keeps observations."""

    def __init__(self, manager, keep):
        self._manager, self._keep = manager, keep

    @property
    def active_terms(self):
        return [*self._manager.active_terms, "mneme"]

    def record_post_step(self):
        self._keep()
        return self._manager.record_post_step()

    def __getattr__(self, name):
        return getattr(self._manager, name)


def way_of(environment):
    """How terminal observations of this environment can be read."""
    if getattr(environment.cfg, "compute_final_obs", False):
        return "native"
    if getattr(environment.cfg, "capture_terminal_observations", False):
        return "native"
    if hasattr(environment, "recorder_manager") and hasattr(environment, "observation_manager"):
        return "recorder"
    if hasattr(environment, "_reset_idx") and hasattr(environment, "_get_observations"):
        return "reset_idx"
    return "none"


class Tensors:
    """All rows of one simulator. `bound`: actions are [-1, 1] times this; `random_start`: after a
    reset of all, episodes are at random steps, so that they do not end together."""

    success = None

    def __init__(
        self, group, environment, operations, bound=1.0, random_start=False, way=None, name="policy"
    ):
        if group.repeat != 1:
            raise ValueError(f"{group.task}: repeat={group.repeat}; rows step together, allowed: 1")
        self.group, self.environment, self.count = group, environment, group.count
        self._inner = getattr(environment, "unwrapped", environment)
        if self._inner.num_envs != group.count:
            raise ValueError(
                f"{group.task} has {self._inner.num_envs} environments, not {group.count}"
            )
        self._do, self._bound, self._random_start, self._name = (
            operations,
            bound,
            random_start,
            name,
        )
        self.horizon = int(self._inner.max_episode_length)
        if group.limit not in (0, self.horizon):
            raise ValueError(f"{group.task}: limit={group.limit}; the simulator has {self.horizon}")
        self.observations = Observations(
            self._single(self._inner.single_observation_space), group.keys
        )
        shape = tuple(self._inner.single_action_space.shape)
        self.actions = _Unbounded(shape)
        self.way = way_of(self._inner) if way is None else way
        self.final = self.way != "none"
        self._last, self._zeros = None, None
        if self.way == "recorder":
            self._inner.recorder_manager = _Recorder(self._inner.recorder_manager, self._keep_all)
        elif self.way == "reset_idx":
            self._reset_idx, self._inner._reset_idx = self._inner._reset_idx, self._keep_some

    def _single(self, space):
        found = getattr(space, "spaces", None)
        return Box(-np.inf, np.inf, (found[self._name] if found else space).shape[-1:], np.float32)

    def _policy(self, observation):
        return observation[self._name] if isinstance(observation, dict) else observation

    def _keep_all(self):
        self._last = self._do.copy(self._policy(self._inner.obs_buf))

    def _keep_some(self, rows):
        # Outside of a step, as in reset(), no episode has ended.
        if self._stepping:
            seen = self._policy(self._inner._get_observations())
            if self._last is None:
                self._last = self._do.like(seen)
            self._last[rows] = seen[rows]
        return self._reset_idx(rows)

    _stepping = False

    def attach(self, block, first):
        rows = slice(first, first + self.count)
        self._action = block.action[rows, : self.actions.size]
        size = self.observations.size
        self._final, self._begun = (
            block.final_observation[rows, :size],
            block.observation[rows, :size],
        )
        self._reward, self._flags = block.reward[rows], block.flags[rows]

    def reset(self, nonce=0):
        observation, _ = self.environment.reset()
        if self._random_start:
            counters = self._inner.episode_length_buf
            self._inner.episode_length_buf = self._do.random_integers(counters, self.horizon)
        seen = self._policy(observation)
        zeros = seen[:, 0] * 0
        self._final[:] = self._do.pack([seen, zeros], [(zeros, 0)])[:, : self.observations.size]

    def step(self):
        action = self._do.clamp(self._do.put(np.asarray(self._action, np.float32)), self._bound)
        self._stepping = True
        try:
            observation, reward, terminated, truncated, extras = self.environment.step(action)
        finally:
            self._stepping = False
        next_first, over = self._policy(observation), terminated | truncated
        known = self._terminal(next_first, extras)
        flags = [
            (terminated, TERMINATED),
            (truncated, TRUNCATED),
            (over, BEGUN if known is not None else BEGUN | NOT_FINAL),
        ]
        last = next_first if known is None else self._do.where(over, known, next_first)
        packed, size = self._do.pack([last, next_first, reward], flags), self.observations.size
        self._final[:] = packed[:, :size]
        self._begun[:] = packed[:, size : 2 * size]
        self._reward[:] = packed[:, 2 * size]
        self._flags[:] = packed[:, 2 * size + 1]

    def _terminal(self, returned, extras):
        """Terminal observations of the rows that ended; None where they are unknown."""
        if self.way in ("recorder", "reset_idx"):
            return returned if self._last is None else self._last
        if self.way != "native":
            return None
        some = extras.get("terminal")  # mjlab: rows that ended, by number
        if some is not None:
            known = self._do.copy(returned)
            known[some["env_ids"]] = self._policy(some["observations"])
            return known
        # Absent in steps in which no episode ended.
        return self._policy(extras.get("final_obs", returned))

    def close(self):
        self.environment.close()


class _Unbounded:
    """Actions that are clamped on the device, not here."""

    def __init__(self, shape):
        self.size = int(np.prod(shape[-1:], dtype=np.int64))
