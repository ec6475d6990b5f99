"""mneme/functional.py - the age samplers as array functions for NumPy, torch and JAX.

    index = mneme.functional.indices("truncated_geometric:alpha=10", u, size, capacity)

`u` are uniform random numbers in [0, 1), an array of any of the three; the answer is an array of
the same kind: indices in age order, 0 the oldest stored row, `size` - 1 the newest. The function is
the inverse of the sampler's distribution function, the same that the core draws with. It has no
state and no branches on values, so that `jax.jit` and `torch.compile` take it; `size` and `batch`
may be arrays there. In float64 indices equal the core's; in float32 a draw has 24 random bits, and
neighbors of an index may trade places at the edges.

>>> import numpy as np
>>> indices("uniform_fifo:window=4", np.array([0.0, 0.3, 0.6, 0.99]), size=10, capacity=20).tolist()
[6, 7, 8, 9]
"""

import functools
import math
from typing import Any

import numpy as np

from . import _core
from ._hindsight import _split

_LN2 = math.log(2.0)


class _Arrays:
    """The functions that the samplers need, of one library. Python numbers stay Python numbers."""

    def __init__(self, module: Any, kind: str) -> None:
        self.module, self.kind = module, kind

    def _of(self, name: str, value: Any) -> Any:
        if isinstance(value, int | float):
            return getattr(math, name)(value)
        return getattr(self.module, name)(value)

    def exp(self, value: Any) -> Any:
        return self._of("exp", value)

    def expm1(self, value: Any) -> Any:
        return self._of("expm1", value)

    def log(self, value: Any) -> Any:
        return self._of("log", value)

    def log1p(self, value: Any) -> Any:
        return self._of("log1p", value)

    def sqrt(self, value: Any) -> Any:
        return self._of("sqrt", value)

    def floor(self, value: Any) -> Any:
        return (
            float(math.floor(value)) if isinstance(value, int | float) else self.module.floor(value)
        )

    def absolute(self, value: Any) -> Any:
        return abs(value)

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        if isinstance(condition, bool | np.bool_):
            return yes if condition else no
        return self.module.where(condition, yes, no)

    def least(self, a: Any, b: Any) -> Any:
        """The smaller one. Comparisons, since torch's minimum takes no Python numbers."""
        if isinstance(a, int | float) and isinstance(b, int | float):
            return min(a, b)
        return self.module.where(b < a, b, a)

    def most(self, a: Any, b: Any) -> Any:
        if isinstance(a, int | float) and isinstance(b, int | float):
            return max(a, b)
        return self.module.where(b > a, b, a)

    def real(self, value: Any, like: Any) -> Any:
        """A number as a float: Python's, or of the type of `like`."""
        if isinstance(value, int | float | np.integer | np.floating):
            return float(value)
        if self.kind == "torch":
            return value.to(like.dtype)
        return value.astype(like.dtype)

    def whole(self, value: Any) -> Any:
        if self.kind == "torch":
            return value.to(self.module.int64)
        return value.astype(np.int64 if self.kind == "numpy" else int)

    def constant(self, table: np.ndarray, like: Any) -> Any:
        if self.kind == "torch":
            return self.module.as_tensor(table, dtype=like.dtype, device=like.device)
        return self.module.asarray(table, dtype=like.dtype)

    def search(self, table: Any, values: Any) -> Any:
        """How many entries of the rising table are at most each value."""
        if self.kind == "torch":
            return self.module.searchsorted(table, values.contiguous(), right=True)
        return self.module.searchsorted(table, values, side="right")

    def single(self, value: Any) -> Any:
        if self.kind == "torch":
            return value.to(self.module.float32)
        return value.astype(np.float32)

    def double(self, value: Any) -> Any:
        if self.kind == "torch":
            return value.to(self.module.float64)
        if self.kind == "numpy":
            return value.astype(np.float64)
        return value  # JAX has 64-bit numbers only where its user switched them on


def _arrays_of(u: Any) -> _Arrays:
    name = type(u).__module__.partition(".")[0]
    if name == "torch":
        import torch

        return _Arrays(torch, "torch")
    if name in ("jax", "jaxlib"):
        import jax.numpy

        return _Arrays(jax.numpy, "jax")
    return _Arrays(np, "numpy")


