"""mneme/_spaces.py - from shapes, pairs and Gymnasium spaces to what the core stores.

Gymnasium itself is not imported: a space is recognized by its attributes.
"""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

_STORED = {
    "float32": "float32",
    "float64": "float32",  # as every learner wants it; a pair (shape, "float64") keeps it
    "float16": "float16",
    "uint8": "uint8",
    "bool": "uint8",
    "int8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "int64": "int64",
    "uint32": "int64",
    "uint64": "int64",  # values from 2^63 on are refused when they come
}


def stored_as(dtype: Any) -> Any:
    """The storage type of an array type."""
    name = np.dtype(dtype).name
    if name not in _STORED:
        raise ValueError(f"dtype {name} cannot be stored; known: {', '.join(_STORED)}")
    return _STORED[name]


def _is_space(value: Any) -> Any:
    return hasattr(value, "sample") and hasattr(value, "contains")


def spec_of_space(name: Any, space: Any) -> Any:
    """(shape, storage type) of a space with one array in it."""
    shape, dtype = getattr(space, "shape", None), getattr(space, "dtype", None)
    if shape is None or dtype is None:
        raise ValueError(
            f"{name}: a space of kind {type(space).__name__} has no single shape; "
            "use Box, Discrete, MultiDiscrete or MultiBinary"
            + (" or a Dict of those" if name == "observation" else "")
        )
    return tuple(shape), stored_as(dtype)


def field_of(name: Any, field: Any) -> Any:
    """(shape, storage type) of whatever the user wrote for a field."""
    if _is_space(field):
        shape, dtype = spec_of_space(name, field)
    elif isinstance(field, int | np.integer):
        shape, dtype = (field,), "float32"
    else:
        shape, dtype = field, "float32"
        if (
            isinstance(field, tuple)
            and len(field) == 2
            and not isinstance(field[1], int | np.integer)
        ):
            shape, dtype = field
            dtype = dtype if isinstance(dtype, str) else np.dtype(dtype).name
            shape = (shape,) if isinstance(shape, int | np.integer) else shape
    try:
        return [int(size) for size in shape], dtype
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} is {field!r}; pass a shape such as (17,), a pair such as ((84, 84), 'uint8') "
            "or a space"
        ) from None


