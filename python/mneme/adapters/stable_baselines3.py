"""mneme/adapters/stable_baselines3.py - the buffer of Stable-Baselines3's off-policy algorithms.

    from mneme.adapters.stable_baselines3 import ReplayBuffer
    model = SAC("MlpPolicy", env, replay_buffer_class=ReplayBuffer,
                replay_buffer_kwargs={"sampler": "truncated_geometric:alpha=10", "n_steps": 3, "gamma": 0.99})

Box, Discrete and Dict observations, VecNormalize, n-step returns and saving work as with SB3's own.
n-step returns need the discount of the algorithm too: {"n_steps": 3, "gamma": 0.99}; `n_step` and
`discount` mean the same. The seed comes from NumPy's generator, which the algorithm's `seed` sets.
Prioritized samplers need the weights in the loss and the errors back, which SB3 has no place for;
`prioritized` makes one:

    model = prioritized(SAC)("MlpPolicy", env, replay_buffer_class=ReplayBuffer,
                             replay_buffer_kwargs={"sampler": "per"})

`HerReplayBuffer` takes the arguments of SB3's own: {"n_sampled_goal": 4, "goal_selection_strategy":
"future"}, and `sampler=` for which rows are drawn before they are relabelled. Rows of episodes that
still run are drawn too; SB3's own draws none of those. `copy_info_dict=True` is refused.
"""

import sys
from typing import Any

import numpy as np
import torch
from stable_baselines3.common import buffers
from stable_baselines3.common.type_aliases import DictReplayBufferSamples, ReplayBufferSamples
from stable_baselines3.her import her_replay_buffer as her

from .._adapting import Narrowing, core_of, emptied, files_of, refuse, seed_from_numpy, with_seed
from .._spaces import stored_as
from ..replay_buffer import ReplayBuffer as Core

_TAKEN = {
    "observation": "it comes from observation_space",
    "action": "it comes from action_space",
    "capacity": "pass buffer_size to the algorithm",
    "streams": "it comes from n_envs",
    "stack": "use VecFrameStack",
    "fields": "SB3 has no place for extra fields; use mneme.ReplayBuffer",
}


