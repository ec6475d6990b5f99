"""mneme/worker/spaces.py - observations as rows of numbers, actions from [-1, 1].

Spaces are those of Gymnasium (any version) or Gym, recognized by the names of their classes: neither
is imported here. Parts of a Dict are sorted by name (`sorted`) or in the order of the space
(`native`).
"""

import numpy as np


class Box:
    """A space for suites that have none."""

    def __init__(self, low, high, shape, dtype):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.low, self.high = (np.full(shape, bound, dtype) for bound in (low, high))

    def __repr__(self):
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


class Dict:
    def __init__(self, spaces):
        self.spaces = dict(spaces)


def _is(space, name):
    return any(each.__name__ == name for each in type(space).__mro__)


class _Part:
    def __init__(self, name, path, shape, start=None):
        self.name, self.path, self.shape, self.start = name, path, tuple(shape), start
        self.size = int(np.prod(self.shape, dtype=np.int64))
        # One-hot.
        self.categories = None if start is None else np.arange(start, start + self.size)

    def value(self, observation):
        for key in self.path:
            observation = observation[key]
        return observation


def _parts(space, order, name, path):
    if _is(space, "Dict"):
        names = list(space.spaces)
        for key in sorted(names, key=str) if order == "sorted" else names:
            yield from _parts(space.spaces[key], order, [*name, str(key)], (*path, key))
    elif _is(space, "Tuple"):
        for index, each in enumerate(space.spaces):
            yield from _parts(each, order, [*name, str(index)], (*path, index))
    elif _is(space, "Box") or _is(space, "MultiBinary"):
        yield _Part("/".join(name) or "observation", path, space.shape)
    elif _is(space, "Discrete"):
        start = int(getattr(space, "start", 0))
        yield _Part("/".join(name) or "observation", path, (int(space.n),), start)
    else:
        raise ValueError(
            f"the observation{' ' + '/'.join(name) if name else ''} is {space}; "
            "allowed: Box, Discrete, MultiBinary, and Dict and Tuple of these"
        )


class Observations:
    """How an observation of a space is laid out in a row: `size` numbers, `keys` = [(name,
    size)]."""

    def __init__(self, space, order):
        self.parts = [part for part in _parts(space, order, [], ()) if part.size]
        self.size = sum(part.size for part in self.parts)
        if not self.size:
            raise ValueError(f"the observation is {space}, which is empty")
        # Separators of the list of keys cannot be in a name.
        self.keys = [
            (part.name.replace(",", "_").replace(":", "_"), part.size) for part in self.parts
        ]
        self.plain = len(self.parts) == 1 and not self.parts[0].path and self.parts[0].start is None

    def target(self, rows):
        """An object to assign observations to: `target[...] = observation` writes `rows`, one row or
        the rows of a batch."""
        lead, views, at = rows.shape[:-1], [], 0
        for part in self.parts:
            # Slicing and reshaping columns makes views: writes arrive in the block.
            views.append((part, rows[..., at : at + part.size].reshape((*lead, *part.shape))))
            at += part.size
        return views[0][1] if self.plain else _Scatter(views)

    def check(self, observation):
        """Rejects a first observation that is not of the space; later ones are not checked."""
        for part in self.parts:
            shape = np.shape(part.value(observation))
            want = part.shape if part.start is None else ()
            if shape != want:
                raise ValueError(
                    f"the observation's {part.name} has the shape {shape}; its space says {want}"
                )


class _Scatter:
    """Parts of a structured observation, each to its own columns."""

    def __init__(self, views):
        self._views = views

    def __setitem__(self, rows, observation):
        for part, view in self._views:
            value = part.value(observation)
            if part.categories is None:
                view[rows] = value
            else:
                view[rows] = np.equal(np.asarray(value)[..., None], part.categories)


class Batch:
    """Writes observations of a batch into rows of the block: all, some, or one."""

    def __init__(self, observations, rows):
        self._parts = observations.parts
        self._all = observations.target(rows)
        self._rows = [observations.target(row) for row in rows]

    def put(self, observation):
        self._all[...] = observation

    def put_some(self, which, observation):
        """Rows `which` of a batch of all."""
        self._put(which, observation, which)

    def put_compact(self, which, observation):
        """A batch that has just these rows."""
        self._put(which, observation, slice(None))

    def _put(self, which, observation, taken):
        if isinstance(self._all, np.ndarray):
            self._all[which] = observation[taken]
            return
        for part, view in self._all._views:
            value = np.asarray(part.value(observation))[taken]
            if part.categories is not None:
                value = np.equal(value[..., None], part.categories)
            view[which] = value

    def put_row(self, row, observation):
        self._rows[row][...] = observation


class Actions:
    """Actions of a Box: `size` numbers in [-1, 1], mapped onto its bounds, as an array of its own
    type."""

    def __init__(self, space):
        if not _is(space, "Box"):
            raise ValueError(
                f"the actions are {space}; allowed: Box (the agents have continuous actions)"
            )
        self.shape, self.dtype = tuple(space.shape), np.dtype(space.dtype)
        self.size = int(np.prod(self.shape, dtype=np.int64))
        low, high = np.asarray(space.low, np.float64), np.asarray(space.high, np.float64)
        if self.dtype.kind != "f" or not self.size:
            raise ValueError(
                f"the actions are {space}; allowed: Box of floating-point numbers, at least one"
            )
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(
                f"the actions are {space}, without bounds; allowed: Box with finite ones"
            )
        self.identity = bool((low == -1).all() and (high == 1).all())
        self.low, self.high = low.reshape(-1), high.reshape(-1)

    def same(self, other):
        return (
            self.shape == other.shape
            and self.dtype == other.dtype
            and np.array_equal(self.low, other.low)
            and np.array_equal(self.high, other.high)
        )

    def source(self, rows):
        """A function that returns the actions in `rows` (count x size) as a batch: a new array each
        time, because an environment may keep it."""
        one = np.ones(rows.shape, rows.dtype)
        minus, minimum, maximum = -one, np.minimum, np.maximum
        shape, dtype = (len(rows), *self.shape), self.dtype
        if self.identity and dtype == rows.dtype and len(shape) == 2:
            return lambda: minimum(maximum(rows, minus), one)
        if self.identity:
            return lambda: minimum(maximum(rows, minus), one).astype(dtype).reshape(shape)
        half, low, high = (self.high - self.low) / 2, self.low, self.high

        def mapped():
            action = minimum(maximum(rows, minus), one).astype(np.float64)
            action += 1
            action *= half
            action += low
            return minimum(maximum(action, low), high).astype(dtype).reshape(shape)

        return mapped

    def each(self, rows):
        """The same, to iterate over."""
        if len(rows) != 1:
            return self.source(rows)
        # Iterating over an array costs as much as several of its rows.
        batch = self.source(rows)
        return lambda: (batch()[0],)
