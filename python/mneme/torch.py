"""mneme/torch.py - a replay buffer whose rows are torch tensors on a device.

    buffer = mneme.torch.ReplayBuffer(observation=(48,), action=(12,), capacity=1_000, streams=4096,
                                      device="cuda", sampler="truncated_geometric:alpha=4", n_step=3)
    buffer.add(observation, action, reward, next_observation, terminated, truncated)  # all streams
    batch = buffer.sample(8192)
    target = batch.reward + batch.discount * value(batch.next_observation)

For simulators whose observations live on the device. The meaning is that of mneme.ReplayBuffer:
streams x time, rows stored once, true final observations, n-step windows that stop at an episode's
end, every age sampler, proportional priorities. Neither `add` nor `sample` nor `update_priorities`
copies to the host or waits for the device. All streams advance together.

Final observations of episodes that ended lie in a ring of their own with `final_rows` places per
stream. Where more episodes end within `capacity` steps than that, the oldest of them lose theirs:
their rows come with weight 0 (`batch.weight`), and `buffer.lost` counts how often.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ._core import make_sampler
from ._frameworks import Columns
from ._hindsight import _split
from ._spaces import field_of
from .functional import indices

_NONE, _TERMINATED, _TRUNCATED, _CUT = 0, 1, 2, 3
_WIDTH = 64  # children of a node in the priority tree


def _rows(mask: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A mask of rows, shaped to select among `like`."""
    return mask.reshape(*mask.shape, *(1,) * (like.dim() - mask.dim()))


def _select(mask: torch.Tensor, yes: torch.Tensor, no: torch.Tensor) -> torch.Tensor:
    return torch.where(_rows(mask, yes), yes, no)