class _Dones:
    """SB3 writes `dones[pos] = True` where a second `learn` leaves the last episode: a cut."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def __setitem__(self, pos: Any, value: Any) -> Any:
        for stream in range(self._core.streams):
            if value and self._core.size(stream):
                self._core.cut(stream)


class ReplayBuffer(buffers.ReplayBuffer):
    """SB3's interface over a mneme.ReplayBuffer, which is `self.core`."""

    def __init__(
        self,
        buffer_size: Any,
        observation_space: Any,
        action_space: Any,
        device: Any = "auto",
        n_envs: Any = 1,
        optimize_memory_usage: Any = False,  # rows are always stored once
        handle_timeout_termination: Any = True,
        *,
        sampler: Any = "uniform",
        n_steps: Any = None,
        gamma: Any = None,
        **options: Any,
    ) -> None:
        refuse("the SB3 adapter", options, _TAKEN)
        n_steps = _one_of("n_steps", n_steps, "n_step", options.pop("n_step", None), 1)
        gamma = _one_of("gamma", gamma, "discount", options.pop("discount", None), None)
        if gamma is None and n_steps > 1:
            raise TypeError(
                f"n_steps={n_steps} needs gamma=, the discount of the algorithm: the buffer sums "
                "discounted rewards and cannot see it"
            )
        gamma = 0.99 if gamma is None else gamma
        # The base of SB3's buffer without the arrays that it would allocate.
        buffers.BaseBuffer.__init__(
            self, buffer_size, observation_space, action_space, device, n_envs=n_envs
        )
        self.buffer_size = max(buffer_size // n_envs, 1)
        self.optimize_memory_usage = False
        self.handle_timeout_termination = handle_timeout_termination
        self.n_steps = n_steps
        observation = observation_space
        if not isinstance(self.obs_shape, dict):
            dtype = np.dtype(observation_space.dtype)
            self._dtype = np.dtype(np.float32) if dtype == np.float64 else dtype
            observation = (tuple(self.obs_shape), stored_as(self._dtype))
        action_type = np.dtype(action_space.dtype)
        self._action_type = np.dtype(np.float32) if action_type == np.float64 else action_type
        self._options = {
            "observation": observation,
            "action": ((self.action_dim,), stored_as(self._action_type)),
            "capacity": self.buffer_size,
            "streams": n_envs,
            "sampler": sampler,
            "n_step": n_steps,
            "discount": gamma,
            **with_seed(options, seed_from_numpy),
        }
        self.core = Core(**self._options)
        self.pos = self.core.added_to(0) % self.buffer_size  # 0, unless path= opened one
        self.full = self.core.added_to(0) >= self.buffer_size
        self._stored = Narrowing()
        self._last = None  # ids and weights of the batch handed out last

    def add(self, obs: Any, next_obs: Any, action: Any, reward: Any, done: Any, infos: Any) -> Any:
        over = np.asarray(done, bool)
        late = np.zeros(self.n_envs, bool)
        if self.handle_timeout_termination:
            late = np.array([info.get("TimeLimit.truncated", False) for info in infos], bool)
        if isinstance(obs, dict):
            obs, next_obs = self._parts(obs), self._parts(next_obs)
        else:
            shape = (self.n_envs, *self.obs_shape)
            kept = stored_as(self._dtype)
            obs = self._stored("observation", obs, kept).reshape(shape)
            next_obs = self._stored("observation", next_obs, kept).reshape(shape)
        self.core.add(
            obs,
            self._stored("action", action, stored_as(self._action_type)).reshape(
                self.n_envs, self.action_dim
            ),
            np.asarray(reward, np.float32),
            next_obs,
            over & ~late,
            over & late,
        )
        self.pos = (self.pos + 1) % self.buffer_size
        self.full = self.full or self.pos == 0

    def _parts(self, observation: Any) -> Any:
        kinds = self.observation_space.spaces
        return {
            key: self._stored(
                f"observation.{key}",
                np.asarray(part).reshape(self.n_envs, *kinds[key].shape),
                stored_as(kinds[key].dtype),
            )
            for key, part in observation.items()
        }

    def sample(self, batch_size: Any, env: Any = None) -> Any:
        batch = self.core.sample(batch_size)
        self._last = batch
        observation = self._normalize_obs(batch.observation, env)
        next_observation = self._normalize_obs(batch.next_observation, env)
        samples = ReplayBufferSamples
        if isinstance(observation, dict):
            samples = DictReplayBufferSamples
            observation = {key: self._tensor(part) for key, part in observation.items()}
            next_observation = {key: self._tensor(part) for key, part in next_observation.items()}
        else:
            if self._dtype.kind in "iu" and observation.dtype.kind in "iu":  # stored wider
                observation = observation.astype(self._dtype, copy=False)
                next_observation = next_observation.astype(self._dtype, copy=False)
            observation, next_observation = (
                self._tensor(observation),
                self._tensor(next_observation),
            )
        discount = batch.discount.reshape(-1, 1)
        # As everywhere in mneme: what multiplies the value of the successor, 0 after termination.
        extra = {"discounts": self._tensor(discount)} if self.n_steps > 1 else {}
        return samples(
            observations=observation,
            actions=self._tensor(batch.action.astype(self._action_type, copy=False)),
            next_observations=next_observation,
            dones=self._tensor((discount == 0).astype(np.float32)),
            rewards=self._tensor(self._normalize_reward(batch.reward.reshape(-1, 1), env)),
            **extra,
        )

    def _tensor(self, array: Any) -> Any:
        tensor = torch.from_numpy(array)
        return tensor if self.device.type == "cpu" else tensor.to(self.device)

    @property
    def dones(self) -> Any:
        return _Dones(self.core)

    @property
    def weights(self) -> Any:
        """Importance weights of the batch handed out last, as a column."""
        return self._tensor(self._last.weight.reshape(-1, 1))

    def update_priorities(self, td_errors: Any) -> Any:
        """The errors of the batch handed out last."""
        return self.core.update_priorities(self._last.id, td_errors.detach().flatten().cpu())

    def size(self) -> Any:
        return self.core.size(0)

    def reset(self) -> Any:
        super().reset()
        self.core = emptied(self.core, self._options)

    def __getstate__(self) -> Any:
        state = {key: value for key, value in self.__dict__.items() if key not in ("core", "_last")}
        return {**state, "files": files_of(self.core)}

    def __setstate__(self, state: Any) -> Any:
        files = state.pop("files")
        self.__dict__.update(state)
        self._last = None
        self.core = core_of(files, **self._functions())

    def _functions(self) -> Any:
        """What a loaded buffer needs beside its files."""
        return {}


class HerReplayBuffer(ReplayBuffer, her.HerReplayBuffer):
    """SB3's HerReplayBuffer: its constructor, its goals, over a mneme.ReplayBuffer."""

    def __init__(
        self,
        buffer_size: Any,
        observation_space: Any,
        action_space: Any,
        env: Any,
        device: Any = "auto",
        n_envs: Any = 1,
        optimize_memory_usage: Any = False,
        handle_timeout_termination: Any = True,
        n_sampled_goal: Any = 4,
        goal_selection_strategy: Any = "future",
        copy_info_dict: Any = False,
        *,
        sampler: Any = "uniform",
        **options: Any,
    ) -> None:
        if copy_info_dict:
            raise ValueError(
                "copy_info_dict=True: info dicts are not stored; use mneme.ReplayBuffer with "
                "sampler='her' and fields= for what compute_reward needs"
            )
        strategy = getattr(goal_selection_strategy, "name", goal_selection_strategy).lower()
        self.env = env
        self.copy_info_dict = False
        self.n_sampled_goal = n_sampled_goal
        self.her_ratio = 1 - 1.0 / (n_sampled_goal + 1)
        self.goal_selection_strategy = her.KEY_TO_GOAL_STRATEGY.get(strategy, strategy)
        if isinstance(sampler, type):
            sampler = sampler()
        base = getattr(sampler, "spec", sampler)
        super().__init__(
            buffer_size,
            observation_space,
            action_space,
            device,
            n_envs,
            optimize_memory_usage,
            handle_timeout_termination,
            sampler=f"her:k={n_sampled_goal},strategy={strategy},of=({base})",
            reward_function=self._reward,
            **options,
        )

    def _reward(self, achieved: Any, desired: Any, info: Any) -> Any:
        if self.env is None:
            raise ValueError(
                "the rewards of new goals need an environment; call set_env(env) first"
            )
        infos = [{} for _ in range(len(desired))]
        answer = self.env.env_method("compute_reward", achieved, desired, infos, indices=[0])
        return np.asarray(answer[0], np.float32)

    def _functions(self) -> Any:
        return {"reward_function": self._reward}

    def truncate_last_trajectory(self) -> Any:
        """Ends the episodes that still run: what comes next is a new one."""
        for stream in range(self.core.streams):
            if self.core.size(stream):
                self.core.cut(stream)

    def __getstate__(self) -> Any:
        state = ReplayBuffer.__getstate__(self)
        options = {k: v for k, v in self._options.items() if k != "reward_function"}
        return {k: v for k, v in {**state, "_options": options}.items() if k != "env"}

    def __setstate__(self, state: Any) -> Any:
        self.env = None
        ReplayBuffer.__setstate__(self, state)
        self._options["reward_function"] = self._reward


def _one_of(name: Any, value: Any, alias: Any, other: Any, default: Any) -> Any:
    """An argument under its two names; both at once are refused."""
    if value is not None and other is not None:
        raise TypeError(f"{name}={value} and {alias}={other} mean the same; pass one of them")
    return value if value is not None else other if other is not None else default


class _WeightedLosses:
    """torch.nn.functional, whose losses of a batch are weighted and remembered."""

    def __init__(self, functional: Any, buffer: Any) -> None:
        self._functional, self._buffer, self._errors = functional, buffer, []

    def __getattr__(self, name: Any) -> Any:
        return getattr(self._functional, name)

    def _weighted(self, name: Any, value: Any, target: Any) -> Any:
        self._errors.append((value - target).detach())
        loss = getattr(self._functional, name)(value, target, reduction="none")
        return (self._buffer.weights * loss).mean()

    def mse_loss(self, value: Any, target: Any) -> Any:
        return self._weighted("mse_loss", value, target)

    def smooth_l1_loss(self, value: Any, target: Any) -> Any:
        return self._weighted("smooth_l1_loss", value, target)

    def give_back(self) -> Any:
        """The mean error over the critics becomes the priority."""
        if self._errors:
            self._buffer.update_priorities(torch.stack(self._errors).abs().mean(0))
            self._errors = []


def prioritized(algorithm: Any) -> Any:
    """The algorithm (SAC, TD3, DDPG, DQN) with importance weights in its loss and errors fed back.

    The hook: while `train` runs, the loss functions of its module weigh by `replay_buffer.weights`
    and note the errors, which become priorities before the next batch is drawn.
    """
    defined = next(each for each in algorithm.__mro__ if "train" in each.__dict__)
    module = sys.modules[defined.__module__]

    class Prioritized(algorithm):
        def train(self, gradient_steps: Any, batch_size: Any = 64) -> Any:
            buffer, plain = self.replay_buffer, module.F
            # The share of `learn` that is done: schedules such as that of beta follow it.
            buffer.core.set_progress(min(1.0, max(0.0, 1.0 - self._current_progress_remaining)))
            losses = module.F = _WeightedLosses(plain, buffer)
            drawn = buffer.sample

            def sample(*arguments: Any, **options: Any) -> Any:
                losses.give_back()
                return drawn(*arguments, **options)

            buffer.sample = sample
            try:
                super().train(gradient_steps, batch_size)
                losses.give_back()
            finally:
                module.F = plain
                del buffer.sample

    Prioritized.__name__ = Prioritized.__qualname__ = f"Prioritized{algorithm.__name__}"
    return Prioritized
