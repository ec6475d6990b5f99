"""mneme/_adapting.py - what the adapters share: seeds, refused options, narrowing, time limits."""

import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np


def seed_from_numpy() -> Any:
    """A seed from NumPy's global generator, which np.random.seed and the frameworks set."""
    return int(np.random.randint(0, 2**63 - 1, dtype=np.int64))


def seed_from_torch() -> Any:
    """A seed from torch's global generator, which torch.manual_seed sets."""
    import torch

    return int(torch.randint(2**62, ()).item())


def with_seed(options: Any, draw: Any) -> Any:
    """The options of a buffer, with a seed drawn by `draw` where the caller gave none."""
    return options if options.get("seed") is not None else {**options, "seed": draw()}


def refuse(adapter: Any, options: Any, names: Any) -> Any:
    """Raises TypeError for options that the adapter sets itself. names: {option: what to use}."""
    for name, instead in names.items():
        if name in options:
            raise TypeError(f"{adapter} sets {name}= itself; {instead}")


def files_of(core: Any) -> Any:
    """A buffer as {file name: bytes}, for frameworks that pickle what they save."""
    with tempfile.TemporaryDirectory() as folder:
        core.save(Path(folder, "buffer"))
        return {
            str(file.relative_to(folder)): file.read_bytes()
            for file in Path(folder).rglob("*")
            if file.is_file()
        }


def core_of(files: Any, **functions: Any) -> Any:
    """The buffer that `files_of` took apart, in memory."""
    from .replay_buffer import load

    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        return load(Path(folder, "buffer"), **functions)


def emptied(core: Any, options: Any) -> Any:
    """An empty buffer in place of `core`. One in a directory is not deleted behind the caller's back."""
    if core.added == 0:
        return core
    if options.get("path") is not None:
        raise ValueError(
            f"the buffer in {options['path']} is not emptied: its rows would be lost; close it, "
            "delete the directory and make a new one"
        )
    from .replay_buffer import ReplayBuffer

    core.close()
    return ReplayBuffer(**options)


class Narrowing:
    """Converts to the storage type and warns once per field where float64 is rounded to it."""

    def __init__(self) -> None:
        self._warned = set()

    def __call__(self, name: Any, value: Any, dtype: Any) -> Any:
        array, wanted = np.asarray(value), np.dtype(dtype)
        if array.dtype == wanted:
            return array
        if wanted.kind in "iu":
            with np.errstate(invalid="ignore"):
                converted = array.astype(wanted)
            if array.dtype.kind == "f" or not np.can_cast(array.dtype, wanted, "safe"):
                if not np.array_equal(converted, array):
                    raise ValueError(
                        f"{name} holds values that do not fit into {wanted}: "
                        f"{array.min()} to {array.max()}"
                    )
            return converted
        converted = array.astype(wanted)
        lossy = array.dtype.kind == "f" and array.dtype.itemsize > wanted.itemsize
        if (
            lossy
            and name not in self._warned
            and not np.array_equal(converted, array, equal_nan=True)
        ):
            self._warned.add(name)
            warnings.warn(
                f"{name} is {array.dtype} and stored as {wanted}: values are rounded. "
                "This warning appears once",
                UserWarning,
                stacklevel=3,
            )
        return converted


def time_limits(infos: Any, count: Any) -> Any:
    """Which environments were stopped by a time limit or otherwise, as far as `infos` says.

    A list of dicts (SB3) says so by "TimeLimit.truncated"; a dict of arrays (Gymnasium) by the true
    last observation, which it hands out for every episode that ended.
    """
    over = np.zeros(count, bool)
    if isinstance(infos, (list, tuple)):
        for k, info in enumerate(infos[:count]):
            over[k] = bool(info.get("TimeLimit.truncated", False))
        return over
    if not hasattr(infos, "get"):
        return over
    for key in ("final_obs", "final_observation", "final_info"):
        finals, mask = infos.get(key), infos.get(f"_{key}")
        if mask is not None:
            over |= np.asarray(mask, bool)
        elif finals is not None and not hasattr(finals, "items"):
            over |= np.array([each is not None for each in finals], bool)
    limited = infos.get("TimeLimit.truncated")
    if limited is not None:
        over |= np.asarray(limited, bool)
    return over
