"""mneme/replay_buffer.py - the buffer: what its arguments mean, spaces of environments, refusals."""

import itertools
import json
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from . import _core, _meta
from ._frameworks import Columns
from ._hindsight import Her, Relabeler, base_of, check_goals
from ._spaces import Packing, field_of

_OPTIONS = "python_options.json"  # beside the rows: what only this package knows

Goals = Callable[[Any, Any, Any], Any]  # achieved goals, desired goals, info -> one number each


class ReplayBuffer(_core.ReplayBuffer):
    """Streams (environments or tasks) of transitions, and a sampler over them.

    `observation`, `action` and the values of `fields` are a shape, a pair (shape, dtype), or a
    Gymnasium space. Types: float32, float64, float16, bfloat16, uint8, int32, int64; 16-bit floats
    come out as float32. `capacity` counts transitions per stream. With `path` the buffer lives in
    that directory and survives crashes up to its last `commit()`. If a buffer is there already it is
    opened, provided all other arguments fit it (`seed` counts for new ones only); see `mneme.open`.
    Buffers with the
    same `seed` draw the same batches; `seed=None` takes one from the operating system.

    n-step windows and stacks end where an observation is not the `next_observation` before it: the
    stream was reset without notice. With `trust_flags` they end only at `terminated`, `truncated` and
    `cut()`, and a row keeps the `next_observation` before it as its observation: for environments
    that add noise to what they show.

    `sampler="her:k=4,strategy=future"` draws hindsight goals (docs/python/her.md); it needs
    `reward_function`, and takes `termination_function`.

    `buffer[i]`, slices, iteration and `episodes()` give back single steps as they were stored, oldest
    first, stream after stream; `buffer[stream, i]` those of one stream.

    >>> buffer = ReplayBuffer(observation=(3,), action=(1,), capacity=1000, seed=0)
    >>> import numpy as np
    >>> row = np.zeros(3, np.float32)
    >>> buffer.add(row, np.zeros(1, np.float32), 1.0, row, False, False)
    >>> len(buffer)
    1
    >>> buffer.sample(2).reward.tolist()
    [1.0, 1.0]
    """

    def __init__(
        self,
        observation: Any,
        action: Any,
        capacity: int = 1_000_000,
        streams: int = 1,
        sampler: Any = "uniform",
        *,
        stream_policy: str = "uniform",
        n_step: int = 1,
        discount: float = 0.99,
        horizon: str = "full",
        stack: int = 1,
        seed: int | None = 0,
        fields: Mapping[str, Any] | None = None,
        path: str | os.PathLike[str] | None = None,
        commit_every: int = 0,
        diagnostics: bool = True,
        trust_flags: bool = False,
        reward_function: Goals | None = None,
        termination_function: Goals | None = None,
    ) -> None:
        if seed is None:
            seed = secrets.randbits(63)
        if isinstance(sampler, type):  # mneme.samplers.PER for mneme.samplers.PER()
            sampler = sampler()
        for name, number in {
            "capacity": capacity,
            "streams": streams,
            "n_step": n_step,
            "stack": stack,
            "seed": seed,
            "commit_every": commit_every,
        }.items():
            if not isinstance(number, Integral) or not 0 <= number < 2**63:
                raise ValueError(f"{name} must be a whole number from 0 up, got {number!r}")
        packing = Packing.of(observation)
        her = Her.parse(sampler)
        if her is None:
            for name, function in (
                ("reward_function", reward_function),
                ("termination_function", termination_function),
            ):
                if function is not None:
                    raise TypeError(f"{name} is for sampler='her', got {sampler!r}")
        else:
            if n_step != 1 or stack != 1:
                raise ValueError("her relabels single steps: n_step and stack must be 1")
            check_goals([path for path, *_ in packing.parts] if packing else [])
            sampler = base_of(her)
        if packing:
            observation = packing.spec
        observation, action = field_of("observation", observation), field_of("action", action)
        extras = {name: field_of(name, field) for name, field in (fields or {}).items()}
        options: dict[str, Any] = {"trust_flags": bool(trust_flags)}
        if her is not None:
            options.update(her=her.spec, her_seed=int(seed))
        functions = (reward_function, termination_function)
        if path is not None and Path(path, "manifest").exists():
            wanted = {
                "observation": observation,
                "action": action,
                "capacity": capacity,
                "streams": streams,
                "sampler": str(getattr(sampler, "spec", sampler)),
                "stream_policy": stream_policy,
                "n_step": n_step,
                "discount": discount,
                "horizon": horizon,
                "stack": stack,
                "fields": extras,
                "commit_every": commit_every,
                "diagnostics": bool(diagnostics),
            }
            self._open_fitting(os.fspath(path), packing, wanted, options, functions)
            return
        if her is not None:  # before anything is on disk
            Relabeler(her, *functions, 0, 1)
        super().__init__(
            observation,
            action,
            capacity,
            streams,
            sampler,
            stream_policy,
            n_step,
            discount,
            horizon,
            stack,
            seed,
            list(extras.items()),
            "" if path is None else os.fspath(path),
            commit_every,
            diagnostics,
            _presentation(packing),
        )
        self._take(packing, options, functions)
        if path is not None:
            self._write_beside(path)

    def _open_fitting(
        self, path: Any, packing: Any, wanted: Any, options: Any, functions: Any
    ) -> Any:
        """The buffer at `path`, if it is what the arguments say."""
        there = Packing.read(path)
        super().__init__(path, "writing", _presentation(there))
        found, found_options = self._config(), _read_options(path)
        differ = [
            f"{name} is {found[name]!r}, not {value!r}"
            for name, value in wanted.items()
            if _plain(found[name]) != _plain(value)
        ]
        if (there and there.parts) != (packing and packing.parts):
            differ.append("the parts of its observations are others")
        for name in ("trust_flags", "her"):
            if found_options.get(name) != options.get(name):
                differ.append(f"{name} is {found_options.get(name)}, not {options.get(name)}")
        if differ:
            _core.ReplayBuffer._abandon(self)
            raise ValueError(
                f"{path} holds another buffer: {'; '.join(differ)}. Pass the arguments it was made "
                "with, choose another path, or use mneme.open(path) to take it as it is"
            )
        try:
            self._take(there, found_options, functions)
        except BaseException:
            _core.ReplayBuffer._abandon(self)
            raise
        self._meta = _meta.read(path)

    def _take(self, packing: Any, options: Any, functions: Any = (None, None)) -> Any:
        """Remembers what the core does not know."""
        self._packing, self._options, self._meta = packing, options, None
        self.trust_flags = options["trust_flags"]
        if self.trust_flags:
            self._trust_flags(True)
        her = Her.parse(options["her"]) if options.get("her") else None
        if her is not None:
            self._relabeler = Relabeler(her, *functions, options["her_seed"], self.streams)
            self.__class__ = _HindsightReplayBuffer
        elif packing:
            self.__class__ = _PackedReplayBuffer

    def _write_beside(self, path: Any) -> Any:
        if self._packing:
            self._packing.write(path)
        if self.trust_flags or "her" in self._options:
            Path(path, _OPTIONS).write_text(json.dumps({"version": 1, **self._options}) + "\n")

    @property
    def meta(self) -> Any:
        """What the last `commit(meta=...)` or `save(..., meta=...)` kept beside the rows; None without
        one."""
        return self._meta

    def commit(self, meta: Any = None) -> None:
        """What is stored now survives the end of the process and of the machine.

        `meta` (anything JSON can write: your step counter, the name of a checkpoint) is kept with
        the rows, both or neither; `buffer.meta` has it after opening. For buffers with a path.
        """
        if meta is None or self.closed or self.path is None:
            super().commit()
        else:
            _meta.commit(self.path, meta, super().commit)
            self._meta = meta

    @classmethod
    def from_env(cls, env: Any, capacity: int = 1_000_000, **options: Any) -> "ReplayBuffer":
        """A buffer for an environment of Gymnasium, or for a vector of them: one stream each."""
        count = getattr(env, "num_envs", None)
        single = count is not None and hasattr(env, "single_observation_space")
        observation = env.single_observation_space if single else env.observation_space
        action = env.single_action_space if single else env.action_space
        return cls(observation, action, capacity, count if single else 1, **options)

    def save(self, path: str | os.PathLike[str], meta: Any = None) -> None:
        """A copy in a directory, for mneme.open or mneme.load; only what is new is written again.

        `meta` as for commit; without it the copy has that of the buffer.
        """
        path = os.fspath(path)
        kept = self._meta if meta is None else meta
        if kept is None:
            super().save(path)
            _meta.remove(path)
        else:
            _meta.commit(path, kept, lambda: super(ReplayBuffer, self).save(path))
        self._write_beside(path)

    @classmethod
    def _from(cls, path: Any, how: Any, functions: Any) -> Any:
        path = os.fspath(path)
        packing, options = Packing.read(path), _read_options(path)
        self = cls.__new__(cls)
        _core.ReplayBuffer.__init__(self, path, how, _presentation(packing))
        try:
            if "her" not in options and functions != (None, None):
                raise TypeError(f"{path} was not made with sampler='her'; it takes no functions")
            self._take(packing, options, functions)
        except BaseException:
            _core.ReplayBuffer._abandon(self)
            raise
        self._meta = _meta.read(path)
        return self

    def _rows(self, stream: Any, first: Any, count: Any) -> Any:
        """Rows first, first + 1, ... of one stream, oldest first, as columns."""
        config, columns = self._config(), Columns()
        stored = {
            "observation": config["observation"],
            "action": config["action"],
            "reward": ((), "float32"),
            "next_observation": config["observation"],
            "id": ((), "uint64"),
            "stream": ((), "int32"),
            **config["fields"],
        }
        for name, (shape, dtype) in stored.items():
            shown = "float32" if dtype in ("float16", "bfloat16") else dtype
            columns[name] = np.empty((count, *shape), shown)
        ends = np.zeros(count, np.uint8)
        if count:
            self._read(stream, first, count, dict(columns), ends)
        columns["terminated"], columns["truncated"] = ends == 1, ends == 2
        columns["cut"] = ends == 3
        if self._packing:
            for name in ("observation", "next_observation"):
                columns[name] = self._packing.unpack(columns[name])
        return columns

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple) and len(index) == 2 and isinstance(index[0], Integral):
            stream, index = int(index[0]), index[1]
            if not 0 <= stream < self.streams:
                raise IndexError(f"stream {stream} is outside [0, {self.streams})")
            streams = [stream]
        else:
            streams = range(self.streams)
        sizes = [self.size(stream) for stream in streams]
        total = sum(sizes)
        if isinstance(index, Integral):
            place = int(index) + (total if index < 0 else 0)
            if not 0 <= place < total:
                raise IndexError(f"row {index} is outside [{-total}, {total})")
            return _row_of(self._between(streams, sizes, place, place + 1), 0)
        if not isinstance(index, slice):
            raise TypeError(
                f"index must be a whole number, a slice, or a pair of stream and one of those, "
                f"got {index!r}"
            )
        first, last, step = index.indices(total)
        places = range(first, last, step)
        if len(places) == 0:
            return self._rows(streams[0], 0, 0)
        low, high = min(places[0], places[-1]), max(places[0], places[-1]) + 1
        rows = self._between(streams, sizes, low, high)
        return (
            rows
            if step == 1
            else _each(lambda column: column[::step], rows)
            if step > 0
            else (_each(lambda column: column[::-1][::-step], rows))
        )

    def _between(self, streams: Any, sizes: Any, low: Any, high: Any) -> Any:
        """Rows low .. high - 1 of the streams put one after another."""
        parts, before = [], 0
        for stream, size in zip(streams, sizes, strict=True):
            first, last = max(low - before, 0), min(high - before, size)
            if first < last:
                parts.append(self._rows(stream, first, last - first))
            before += size
        return parts[0] if len(parts) == 1 else _joined(parts)

    def __iter__(self) -> Iterator[Any]:
        """Single steps, oldest first, stream after stream."""
        for stream in range(self.streams):
            size = self.size(stream)
            for first in range(0, size, 1024):
                rows = self._rows(stream, first, min(1024, size - first))
                for k in range(len(rows["reward"])):
                    yield _row_of(rows, k)

    def episodes(self, stream: int | None = None, complete: bool = False) -> Iterator[Any]:
        """The episodes as columns of consecutive steps, oldest first, stream after stream.

        The first of a stream may lack its beginning, which was overwritten, and the last may still
        run: with `complete` both are left out.
        """
        for each in range(self.streams) if stream is None else [stream]:
            size = self.size(each)
            rows = self._rows(each, 0, size)
            ends = np.flatnonzero(rows["terminated"] | rows["truncated"] | rows["cut"]) + 1
            bounds = [0, *ends.tolist()]
            if bounds[-1] != size:
                bounds.append(size)
            begins_whole = self.added_to(each) == size
            for first, last in itertools.pairwise(bounds):
                runs = last == size and (len(ends) == 0 or ends[-1] != size)
                if complete and (runs or (first == 0 and not begins_whole)):
                    continue
                yield _each(lambda column, a=first, b=last: column[a:b], rows)

    def __repr__(self) -> str:
        if self.closed:
            return "<mneme.ReplayBuffer, closed>"
        return (
            f"<mneme.ReplayBuffer: {len(self):,} transitions, {self.streams} x {self.capacity:,}, "
            f"{self.sampler}>"
        )

    def __reduce__(self) -> Any:
        raise TypeError(
            "a ReplayBuffer is not pickled or copied: it is large, and two with one generator "
            "draw the same batches. Use save(path) and mneme.load(path)"
        )

    def __copy__(self) -> Any:
        return self.__reduce__()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__reduce__()

    def __enter__(self) -> "ReplayBuffer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _each(function: Any, columns: Any) -> Any:
    """Columns with a function applied to each array."""
    kind = Columns if isinstance(columns, Columns) else dict
    return kind(
        (name, _each(function, column) if isinstance(column, dict) else function(column))
        for name, column in columns.items()
    )