def _static(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


# Each of the following: uniforms -> indices as floats, 0 the oldest. n, capacity: floats or arrays.


def _window(xp: _Arrays, u: Any, n: Any, count: Any) -> Any:
    return (n - count) + xp.least(xp.floor(u * count), count - 1.0)


def _count(xp: _Arrays, window: float, whole: Any, n: Any) -> Any:
    count = xp.floor(window * whole + 0.5) if window < 1 else float(math.floor(window))
    return xp.least(xp.most(count, 1.0), n)


def _anchor(p: dict[str, Any], n: Any, capacity: Any) -> Any:
    return n if p["anchor"] == "size" else capacity


def _rate(xp: _Arrays, p: dict[str, Any], n: Any, capacity: Any) -> Any:
    return float(p["alpha"]) * _LN2 / xp.most(_anchor(p, n, capacity) - 1.0, 1.0)


def _geometric(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    if float(p["alpha"]) == 0:
        return _window(xp, u, n, n)
    rate = _rate(xp, p, n, capacity)
    x = rate * n
    if _static(x) and x < 2.0**-60:
        return _window(xp, u, n, n)
    tail = xp.exp(-x)
    steep = xp.log(tail + (1.0 - u) * (1.0 - tail)) * (-1.0 / rate)
    gentle = xp.log1p(u * xp.expm1(-x)) * (-1.0 / rate)
    age = xp.where(x < 1.0, gentle, steep)
    return (n - 1.0) - xp.floor(xp.least(age, n - 1.0))


def _literal(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    rate = _rate(xp, p, n, capacity)
    printed = xp.floor(xp.log1p(u * xp.expm1(rate * n)) / rate) - 1.0
    return xp.least(xp.most(printed, 0.0), n - 1.0)


def _printed_float32(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    if not _static(n, capacity):
        raise ValueError("form=paper_float32 needs size and capacity as Python numbers")
    one = np.float32(1)
    k = np.float32(float(p["alpha"])) / np.float32(max(1.0, _anchor(p, n, capacity) - 1))
    base = np.float32(math.exp(float(k) * _LN2))
    z = (np.float32(float(base) ** n) - one) / (base - one)
    if xp.kind == "numpy":
        step = np.floor(u * 2.0**24).astype(np.float32) * np.float32(2.0**-24)
        x = one + step * z * (base - one)
        logarithm = (np.log(x.astype(np.float64)) / _LN2).astype(np.float32)
        return np.minimum(np.maximum(np.floor(logarithm / k) - one, 0).astype(np.float64), n - 1)
    step = xp.single(xp.floor(u * 2.0**24)) * 2.0**-24
    x = 1.0 + step * float(z) * float(base - one)
    logarithm = xp.single(xp.log(xp.double(x)) / _LN2)
    return xp.least(xp.most(xp.floor(logarithm / float(k)) - 1.0, 0.0), n - 1.0)


def _truncated_geometric(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    form = {"exact": _geometric, "paper_literal": _literal, "paper_float32": _printed_float32}
    return form[p["form"]](xp, p, u, n, capacity)


def _linear(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    slope = (float(p["ratio"]) - 1.0) / xp.most(_anchor(p, n, capacity) - 1.0, 1.0)
    half, last = 1.0 - slope / 2.0, n - 1.0

    def before(j: Any) -> Any:
        return j + slope / 2.0 * (j * (j - 1.0))

    y = u * before(n)
    root = xp.sqrt(half * half + 2.0 * slope * y)
    if _static(slope):
        position = 2.0 * y / (half + root) if slope < 2.0 else (root - half) / slope
    else:
        flat = 2.0 * y / xp.most(half + root, 1e-30)
        position = xp.where(slope < 2.0, flat, (root - half) / xp.most(slope, 1e-30))
    j = xp.floor(xp.least(position, last))
    j = xp.where(before(j + 1.0) <= y, xp.least(j + 1.0, last), j)
    return xp.where(before(j) > y, j - 1.0, j)


_MIDDLE = 0.425
_MIDDLE_OVER = (
    *(3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3),
    *(1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4),
    *(3.3430575583588128105e4, 2.5090809287301226727e3),
)
_MIDDLE_UNDER = (
    *(1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3),
    *(2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4),
    5.2264952788528545610e3,
)
_SIDE_OVER = (
    *(1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0),
    *(3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1),
    *(2.27238449892691845833e-2, 7.74545014278341407640e-4),
)
_SIDE_UNDER = (
    *(1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1),
    *(1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4),
    1.05075007164441684324e-9,
)


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    answer = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        answer = answer * x + coefficient
    return answer


def _normal_quantile(xp: _Arrays, q: Any) -> Any:
    """z with Phi(z) = 1/2 + q: AS 241 (Wichura 1988)."""
    size = xp.absolute(q)
    r = _MIDDLE * _MIDDLE - q * q
    middle = q * _polynomial(r, _MIDDLE_OVER) / _polynomial(r, _MIDDLE_UNDER)
    s = xp.sqrt(-xp.log(0.5 - xp.most(size, _MIDDLE / 2))) - 1.6
    side = _polynomial(s, _SIDE_OVER) / _polynomial(s, _SIDE_UNDER)
    return xp.where(size <= _MIDDLE, middle, xp.where(q < 0, -side, side))


def _gaussian(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    log_ratio = math.log(float(p["ratio"]))
    if log_ratio == 0 or (_static(n) and n <= 2):
        return _window(xp, u, n, n)
    middle = (n - 1.0) / 2.0
    nearest = xp.where(n % 2 == 0, 0.5, 0.0)
    variance = (middle * middle - nearest * nearest) / (2.0 * log_ratio)
    if not _static(n):
        variance = xp.most(variance, 1e-3)  # sizes of 1 and 2, decided below

    def few() -> Any:
        i = xp.constant(np.arange(256.0), u)
        scale = -0.5 / variance
        weights = xp.where(i < n, xp.exp(scale * (i - middle) * (i - middle)), 0.0 * i)
        sums = weights.cumsum(0)
        found = xp.real(xp.search(sums / sums[-1], u), u)
        return xp.least(found, n - 1.0)

    def many() -> Any:
        sigma = xp.sqrt(variance)
        inverse = 1.0 / (sigma * sigma)

        def offset(z: Any) -> Any:
            z2 = z * z
            return (
                z
                * inverse
                * (
                    1 / 24
                    - inverse
                    * (7 / 5760 * (z2 - 3) - inverse * (31 / 967680 * ((z2 - 10) * z2 + 15)))
                )
            )

        e = math.sqrt(2 * log_ratio)
        edge_tail = 0.5 * math.erfc(e / math.sqrt(2.0))
        z = (middle + 0.5) / sigma
        d = z - e
        density = math.exp(-0.5 * e * e) / math.sqrt(2 * math.pi)
        fourth = d * (((e * e - 6) * e * e + 3) / 120)
        series = d * (1 - d * (e / 2 - d * ((e * e - 1) / 6 - d * (e * (e * e - 3) / 24 - fourth))))
        half = 0.5 - (edge_tail - density * series)
        spread = 2 * (half + xp.exp(-0.5 * z * z) / math.sqrt(2 * math.pi) * offset(z))
        z0 = _normal_quantile(xp, (u - 0.5) * spread)
        moved = offset(z0)
        at = z0 - moved + moved * (inverse / 24 - z0 * moved / 2)
        return xp.least(xp.most(xp.floor(middle + sigma * at + 0.5), 0.0), n - 1.0)

    if _static(n):
        return few() if n < 256 else many()
    drawn = xp.where(n < 256, few(), many())
    return xp.where(n <= 2, _window(xp, u, n, n), drawn)


def _uniform_fifo(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    return _window(xp, u, n, _count(xp, float(p["window"]), _anchor(p, n, capacity), n))


def _ere(
    xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any, batch: Any, progress: Any
) -> Any:
    cycle, first = int(p["cycle"]), int(p["first"])
    if p["order"] == "random":
        if not _static(n, capacity, progress) or not isinstance(batch, int):
            raise ValueError(
                "ere: order=random needs size, batch and progress as Python numbers; use "
                "order=old_first or new_first"
            )
        sampler = _core.make_sampler("ere:" + ",".join(f"{key}={p[key]}" for key in p))
        sampler.batches = batch
        oldest = sampler.invert(np.zeros(1), int(n), int(capacity), progress=float(progress))[0]
        return _window(xp, u, n, n - float(oldest))
    step = batch % cycle
    if p["order"] == "new_first":
        step = cycle - 1 - step
    eta, end = float(p["eta"]), float(p["eta_end"])
    log_eta = math.log(eta) if end == 0 else xp.log(eta + (end - eta) * progress)
    k = xp.real(step + first, u)
    share = xp.exp(float(p["span"]) * log_eta * k / float(cycle))
    whole = capacity if p["of"] == "capacity" else n
    smallest = _count(xp, float(p["minimum"]), capacity, n)
    return _window(xp, u, n, xp.least(n, xp.most(xp.floor(whole * share), smallest)))


@functools.lru_cache(maxsize=8)
def _decay(scale: float, shape: float, capacity: int) -> np.ndarray:
    """Sums of the weights of ages 0 .. a, as far as they count."""
    unit = scale * max(1, capacity - 1)
    reach = min(capacity, int(unit * 60 ** (1 / shape)) + 2)
    ages = np.arange(reach, dtype=np.float64)
    return np.cumsum(np.exp(-((ages / unit) ** shape)), dtype=np.longdouble).astype(np.float64)


def _stretched(xp: _Arrays, p: dict[str, Any], u: Any, n: Any, capacity: Any) -> Any:
    if not _static(capacity):
        raise ValueError("stretched_exponential needs capacity as a Python number")
    sums = _decay(float(p["scale"]), float(p["shape"]), int(capacity))
    table = xp.constant(sums, u)
    if _static(n):
        total = float(sums[min(int(n), len(sums)) - 1])
    else:
        total = table[xp.whole(xp.least(n, float(len(sums))) - 1.0)]
    age = xp.real(xp.search(table, u * total), u)
    return (n - 1.0) - xp.least(age, n - 1.0)


def _draw(xp: _Arrays, spec: str, u: Any, n: Any, capacity: Any, batch: Any, progress: Any) -> Any:
    name, p = _parameters(spec)
    if name == "mix":
        eps = float(p["eps"])
        below_one = 1.0 - (2.0**-53 if "64" in str(u.dtype) else 2.0**-24)
        in_a = xp.least(xp.most(u - eps, 0.0) * (1 / (1 - eps) if eps < 1 else 0.0), below_one)
        in_b = xp.least(u * (1 / eps if eps > 0 else 0.0), below_one)
        a = _draw(xp, p["a"], in_a, n, capacity, batch, progress)
        b = _draw(xp, p["b"], in_b, n, capacity, batch, progress)
        return xp.where(u < eps, b, a)
    if name == "ere":
        return _ere(xp, p, u, n, capacity, batch, progress)
    return _SAMPLERS[name](xp, p, u, n, capacity)


_SAMPLERS = {
    "uniform": lambda xp, p, u, n, capacity: _window(xp, u, n, n),
    "truncated_geometric": _truncated_geometric,
    "reverse_truncated_geometric": lambda xp, p, u, n, capacity: (
        (n - 1.0) - _geometric(xp, p, u, n, capacity)
    ),
    "linear": _linear,
    "reverse_linear": lambda xp, p, u, n, capacity: (
        (n - 1.0) - _linear(xp, {**p, "anchor": "size"}, u, n, capacity)
    ),
    "gaussian": _gaussian,
    "uniform_fifo": _uniform_fifo,
    "stretched_exponential": _stretched,
}


@functools.lru_cache(maxsize=64)
def _parameters(spec: str) -> tuple[str, dict[str, Any]]:
    """The name and every parameter, defaults written out."""
    prioritized = {row["name"] for row in _core.registry() if row["prioritized"]} | {"her"}
    name = spec.partition(":")[0]
    if name in prioritized:
        raise ValueError(
            f"{name} draws by more than age: it works inside a buffer only (mneme.ReplayBuffer, "
            "mneme.torch.ReplayBuffer)"
        )
    name, _, rest = _core.make_sampler(spec).spec.partition(":")
    p: dict[str, Any] = {}
    for part in _split(rest):
        key, _, value = part.partition("=")
        p[key] = value.removeprefix("(").removesuffix(")") if key in ("a", "b") else value
    if p.pop("draws", "independent") == "stratified":
        raise ValueError(
            "draws=stratified: stratify the uniforms that you pass, (arange(count) + u) / count"
        )
    return name, p


def indices(
    sampler: Any,
    u: Any,
    size: Any,
    capacity: Any = None,
    *,
    batch: Any = 0,
    progress: Any = 0.0,
) -> Any:
    """Indices in age order (0 the oldest of `size` rows) that uniforms in [0, 1) lead to.

    `sampler` is a spec string or an object of mneme.samplers. `capacity` is what the buffer can
    hold, by default `size`. `batch` is the number of batches drawn before and `progress` the share
    of the run that is done, for samplers whose window moves (ere).
    """
    if isinstance(sampler, type):
        sampler = sampler()
    xp = _arrays_of(u)
    if xp.kind == "numpy":
        u = np.asarray(u)
        u = u if u.dtype.kind == "f" and u.dtype.itemsize >= 4 else u.astype(np.float64)
    if isinstance(size, int | np.integer) and size < 1:
        raise ValueError(f"size must be at least 1, got {size}")
    capacity = size if capacity is None else capacity
    if isinstance(size, int | np.integer) and isinstance(capacity, int | np.integer):
        if capacity < size:
            raise ValueError(f"size must be at most the capacity {capacity}, got {size}")
    n, whole = xp.real(size, u), xp.real(capacity, u)
    drawn = _draw(xp, str(getattr(sampler, "spec", sampler)), u, n, whole, batch, progress)
    return xp.whole(drawn)


def ages(
    sampler: Any,
    u: Any,
    size: Any,
    capacity: Any = None,
    *,
    batch: Any = 0,
    progress: Any = 0.0,
) -> Any:
    """The same counted from the newest row, which has age 0: what a ring subtracts from its head."""
    return size - 1 - indices(sampler, u, size, capacity, batch=batch, progress=progress)


__all__ = ["ages", "indices"]
