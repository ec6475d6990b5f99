"""mneme/datasets.py - replay buffers from files and into files: Minari, D4RL, Parquet, NumPy.

    buffer = mneme.datasets.from_minari("mujoco/hopper/medium-v0", sampler="uniform", n_step=3)
    mneme.datasets.to_parquet(buffer, "replay.parquet")

Every `from_` makes a buffer in memory that holds exactly the rows of the file, and takes the options
of mneme.ReplayBuffer (`path=` for one on disk); `capacity` is the number of rows unless it is given.
Every `to_` writes the rows that a buffer holds, oldest first. Priorities, readers and generators stay
behind: to keep those use `save`.

What a format needs beside NumPy is imported when asked for: minari, h5py or pyarrow.
"""

import importlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._frameworks import Columns
from ._spaces import stored_as
from .replay_buffer import ReplayBuffer

Path = str | os.PathLike[str]  # of a file; `path=` among the options is that of the buffer

_TYPES = ("float32", "float64", "float16", "uint8", "int32", "int64")
_FLAGS = ("terminated", "truncated", "cut")
_USUAL = {"observation", "action", "reward", "next_observation", "stream", *_FLAGS}


def _needs(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f"{what} needs {module}: pip install {module}") from None


# Dict observations have their parts as columns of their own: observation.camera, ...


