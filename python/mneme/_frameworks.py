"""mneme/_frameworks.py - the columns of a batch for torch and JAX. Imports them when asked, not before."""

from typing import Any

import numpy as np


class Columns(dict):
    """Named columns; `columns.reward` is `columns["reward"]`."""

    def __getattr__(self, name: Any) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no column '{name}'; there are {', '.join(self)}") from None

    def to(self, device: Any, non_blocking: Any = False) -> Any:
        """The columns as torch tensors on a device."""
        import torch

        def moved(column: Any) -> Any:
            tensor = column if isinstance(column, torch.Tensor) else torch.from_numpy(column)
            return tensor.to(device, non_blocking=non_blocking)

        return Columns((name, _each(moved, column)) for name, column in self.items())


def _each(convert: Any, column: Any) -> Any:
    """A column, or every part of one that has parts (dict observations)."""
    if isinstance(column, dict):
        return {key: _each(convert, part) for key, part in column.items()}
    return convert(column)


def torch_column(column: Any, device: Any = None, non_blocking: Any = False) -> Any:
    """One column: a view, or a copy on `device`."""
    import torch

    if isinstance(column, dict):
        return {key: torch_column(part, device, non_blocking) for key, part in column.items()}
    tensor = torch.from_numpy(column)
    return tensor if device is None else tensor.to(device, non_blocking=non_blocking)


def torch_columns(batch: Any, device: Any, non_blocking: Any) -> Any:
    return Columns((name, torch_column(batch[name], device, non_blocking)) for name in batch.keys())


def jax_columns(batch: Any) -> Any:
    import jax

    def convert(array: Any) -> Any:
        # JAX has 64-bit numbers only where its user switched them on; it then copies the ids.
        if array.dtype.itemsize == 8 and not jax.config.jax_enable_x64:
            narrow = {"i": np.int32, "u": np.uint32, "f": np.float32}[array.dtype.kind]
            return jax.numpy.asarray(array.astype(narrow))
        if not array.flags.c_contiguous:
            return jax.numpy.asarray(array)
        return jax.dlpack.from_dlpack(array)

    return Columns((name, _each(convert, batch[name])) for name in batch.keys() if name != "id")


def pickle_columns(batch: Any) -> Any:
    """A batch is pickled as its columns: arrays of their own, no longer tied to a buffer."""
    copies = {name: _each(np.array, batch[name]) for name in batch.keys()}
    return Columns, (copies,)


def describe_columns(batch: Any) -> Any:
    def form(column: Any) -> Any:
        if isinstance(column, dict):
            return "{" + ", ".join(f"{key}: {form(part)}" for key, part in column.items()) + "}"
        return f"{column.dtype}{list(column.shape)}"

    inside = ", ".join(f"{name}: {form(batch[name])}" for name in batch.keys())
    return f"<mneme.{type(batch).__name__} of {len(batch)}: {inside}>"


def columns_as_html(batch: Any) -> Any:
    """A table of the columns: types, shapes and ranges."""
    from ._results import table

    rows = []

    def add(name: Any, column: Any) -> Any:
        if isinstance(column, dict):
            for key, part in column.items():
                add(f"{name}.{key}", part)
            return
        ends = (f"{column.min():.6g}", f"{column.max():.6g}") if column.size else ("", "")
        rows.append([name, str(column.dtype), str(column.shape), *ends])

    for name in batch.keys():
        add(name, batch[name])
    return table([f"{type(batch).__name__} of {len(batch)}", "type", "shape", "min", "max"], rows)