class _Sums:
    """Priorities per stream: leaves, sums over blocks of them, and the smallest above 0."""

    def __init__(self, streams: int, slots: int, device: Any) -> None:
        real = torch.float32 if torch.device(device).type == "mps" else torch.float64
        width = -(-(slots + 1) // _WIDTH) * _WIDTH  # one slot more, for feedback that is dropped
        self.spare = slots
        self.sums = [torch.zeros(streams, width, dtype=torch.float32, device=device)]
        self.least = [torch.full((streams, width), torch.inf, device=device)]
        while width > _WIDTH:
            width = -(-(width // _WIDTH) // _WIDTH) * _WIDTH
            self.sums.append(torch.zeros(streams, width, dtype=real, device=device))
            self.least.append(torch.full((streams, width), torch.inf, device=device))

    def tensors(self) -> list[torch.Tensor]:
        return [*self.sums, *self.least]

    def set(self, streams: torch.Tensor, slots: torch.Tensor, values: torch.Tensor) -> None:
        self.sums[0][streams, slots] = values
        self.least[0][streams, slots] = torch.where(values > 0, values, torch.inf)
        for below in range(len(self.sums) - 1):
            slots = slots // _WIDTH
            blocks = self.sums[below].unflatten(1, (-1, _WIDTH))[streams, slots]
            self.sums[below + 1][streams, slots] = blocks.sum(-1, dtype=self.sums[below + 1].dtype)
            blocks = self.least[below].unflatten(1, (-1, _WIDTH))[streams, slots]
            self.least[below + 1][streams, slots] = blocks.amin(-1)

    def total(self, streams: torch.Tensor) -> torch.Tensor:
        top = self.sums[-1]
        return top[streams].sum(-1, dtype=top.dtype if len(self.sums) > 1 else torch.float64)

    def smallest(self, streams: torch.Tensor) -> torch.Tensor:
        return self.least[-1][streams].amin(-1)

    def find(self, streams: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """The slots where the sums of the streams pass u times their total."""
        node = torch.zeros_like(streams)
        left = u.to(self.sums[-1].dtype) if len(self.sums) > 1 else u.double()
        for level, values in enumerate(reversed(self.sums)):
            blocks = values.unflatten(1, (-1, _WIDTH))[streams, node].to(left.dtype)
            sums = blocks.cumsum(-1)
            whole = sums[:, -1:]
            if level == 0:
                left = left * whole[:, 0]
            # Rounding must not step past the last child that has any mass.
            child = torch.minimum((sums <= left[:, None]).sum(-1), (sums < whole).sum(-1))
            before = sums.gather(-1, (child - 1).clamp(min=0)[:, None])[:, 0]
            left = left - torch.where(child > 0, before, torch.zeros_like(before))
            node = node * _WIDTH + child
        return node


class _Priorities:
    """Proportional prioritization: the parameters of `per`, and the sums."""

    def __init__(self, spec: str, streams: int, slots: int, device: Any) -> None:
        p = {"alpha": "0.6", "eps": "1e-6", "beta": "0.4", "beta_end": "1", "new_rows": "seen"}
        p.update(weights="buffer", draws="stratified")
        for part in _split(spec.partition(":")[2]):
            key, _, value = part.partition("=")
            if key not in p:
                raise KeyError(f"per: unknown parameter '{key}'; known: {', '.join(p)}")
            p[key] = value
        if p["new_rows"] != "seen":
            raise ValueError("per on a device: new_rows must be seen")
        self.alpha, self.eps = float(p["alpha"]), float(p["eps"])
        self.beta, self.beta_end = float(p["beta"]), float(p["beta_end"])
        self.scale, self.stratified = p["weights"], p["draws"] == "stratified"
        if self.scale not in ("buffer", "batch", "none"):
            raise ValueError(f"per: weights must be buffer, batch or none, got '{self.scale}'")
        self.sums = _Sums(streams, slots, device)
        self.highest = torch.ones(streams, device=device)  # leaf of a new row


class ReplayBuffer:
    """See the module's page. `observation`, `action` and `fields` as for mneme.ReplayBuffer, and
    observations also as a dict of those."""

    def __init__(
        self,
        observation: Any,
        action: Any,
        capacity: int,
        streams: int = 1,
        sampler: Any = "uniform",
        *,
        device: Any = "cpu",
        stream_policy: str = "uniform",
        n_step: int = 1,
        discount: float = 0.99,
        horizon: str = "full",
        seed: int | None = 0,
        fields: Mapping[str, Any] | None = None,
        final_rows: int | None = None,
        trust_flags: bool = False,
    ) -> None:
        for name, number in {"capacity": capacity, "streams": streams, "n_step": n_step}.items():
            if number < 1:
                raise ValueError(f"{name} must be at least 1, got {number}")
        if n_step > capacity:
            raise ValueError(f"n_step must be at most the capacity {capacity}, got {n_step}")
        if not 0 <= discount <= 1:
            raise ValueError(f"discount must be from 0 to 1, got {discount}")
        if horizon not in ("full", "clip"):
            raise ValueError(f"horizon must be full or clip, got '{horizon}'")
        if stream_policy not in ("uniform", "equal_share"):
            raise ValueError(
                f"stream_policy must be uniform or equal_share on a device, got '{stream_policy}'"
            )
        self.device = torch.device(device)
        self.capacity, self.streams, self.n_step, self.discount = (
            capacity,
            streams,
            n_step,
            discount,
        )
        self.horizon, self.stream_policy, self.trust_flags = horizon, stream_policy, trust_flags
        if final_rows is None:
            final_rows = min(capacity, max(16, capacity // 8))
        if not 1 <= final_rows <= capacity:
            raise ValueError(f"final_rows must be from 1 to {capacity}, got {final_rows}")
        self.final_rows = final_rows

        parts = getattr(observation, "spaces", observation)
        self._dict = hasattr(parts, "items")
        specs = dict(parts.items()) if self._dict else {"": observation}
        self._observation = {name: self._spec(name, spec) for name, spec in specs.items()}
        self._action = self._spec("action", action)
        self._fields = {name: self._spec(name, spec) for name, spec in (fields or {}).items()}

        def room(rows: int, spec: tuple[tuple[int, ...], torch.dtype]) -> torch.Tensor:
            return torch.zeros(rows, streams, *spec[0], dtype=spec[1], device=self.device)

        # Row t is in slot t % capacity, its observation in t % (capacity + 1); the one after that
        # is its successor until the next row overwrites it with the same numbers.
        self._seen = {name: room(capacity + 1, spec) for name, spec in self._observation.items()}
        self._finals = {name: room(final_rows, spec) for name, spec in self._observation.items()}
        self._actions = room(capacity, self._action)
        self._rewards = torch.zeros(capacity, streams, device=self.device)
        self._ends = torch.zeros(capacity, streams, dtype=torch.uint8, device=self.device)
        self._final_of = torch.zeros(capacity, streams, dtype=torch.int64, device=self.device)
        self._finals_made = torch.zeros(streams, dtype=torch.int64, device=self.device)
        self._extras = {name: room(capacity, spec) for name, spec in self._fields.items()}
        self._cuts = torch.zeros((), dtype=torch.int64, device=self.device)
        self._lost = torch.zeros((), dtype=torch.int64, device=self.device)
        self._every = torch.arange(streams, device=self.device)
        self._steps = torch.arange(n_step, device=self.device)
        powers = torch.tensor([discount**k for k in range(n_step + 1)], dtype=torch.float64)
        self._powers = powers.float().to(self.device)
        self._added, self._batches, self._progress = 0, 0, 0.0
        self.generator = torch.Generator(device=self.device)
        if seed is None:
            self.generator.seed()
        else:
            self.generator.manual_seed(seed)

        if isinstance(sampler, type):
            sampler = sampler()
        self.sampler = str(getattr(sampler, "spec", sampler))
        self._priorities: _Priorities | None = None
        name = self.sampler.partition(":")[0]
        if name == "per":
            self._priorities = _Priorities(self.sampler, streams, capacity, self.device)
            self._stratified = self._priorities.stratified
        elif name in ("rank_per", "reaper", "recency_per", "her"):
            raise ValueError(f"{name} does not run on a device yet; use per or an age sampler")
        else:
            spec = make_sampler(self.sampler).spec
            self._stratified = "draws=stratified" in spec.rpartition(")")[2]
            self._age_sampler = spec.replace("draws=stratified", "draws=independent")
            real = torch.float32 if self.device.type == "mps" else torch.float64
            indices(
                self._age_sampler, torch.zeros(1, dtype=real), 1, 1
            )  # refuses what has no formula

    @staticmethod
    def _spec(name: str, field: Any) -> tuple[tuple[int, ...], torch.dtype]:
        shape, dtype = field_of(name or "observation", field)
        return tuple(shape), getattr(torch, dtype)

    # Rows in.

    def _taken(
        self, name: str, given: Any, spec: tuple[tuple[int, ...], torch.dtype]
    ) -> torch.Tensor:
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"{name} must be a tensor on {self.device}, got {type(given).__name__}")
        if given.device.type != self.device.type:
            raise ValueError(f"{name} must be on {self.device}, got one on {given.device}")
        wanted = (self.streams, *spec[0])
        if tuple(given.shape) != wanted:
            raise ValueError(f"{name} must have shape {wanted}, got {tuple(given.shape)}")
        if given.dtype != spec[1] and not (
            given.dtype.is_floating_point and spec[1].is_floating_point
        ):
            raise ValueError(f"{name} must be {spec[1]}, got {given.dtype}")
        return given.detach().to(spec[1])

    def _parts(self, name: str, given: Any) -> dict[str, torch.Tensor]:
        if not self._dict:
            return {"": self._taken(name, given, self._observation[""])}
        missing = [key for key in self._observation if key not in given.keys()]
        if missing:
            raise ValueError(f"{name} lacks the parts {', '.join(missing)}")
        return {
            key: self._taken(f"{name}.{key}", given[key], spec)
            for key, spec in self._observation.items()
        }

    def _flags(self, name: str, given: Any) -> torch.Tensor:
        if given is False:
            return torch.zeros(self.streams, dtype=torch.bool, device=self.device)
        if not isinstance(given, torch.Tensor):
            raise TypeError(f"{name} must be a tensor on {self.device}, got {type(given).__name__}")
        if given.numel() != self.streams:
            raise ValueError(f"{name} must have one entry per stream, got {tuple(given.shape)}")
        return given.detach().reshape(self.streams) != 0

    @torch.no_grad()
    def add(
        self,
        observation: Any,
        action: torch.Tensor,
        reward: torch.Tensor,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        **fields: torch.Tensor,
    ) -> None:
        """One step of every stream: tensors on the device with one row each. `next_observation` is
        the true one, also at an episode's end."""
        now = self._parts("observation", observation)
        then = self._parts("next_observation", next_observation)
        done = self._taken("action", action, self._action)
        if reward.numel() != self.streams:
            raise ValueError(f"reward must have one entry per stream, got {tuple(reward.shape)}")
        if set(fields) != set(self._fields):
            raise ValueError(f"fields must be {sorted(self._fields)}, got {sorted(fields)}")
        extras = {name: self._taken(name, fields[name], self._fields[name]) for name in fields}
        over = self._flags("terminated", terminated)
        late = self._flags("truncated", truncated) & ~over

        t, here = self._added, self._added % (self.capacity + 1)
        slot = t % self.capacity
        if t > 0:
            before = (t - 1) % self.capacity
            open_end = self._ends[before] == _NONE
            expected = {name: seen[here].clone() for name, seen in self._seen.items()}
            if self.trust_flags:
                now = {name: _select(open_end, expected[name], now[name]) for name in now}
            else:
                differs = torch.zeros_like(open_end)
                for name, part in now.items():
                    same = (part == expected[name]) | (
                        (part != part) & (expected[name] != expected[name])
                    )
                    differs = differs | ~same.reshape(self.streams, -1).all(-1)
                self._end(before, differs & open_end, _CUT, expected)
        after = (t + 1) % (self.capacity + 1)
        for name in now:
            self._seen[name][here] = now[name]
            self._seen[name][after] = then[name]
        self._actions[slot] = done
        self._rewards[slot] = reward.detach().reshape(self.streams).float()
        for name, value in extras.items():
            self._extras[name][slot] = value
        self._ends[slot] = _NONE
        self._end(slot, over, _TERMINATED, then)
        self._end(slot, late, _TRUNCATED, then)
        self._added = t + 1
        if self._priorities is not None:
            self._append_priorities(t)

    def _end(
        self, slot: int, which: torch.Tensor, kind: int, final: dict[str, torch.Tensor]
    ) -> None:
        """The rows in `slot` of these streams end their episodes with these observations."""
        place = self._finals_made % self.final_rows
        for name, finals in self._finals.items():
            finals[place, self._every] = _select(which, final[name], finals[place, self._every])
        self._final_of[slot] = torch.where(which, self._finals_made, self._final_of[slot])
        self._ends[slot] = torch.where(
            which, torch.full_like(self._ends[slot], kind), self._ends[slot]
        )
        self._finals_made += which
        if kind == _CUT:
            self._cuts += which.sum()

    @torch.no_grad()
    def cut(self, streams: torch.Tensor | None = None) -> None:
        """Says that streams (a mask; all without one) were reset: what comes next is a new episode."""
        if self._added == 0:
            return
        before = (self._added - 1) % self.capacity
        which = self._ends[before] == _NONE
        if streams is not None:
            which = which & self._flags("streams", streams)
        here = self._added % (self.capacity + 1)
        self._end(
            before, which, _CUT, {name: seen[here].clone() for name, seen in self._seen.items()}
        )

    def _held(self) -> int:
        return self.n_step - 1 if self.horizon == "full" else 0

    def _append_priorities(self, t: int) -> None:
        priorities, held = self._priorities, self._held()
        assert priorities is not None
        slots = torch.full_like(self._every, t % self.capacity)
        zero = torch.zeros_like(priorities.highest)
        priorities.sums.set(self._every, slots, zero if held else priorities.highest)
        if held and t >= held:
            slots = torch.full_like(self._every, (t - held) % self.capacity)
            priorities.sums.set(self._every, slots, priorities.highest)

    # Rows out.

    def _choose_streams(self, count: int) -> torch.Tensor:
        """In rising order, so that strata can be formed within each stream."""
        if self.stream_policy == "uniform":
            drawn = torch.randint(
                self.streams, (count,), generator=self.generator, device=self.device
            )
            return drawn.sort().values
        shares = torch.arange(count, device=self.device) % self.streams
        turn = torch.randperm(self.streams, generator=self.generator, device=self.device)
        return turn[shares].sort().values

    def _uniforms(self, streams: torch.Tensor) -> torch.Tensor:
        real = torch.float32 if self.device.type == "mps" else torch.float64
        count = len(streams)
        u = torch.rand(count, generator=self.generator, dtype=real, device=self.device)
        if not self._stratified:
            return u
        ones = torch.ones(count, dtype=torch.int64, device=self.device)
        per_stream = torch.zeros(self.streams, dtype=torch.int64, device=self.device)
        per_stream.scatter_add_(0, streams, ones)
        first = per_stream.cumsum(0) - per_stream
        rank = torch.arange(count, device=self.device) - first[streams]
        u = (rank + u) / per_stream[streams]
        return u.clamp(max=1 - torch.finfo(real).eps)

    @torch.no_grad()
    def sample(self, batch_size: int) -> Columns:
        """A batch as columns of tensors: those of mneme.Batch, observations as dicts where they are."""
        size = min(self._added, self.capacity)
        starts = size - self._held()
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        if starts < 1:
            raise ValueError(
                f"{size} steps are stored, and no complete window of {self.n_step} starts there "
                "yet; add more before sampling"
            )
        streams = self._choose_streams(batch_size)
        u = self._uniforms(streams)
        oldest = self._added - size
        weight = torch.ones(batch_size, device=self.device)
        if self._priorities is None:
            index = indices(
                self._age_sampler,
                u,
                starts,
                max(self.capacity - self._held(), starts),
                batch=self._batches,
                progress=self._progress,
            )
            row = oldest + index
        else:
            slots = self._priorities.sums.find(streams, u)
            base = oldest % self.capacity
            row = oldest + (slots - base) % self.capacity
            weight = self._weights(self._priorities, streams, slots, starts)
        order = torch.randperm(batch_size, generator=self.generator, device=self.device)
        self._batches += 1
        return self._columns(streams[order], row[order], weight[order])

    def _weights(
        self, priorities: _Priorities, streams: torch.Tensor, slots: torch.Tensor, rows: int
    ) -> torch.Tensor:
        beta = priorities.beta + (priorities.beta_end - priorities.beta) * self._progress
        leaf = priorities.sums.sums[0][streams, slots]
        if priorities.scale == "buffer":
            return ((priorities.sums.smallest(streams) / leaf) ** beta).float()
        weight = ((rows * leaf / priorities.sums.total(streams)) ** -beta).float()
        if priorities.scale == "batch":
            largest = torch.zeros(self.streams, device=self.device)
            largest.scatter_reduce_(0, streams, weight, "amax")
            weight = weight / largest[streams]
        return weight

    def _columns(self, streams: torch.Tensor, row: torch.Tensor, weight: torch.Tensor) -> Columns:
        # The window: up to n_step rows, until one ends its episode or is the newest.
        each = row[:, None] + self._steps
        slots, stored = each % self.capacity, each < self._added
        ends = self._ends[slots, streams[:, None]]
        over = (ends != _NONE).to(torch.int32)
        alive = stored & (over.cumsum(1) - over == 0)
        horizon = alive.sum(1)
        rewards = self._rewards[slots, streams[:, None]] * self._powers[:-1]
        last = row + horizon - 1
        slot = last % self.capacity
        end = self._ends[slot, streams]
        ended = end != _NONE
        number = self._final_of[slot, streams]
        lost = ended & (number < self._finals_made[streams] - self.final_rows)
        self._lost += lost.sum()
        following = torch.where(lost, last, last + 1) % (self.capacity + 1)
        place = number % self.final_rows
        at = row % (self.capacity + 1)
        before, after = {}, {}
        for name, seen in self._seen.items():
            before[name] = seen[at, streams]
            after[name] = _select(
                ended & ~lost, self._finals[name][place, streams], seen[following, streams]
            )
        here = row % self.capacity
        bootstraps = (end != _TERMINATED).float()
        kept = torch.where(lost & (end != _TERMINATED), 0.0, 1.0)
        return Columns(
            observation=before if self._dict else before[""],
            action=self._actions[here, streams],
            reward=torch.where(alive, rewards, 0.0).sum(1),
            next_observation=after if self._dict else after[""],
            discount=self._powers[horizon] * bootstraps,
            weight=weight * kept,
            id=(streams << 44) + row,
            stream=streams,
            age=self._added - 1 - row,
            horizon=horizon,
            **{name: extra[here, streams] for name, extra in self._extras.items()},
        )

    @torch.no_grad()
    def update_priorities(self, ids: torch.Tensor, td_errors: torch.Tensor) -> None:
        """TD errors of the rows of a batch. Those that are not finite, and those of rows that have
        been overwritten, change nothing; of a row given twice one counts."""
        if self._priorities is None:
            return
        priorities = self._priorities
        errors = td_errors.detach().reshape(-1)
        if ids.numel() != errors.numel():
            raise ValueError(f"{errors.numel()} TD errors for {ids.numel()} rows")
        streams, row = ids >> 44, ids & (2**44 - 1)
        size = min(self._added, self.capacity)
        drawable = (row >= self._added - size) & (row < self._added - self._held())
        good = drawable & torch.isfinite(errors)
        magnitude = torch.where(good, errors.abs().float(), 0.0)
        leaf = (magnitude + priorities.eps) ** priorities.alpha
        slots = torch.where(good, row % self.capacity, priorities.sums.spare)
        priorities.sums.set(streams, slots, torch.where(good, leaf, 0.0))
        highest = torch.where(good, leaf, 0.0)
        priorities.highest.scatter_reduce_(0, streams, highest, "amax")

    def set_progress(self, progress: float) -> None:
        """Share of the run that is done, in [0, 1]: for beta and eta schedules."""
        if not 0 <= progress <= 1:
            raise ValueError(f"progress must be from 0 to 1, got {progress}")
        self._progress = float(progress)

    # What it holds.

    def __len__(self) -> int:
        return min(self._added, self.capacity) * self.streams

    @property
    def added(self) -> int:
        """Transitions ever stored, in all streams."""
        return self._added * self.streams

    @property
    def cuts(self) -> int:
        """Times a stream was found to be reset without notice, or declared cut. Waits for the device."""
        return int(self._cuts.item())

    @property
    def lost(self) -> int:
        """Rows drawn whose final observation was overwritten. Waits for the device."""
        return int(self._lost.item())

    def _tensors(self) -> dict[str, torch.Tensor]:
        named = {
            "actions": self._actions,
            "rewards": self._rewards,
            "ends": self._ends,
            "final_of": self._final_of,
            "finals_made": self._finals_made,
            "cuts": self._cuts,
            "lost": self._lost,
        }
        groups = {"seen": self._seen, "finals": self._finals, "extras": self._extras}
        for group, parts in groups.items():
            named.update({f"{group}.{name}": tensor for name, tensor in parts.items()})
        if self._priorities is not None:
            named["highest"] = self._priorities.highest
            for k, tensor in enumerate(self._priorities.sums.tensors()):
                named[f"sums.{k}"] = tensor
        return named

    def state_dict(self) -> dict[str, Any]:
        """Everything that decides the next batches, for torch.save."""
        return {
            "tensors": {name: tensor.clone() for name, tensor in self._tensors().items()},
            "generator": self.generator.get_state(),
            "added": self._added,
            "batches": self._batches,
            "progress": self._progress,
            "sampler": self.sampler,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """What `state_dict` of a buffer with the same arguments returned."""
        mine, theirs = self._tensors(), state["tensors"]
        if state["sampler"] != self.sampler:
            raise ValueError(f"the state is of sampler {state['sampler']}, not {self.sampler}")
        for name in {*mine, *theirs}:
            if name not in theirs or name not in mine or mine[name].shape != theirs[name].shape:
                raise ValueError(f"the state is of a buffer with other shapes: {name} differs")
        for name, tensor in mine.items():
            tensor.copy_(theirs[name])
        self.generator.set_state(state["generator"].cpu())
        self._added, self._batches = state["added"], state["batches"]
        self._progress = state["progress"]

    def __repr__(self) -> str:
        return (
            f"<mneme.torch.ReplayBuffer: {len(self):,} transitions, {self.streams} x "
            f"{self.capacity:,} on {self.device}, {self.sampler}>"
        )


def check_seams(
    make: Callable[..., ReplayBuffer], steps: int = 400, batch_size: int = 256, seed: int = 0
) -> dict[str, int]:
    """Plays a scripted world into a buffer and compares every sampled row with what happened.

    `make(observation=, action=, streams=)` returns the buffer to test, with `discount=1`. The world
    has episodes of random lengths that terminate, reach a time limit, or are reset without notice.
    Returns how many rows were compared and how many were wrong. Copies to the host.
    """
    streams = 3
    buffer = make(observation=(3,), action=(1,), streams=streams)
    world = torch.Generator().manual_seed(seed)
    truth: list[list[tuple[float, float, float, int]]] = [[] for _ in range(streams)]
    episode, step = [0] * streams, [0] * streams
    rows = wrong = 0

    def random_numbers() -> list[float]:
        return [float(x) for x in torch.rand(streams, generator=world)]

    for t in range(steps):
        ends = []
        for draw in random_numbers():
            ends.append(
                _TERMINATED
                if draw < 0.08
                else _TRUNCATED
                if draw < 0.16
                else _CUT
                if draw < 0.2
                else _NONE
            )
        now = [[s, episode[s], step[s]] for s in range(streams)]
        then = [[s, episode[s], step[s] + 1] for s in range(streams)]
        rewards = [float(t + 1)] * streams
        device = buffer.device
        buffer.add(
            torch.tensor(now, dtype=torch.float32, device=device),
            torch.full((streams, 1), float(t), device=device),
            torch.tensor(rewards, device=device),
            torch.tensor(then, dtype=torch.float32, device=device),
            torch.tensor([end == _TERMINATED for end in ends], device=device),
            torch.tensor([end == _TRUNCATED for end in ends], device=device),
        )
        for s in range(streams):
            truth[s].append((episode[s], step[s], float(t + 1), ends[s]))
            if ends[s] == _NONE:
                step[s] += 1
            else:
                episode[s], step[s] = episode[s] + 1, 0
        if t < buffer.n_step or t % 7:
            continue
        batch = buffer.sample(batch_size)
        for k in range(batch_size):
            s, row = int(batch.stream[k]), int(batch.id[k]) & (2**44 - 1)
            at, total, horizon = row, 0.0, 0
            while True:
                total += truth[s][at][2]
                horizon += 1
                end = truth[s][at][3]
                if end != _NONE and not (end == _CUT and at == t):
                    break
                if horizon == buffer.n_step or at == t:
                    break
                at += 1
            last = truth[s][at]
            expected = [float(s), float(last[0]), float(last[1] + 1)]
            over = last[3] == _TERMINATED
            good = (
                batch.observation[k].tolist() == [s, truth[s][row][0], truth[s][row][1]]
                and float(batch.action[k, 0]) == float(row)
                and float(batch.reward[k]) == total
                and int(batch.horizon[k]) == horizon
                and (float(batch.discount[k]) == 0.0) == over
                and (
                    float(batch.weight[k]) == 0.0
                    or over
                    or batch.next_observation[k].tolist() == expected
                )
            )
            rows, wrong = rows + 1, wrong + (not good)
    return {"rows": rows, "wrong": wrong}


__all__ = ["ReplayBuffer", "check_seams"]