class Packing:
    """A dict observation as one row: parts side by side, in their own types if those differ.

    One array type for all parts: the row is a vector of it. Different types: the row is bytes, and
    every part keeps its bits.
    """

    def __init__(self, parts: Any) -> None:
        self.parts = []  # (path, shape, dtype, first byte)
        self._warned = set()  # parts that are rounded: said once
        types = {dtype for _, _, dtype in parts}
        offset = 0
        for path, shape, dtype in parts:
            kind = np.dtype(dtype)
            offset = -(-offset // kind.itemsize) * kind.itemsize
            self.parts.append((path, shape, kind, offset))
            offset += kind.itemsize * int(np.prod(shape, dtype=np.int64))
        width = max(np.dtype(dtype).itemsize for dtype in types)
        self.bytes = -(-offset // width) * width
        self.dtype = np.dtype(types.pop() if len(types) == 1 else "uint8")
        self.spec = ((self.bytes // self.dtype.itemsize,), self.dtype.name)

    @classmethod
    def of(cls, observation: Any) -> Any:
        """The packing of a Dict space or of a dict of fields; None for anything else."""
        spaces = getattr(observation, "spaces", observation)
        if not isinstance(spaces, dict) and not hasattr(spaces, "items"):
            return None
        parts = []

        def collect(path: Any, inner: Any) -> Any:
            for key, value in inner.items():
                below = getattr(value, "spaces", value)
                if hasattr(below, "items"):
                    collect((*path, key), below)
                else:
                    shape, dtype = field_of(".".join(map(str, (*path, key))), value)
                    parts.append(((*path, key), tuple(shape), dtype))

        collect((), spaces)
        if not parts:
            raise ValueError("observation is an empty dict; it needs at least one part")
        return cls(parts)

    FILE = "python_observation.json"

    def write(self, folder: Any) -> Any:
        """Beside the rows: what the parts are."""
        parts = [[list(path), list(shape), kind.name] for path, shape, kind, _ in self.parts]
        Path(folder, self.FILE).write_text(json.dumps({"version": 1, "parts": parts}) + "\n")

    @classmethod
    def read(cls, folder: Any) -> Any:
        """What `write` wrote; None if the observations of that buffer are plain arrays."""
        file = Path(folder, cls.FILE)
        if not file.exists():
            return None
        try:
            parts = json.loads(file.read_text())["parts"]
            return cls([(tuple(path), tuple(shape), dtype) for path, shape, dtype in parts])
        except (ValueError, KeyError, TypeError) as error:
            raise RuntimeError(f"{file} is corrupt: {error!r}") from None

    def pack(self, name: Any, observation: Any, streams: Any, many: Any = None) -> Any:
        """One row, or one for every stream, or rows of the leading shape `many`, from a dict."""
        if not hasattr(observation, "keys"):
            raise ValueError(f"{name} is a {type(observation).__name__}; this buffer takes a dict")
        rows, lead = None, ()
        for path, shape, kind, offset in self.parts:
            part = observation
            for key in path:
                try:
                    part = part[key]
                except (KeyError, TypeError):
                    raise ValueError(f"{name} lacks the part {'.'.join(map(str, path))}") from None
            part = np.asarray(part)
            if rows is None:
                lead = part.shape[: part.ndim - len(shape)]
                if many is not None and lead != many:
                    raise ValueError(
                        f"{name}.{'.'.join(map(str, path))} has shape {part.shape}; "
                        f"expected {(*many, *shape)}"
                    )
                if many is None and lead not in ((), (streams,)):
                    raise ValueError(
                        f"{name}.{'.'.join(map(str, path))} has shape {part.shape}; "
                        f"one step has {shape}, one of all streams {(streams, *shape)}"
                    )
                rows = np.zeros((*lead, self.bytes), np.uint8)
            if part.shape != (*lead, *shape):
                raise ValueError(
                    f"{name}.{'.'.join(map(str, path))} has shape {part.shape}; expected {(*lead, *shape)}"
                )
            if not np.can_cast(part.dtype, kind, "same_kind"):
                raise ValueError(
                    f"{name}.{'.'.join(map(str, path))} has dtype {part.dtype} but is stored as {kind}"
                )
            if part.dtype.kind == "f" and part.dtype.itemsize > kind.itemsize:
                self._warn_if_rounded(name, path, part, kind)
            place = rows[..., offset : offset + kind.itemsize * int(np.prod(shape, dtype=np.int64))]
            place[...] = (
                np.ascontiguousarray(part, dtype=kind).reshape(*lead, -1).view(np.uint8)
                if part.size
                else 0
            )
        return rows.view(self.dtype)

    def _warn_if_rounded(self, name: Any, path: Any, part: Any, kind: Any) -> Any:
        if path in self._warned or np.array_equal(part.astype(kind), part, equal_nan=True):
            return
        self._warned.add(path)
        warnings.warn(
            f"{name}.{'.'.join(map(str, path))} is {part.dtype} and stored as {kind}: values are "
            "rounded. This warning appears once",
            UserWarning,
            stacklevel=4,
        )

    def unpack(self, rows: Any) -> Any:
        """The parts of sampled rows, as views."""
        flat = rows.view(np.uint8)
        answer = {}
        for path, shape, kind, offset in self.parts:
            size = kind.itemsize * int(np.prod(shape, dtype=np.int64))
            part = flat[..., offset : offset + size].view(kind).reshape(*flat.shape[:-1], *shape)
            inner = answer
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = part
        return answer