def _row_of(columns: Any, k: Any) -> Any:
    return _each(lambda column: column[k], columns)


def _joined(parts: Any) -> Any:
    """The columns of several parts, one after another."""
    return Columns(
        (
            name,
            dict(_joined([part[name] for part in parts]))
            if isinstance(parts[0][name], dict)
            else np.concatenate([part[name] for part in parts]),
        )
        for name in parts[0]
    )


def _plain(value: Any) -> Any:
    """For comparisons: lists and tuples alike."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _read_options(path: Any) -> Any:
    file = Path(path, _OPTIONS)
    if not file.exists():
        return {"trust_flags": False}
    try:
        options = json.loads(file.read_text())
        options.pop("version")
        return {**options, "trust_flags": bool(options["trust_flags"])}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RuntimeError(f"{file} is corrupt: {error!r}") from None


def _presentation(packing: Any) -> Any:
    """How the columns of packed observations are shown."""
    if not packing:
        return {}
    names = ("observation", "next_observation", "last_observation")
    return dict.fromkeys(names, packing.unpack)


def open(
    path: str | os.PathLike[str],
    *,
    read_only: bool = False,
    reward_function: Goals | None = None,
    termination_function: Goals | None = None,
) -> ReplayBuffer:
    """The buffer in a directory, as its last commit left it; see ReplayBuffer(path=...).

    With `read_only` others may look at it at the same time, and nothing done to it reaches the disk.
    A buffer with sampler="her" needs its functions again.
    """
    functions = (reward_function, termination_function)
    return ReplayBuffer._from(path, "reading" if read_only else "writing", functions)


def load(
    path: str | os.PathLike[str],
    *,
    reward_function: Goals | None = None,
    termination_function: Goals | None = None,
) -> ReplayBuffer:
    """A buffer in memory, as `save` or `commit` left it in a directory."""
    return ReplayBuffer._from(path, "memory", (reward_function, termination_function))


class _PackedReplayBuffer(ReplayBuffer):
    """A buffer whose observations are dicts."""

    def extend(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        stream: Any = None,
        **fields: Any,
    ) -> Any:
        """Stores consecutive steps at once; the parts of an observation become one row."""
        lead = np.shape(reward)
        pack = self._packing.pack
        super().extend(
            pack("observation", observation, self.streams, lead),
            action,
            reward,
            pack("next_observation", next_observation, self.streams, lead),
            terminated,
            truncated,
            stream,
            **fields,
        )

    def add(
        self,
        observation: Any,
        action: Any,
        reward: Any,
        next_observation: Any,
        terminated: Any = False,
        truncated: Any = False,
        stream: Any = None,
        **fields: Any,
    ) -> Any:
        """Stores one step, or one of every stream; the parts of an observation become one row."""
        pack = self._packing.pack
        super().add(
            pack("observation", observation, self.streams),
            action,
            reward,
            pack("next_observation", next_observation, self.streams),
            terminated,
            truncated,
            stream,
            **fields,
        )


class _HindsightReplayBuffer(_PackedReplayBuffer):
    """A buffer that relabels a share of what it draws."""

    @property
    def sampler(self) -> Any:
        return self._relabeler.her.spec

    def sample(self, batch_size: Any = None, out: Any = None, *, batch: Any = None) -> Any:
        """A batch in which the share k / (k + 1) of the rows has hindsight goals."""
        rows = batch_size if batch_size is not None else batch
        if isinstance(out, dict):
            raise ValueError(
                "her fills batches, not dicts of arrays; pass an earlier batch as out="
            )
        drawn = super().sample(rows, out)
        self._relabeler.relabel(self, drawn, list(self._config()["fields"]))
        return drawn

    def sample_sequences(self, *_: Any, **__: Any) -> Any:
        raise ValueError("her relabels single steps; sample_sequences needs another sampler")

    def batches(self, *_: Any, **__: Any) -> Any:
        raise ValueError("her does not draw ahead; call sample")


__all__ = ["ReplayBuffer", "load", "open"]
