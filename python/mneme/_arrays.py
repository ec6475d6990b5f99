"""mneme/_arrays.py - what is not a contiguous array of a known type: made one, or refused in words.

The bindings read contiguous NumPy arrays in place and come here with everything else. One copy is
made where that loses nothing (a strided array, a list, a tensor on the CPU); nothing is rounded,
wrapped or fetched from a device behind the caller's back.
"""

from typing import Any

import numpy as np

# The storage types, as NumPy writes them; bfloat16 is not among its own.
_WHOLE = {"uint8", "int32", "int64"}
_NARROW = {"int8", "int16", "uint16", "uint32", "uint64"}  # taken, and stored as a wider type


def _tensor(name: Any, value: Any) -> Any:
    """A tensor of another library as an array, if it lies in this machine's memory."""
    device = getattr(value, "device", None)
    kind = getattr(device, "type", None)  # torch has one, JAX and NumPy do not
    if kind is not None and kind != "cpu":
        raise ValueError(f"{name} is a tensor on device '{device}'; pass {name}.cpu()")
    if getattr(value, "requires_grad", False):
        raise ValueError(f"{name} is a tensor that requires grad; pass {name}.detach()")
    if kind is None and hasattr(value, "devices"):  # JAX
        platforms = {each.platform for each in value.devices()}
        if platforms != {"cpu"}:
            raise ValueError(f"{name} is an array on {platforms}; pass jax.device_get({name})")
    try:
        return value.numpy() if kind is not None else np.asarray(value)
    except (TypeError, RuntimeError) as error:
        raise ValueError(
            f"{name} cannot be read as an array: {error}; pass a float32 one"
        ) from None


def as_array(name: Any, value: Any, stored: Any) -> Any:
    """`value` as a C-contiguous array that the core can read, for a field stored as `stored`."""
    made_here = isinstance(value, (list, tuple))
    if made_here:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise ValueError(f"{name} is not a regular array: {error}") from None
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
    elif hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        array = _tensor(name, value)
    else:
        raise ValueError(
            f"{name} is a {type(value).__name__}; pass a NumPy array, a tensor on the CPU or a list"
        )

    wanted = np.dtype("float32" if stored == "bfloat16" else stored)
    kind = array.dtype.kind
    if kind not in "fiub":
        raise ValueError(f"{name} has dtype {array.dtype}; pass numbers, such as {wanted}")
    if made_here and array.dtype != wanted:
        # A list has no type of its own: whatever fits the storage type is meant.
        if stored in _WHOLE and kind == "f":
            raise ValueError(f"{name} holds fractions but is stored as {stored}")
        with np.errstate(all="ignore"):
            converted = array.astype(wanted)
        if stored in _WHOLE and not np.array_equal(converted, array):
            raise ValueError(f"{name} holds numbers that do not fit into {stored}")
        array = converted
    elif array.dtype.name in _NARROW and stored in ("int32", "int64"):
        # Whole numbers of a type that is not stored: into the stored one, if they all fit.
        converted = array.astype(wanted)
        if not np.array_equal(converted, array) or (kind == "u" and (converted < 0).any()):
            raise ValueError(f"{name} holds numbers that do not fit into {stored}")
        array = converted
    elif array.dtype.name not in (
        "float32",
        "float64",
        "float16",
        "uint8",
        "bool",
        "int32",
        "int64",
    ):
        raise ValueError(
            f"{name} has dtype {array.dtype} but is stored as {stored}; "
            f"pass {name}.astype('{wanted}')"
        )
    elif not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array).reshape(array.shape)


def as_ids(value: Any) -> Any:
    """Ids as 64-bit numbers without sign, from arrays and tensors of whole numbers or lists of them."""
    array = None
    if isinstance(value, list | tuple | np.ndarray):
        array = np.asarray(value)
    elif hasattr(value, "__array__") or hasattr(value, "__dlpack__"):
        array = _tensor("ids", value)
    if (
        array is None
        or array.ndim != 1
        or array.dtype.kind not in "iu"
        or (array.size and array.min() < 0)
    ):
        raise ValueError("ids are a one-dimensional array of whole numbers; pass batch.id")
    return np.ascontiguousarray(array, np.uint64)