def _flat(columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    flat: dict[str, np.ndarray] = {}

    def add(name: str, column: Any) -> None:
        if isinstance(column, Mapping):
            for key, part in column.items():
                add(f"{name}.{key}", part)
        else:
            flat[name] = np.asarray(column)

    for name, column in columns.items():
        add(name, column)
    return flat


def _nested(columns: Mapping[str, Any], name: str) -> Any:
    """The column of that name, or the dict of its parts."""
    if name in columns:
        return columns[name]
    answer: dict[str, Any] = {}
    for key, column in columns.items():
        path = key.split(".")
        if path[0] == name and len(path) > 1:
            inner = answer
            for part in path[1:-1]:
                inner = inner.setdefault(part, {})
            inner[path[-1]] = column
    if not answer:
        raise ValueError(f"the column {name} is missing; there are {', '.join(columns)}")
    return answer


def _map(function: Any, column: Any) -> Any:
    if isinstance(column, Mapping):
        return {key: _map(function, part) for key, part in column.items()}
    return function(column)


def _spec(array: np.ndarray) -> tuple[tuple[int, ...], str]:
    name = array.dtype.name
    return tuple(array.shape[1:]), name if name in _TYPES else stored_as(array.dtype)


def from_columns(columns: Mapping[str, Any], **options: Any) -> ReplayBuffer:
    """A buffer from arrays of consecutive steps: observation, action, reward, next_observation, and
    if they are there terminated, truncated, cut (the stream was reset after the row) and stream.
    Other columns become fields. Dict observations are dicts of arrays, or columns with dotted names.
    """
    given = {name: array for name, array in _flat(columns).items() if name != "id"}
    rewards = np.asarray(_nested(given, "reward"), np.float32).reshape(-1)
    rows = len(rewards)
    if rows == 0:
        raise ValueError("there are no rows")
    for name, array in given.items():
        if len(array) != rows:
            raise ValueError(f"{name} has {len(array)} rows, reward has {rows}")
    observation, following = _nested(given, "observation"), _nested(given, "next_observation")
    streams = np.asarray(given.get("stream", np.zeros(rows)), np.int64).reshape(-1)
    if streams.min() < 0:
        raise ValueError(f"stream must be at least 0, got {streams.min()}")
    flags = {name: np.asarray(given.get(name, np.zeros(rows)), bool).reshape(-1) for name in _FLAGS}
    fields = {name: given[name] for name in given if name.partition(".")[0] not in _USUAL}
    count = int(streams.max()) + 1
    settings = {
        "capacity": int(np.bincount(streams).max()),
        "streams": count,
        "fields": {name: _spec(array) for name, array in fields.items()},
        **options,
    }
    buffer = ReplayBuffer(_map(_spec, observation), _spec(given["action"]), **settings)
    for stream in range(count):
        mine = np.flatnonzero(streams == stream)
        stops = np.flatnonzero(flags["cut"][mine]) + 1
        for part in np.split(mine, stops):
            if len(part) == 0:
                continue

            def taken(array: np.ndarray, part: np.ndarray = part) -> np.ndarray:
                return np.ascontiguousarray(array[part])

            buffer.extend(
                _map(taken, observation),
                taken(given["action"]),
                taken(rewards),
                _map(taken, following),
                taken(flags["terminated"]),
                taken(flags["truncated"]),
                stream if count > 1 else None,
                **{name: taken(array) for name, array in fields.items()},
            )
            if flags["cut"][part[-1]]:
                buffer.cut(stream)
    return buffer


def to_columns(buffer: ReplayBuffer) -> Columns:
    """All rows of a buffer, oldest first, stream after stream: what from_columns takes."""
    rows = buffer[:]
    return Columns((name, column) for name, column in rows.items() if name != "id")


# NumPy


def to_npz(buffer: ReplayBuffer, file: Path) -> None:
    """Into one .npz file, a column each."""
    with open(file, "wb") as stream:
        np.savez(stream, **_flat(to_columns(buffer)))


def from_npz(file: Path, **options: Any) -> ReplayBuffer:
    """From a file that to_npz wrote, or one with such arrays."""
    with np.load(file, allow_pickle=False) as arrays:
        return from_columns({name: arrays[name] for name in arrays.files}, **options)


# D4RL

_D4RL = {
    "observations": "observation",
    "actions": "action",
    "rewards": "reward",
    "next_observations": "next_observation",
    "terminals": "terminated",
    "timeouts": "truncated",
}


def to_hdf5(buffer: ReplayBuffer, file: Path) -> None:
    """Into an HDF5 file as D4RL has them: observations, actions, rewards, next_observations,
    terminals, timeouts. Rows after which a stream was reset count as timeouts."""
    h5py = _needs("h5py", "to_hdf5")
    columns = _flat(to_columns(buffer))
    columns["truncated"] = columns["truncated"] | columns.pop("cut")
    names = {ours: theirs for theirs, ours in _D4RL.items()}
    with h5py.File(file, "w") as opened:
        for name, array in columns.items():
            head, dot, rest = name.partition(".")
            opened.create_dataset(names.get(head, head) + dot + rest, data=array)


def from_hdf5(file: Path, **options: Any) -> ReplayBuffer:
    """From an HDF5 file in the form of D4RL.

    Many of these lack next_observations: then the successor of a row is the next row's observation.
    The last step of an episode that a time limit ended, and the last row, have none, and are left
    out; a terminated row keeps its own observation as successor, which nothing reads.
    """
    h5py = _needs("h5py", "from_hdf5")
    found: dict[str, np.ndarray] = {}
    with h5py.File(file, "r") as opened:
        for name in opened:
            if not isinstance(opened[name], h5py.Dataset):
                continue  # D4RL keeps metadata and infos in groups
            head, dot, rest = name.partition(".")
            found[_D4RL.get(head, head) + dot + rest] = opened[name][()]
    rows = len(_nested(found, "reward"))
    found = {name: array for name, array in found.items() if np.shape(array)[:1] == (rows,)}
    observation = _nested(found, "observation")
    if not any(name.partition(".")[0] == "next_observation" for name in found):
        over = np.asarray(found.get("terminated", np.zeros(rows)), bool).reshape(-1)
        late = np.asarray(found.get("truncated", np.zeros(rows)), bool).reshape(-1) & ~over
        known = ~late
        known[-1] = over[-1]

        def successor(array: np.ndarray) -> np.ndarray:
            following = np.concatenate([array[1:], array[-1:]])
            return np.where(over.reshape(-1, *(1,) * (array.ndim - 1)), array, following)

        after = _map(successor, observation)
        found.update(_flat({"next_observation": after}))
        # The row before one that is left out ends there.
        cut = np.zeros(rows, bool)
        cut[:-1] = ~known[1:] & ~over[:-1] & ~late[:-1]
        found["cut"] = cut
        found = {name: array[known] for name, array in found.items()}
    return from_columns(found, **options)


# Arrow and Parquet


def to_arrow(buffer: ReplayBuffer) -> Any:
    """A pyarrow.Table: a row per step, arrays as fixed-size lists."""
    pyarrow = _needs("pyarrow", "to_arrow")
    arrays, names, shapes = [], [], {}
    for name, column in _flat(to_columns(buffer)).items():
        names.append(name)
        flat = pyarrow.array(np.ascontiguousarray(column).reshape(-1))
        if column.ndim > 1:
            shapes[name] = list(column.shape[1:])
            size = int(np.prod(column.shape[1:]))
            flat = pyarrow.FixedSizeListArray.from_arrays(flat, size)
        arrays.append(flat)
    table = pyarrow.Table.from_arrays(arrays, names=names)
    return table.replace_schema_metadata({"mneme.shapes": json.dumps(shapes)})


def from_arrow(table: Any, **options: Any) -> ReplayBuffer:
    """From a pyarrow.Table with the columns of from_columns."""
    shapes = json.loads((table.schema.metadata or {}).get(b"mneme.shapes", b"{}"))
    columns = {}
    for name in table.column_names:
        column = table.column(name).combine_chunks()
        if hasattr(column.type, "value_type"):  # lists: all of one length
            numbers = column.flatten().to_numpy(zero_copy_only=False)
            if len(column) == 0 or len(numbers) % len(column):
                raise ValueError(f"{name} has lists of different lengths")
            shape = shapes.get(name, [len(numbers) // len(column)])
            columns[name] = numbers.reshape(len(column), *shape)
        else:
            columns[name] = column.to_numpy(zero_copy_only=False)
    return from_columns(columns, **options)


def to_parquet(buffer: ReplayBuffer, file: Path) -> None:
    """Into a Parquet file, see to_arrow."""
    _needs("pyarrow.parquet", "to_parquet").write_table(to_arrow(buffer), file)


def from_parquet(file: Path, **options: Any) -> ReplayBuffer:
    """From a Parquet file with the columns of from_columns."""
    return from_arrow(_needs("pyarrow.parquet", "from_parquet").read_table(file), **options)


# Minari


def from_minari(dataset: Any, *, download: bool = False, **options: Any) -> ReplayBuffer:
    """From a Minari dataset, given by its id or loaded: every episode, with its true last
    observation."""
    if isinstance(dataset, str):
        dataset = _needs("minari", "from_minari").load_dataset(dataset, download=download)
    parts: list[dict[str, np.ndarray]] = []
    for episode in dataset.iterate_episodes():
        steps = len(episode.rewards)
        if steps == 0:
            continue
        cut = np.zeros(steps, bool)
        cut[-1] = not (episode.terminations[-1] or episode.truncations[-1])
        part = {
            "observation": _map(lambda array: np.asarray(array)[:-1], episode.observations),
            "action": np.asarray(episode.actions),
            "reward": np.asarray(episode.rewards, np.float32),
            "next_observation": _map(lambda array: np.asarray(array)[1:], episode.observations),
            "terminated": np.asarray(episode.terminations, bool),
            "truncated": np.asarray(episode.truncations, bool),
            "cut": cut,
        }
        parts.append(_flat(part))
    if not parts:
        raise ValueError("the dataset has no steps")
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # float64 observations are stored as every learner wants them.
    for name, array in columns.items():
        if array.dtype == np.float64:
            columns[name] = array.astype(np.float32)
    return from_columns(columns, **options)


def to_minari(buffer: ReplayBuffer, dataset_id: str, **options: Any) -> Any:
    """A Minari dataset of the episodes in a buffer; `options` (such as env=) as for
    minari.create_dataset_from_buffers. Rows that have no end yet make a truncated episode."""
    minari = _needs("minari", "to_minari")
    episodes = []
    for rows in buffer.episodes():
        steps = len(rows["reward"])

        def whole(now: Any, then: Any) -> Any:
            if isinstance(now, Mapping):
                return {key: whole(now[key], then[key]) for key in now}
            return np.concatenate([now, then[-1:]])

        truncations = np.array(rows["truncated"])
        if not (rows["terminated"][-1] or truncations[-1]):
            truncations[steps - 1] = True
        episodes.append(
            minari.data_collector.EpisodeBuffer(
                id=len(episodes),
                observations=whole(rows["observation"], rows["next_observation"]),
                actions=rows["action"],
                rewards=list(rows["reward"]),
                terminations=list(rows["terminated"]),
                truncations=list(truncations),
                infos={},
            )
        )
    return minari.create_dataset_from_buffers(dataset_id=dataset_id, buffer=episodes, **options)


__all__ = [
    "from_arrow",
    "from_columns",
    "from_hdf5",
    "from_minari",
    "from_npz",
    "from_parquet",
    "to_arrow",
    "to_columns",
    "to_hdf5",
    "to_minari",
    "to_npz",
    "to_parquet",
]
