"""Generated from the registry by scripts/python_stubs."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

class SamplerSpec:
    name: str
    spec: str
    parameters: tuple[str, ...]
    prioritized: bool
    def sample(
        self, size: int, capacity: int, count: int, seed: int = 0, progress: float = 0.0
    ) -> NDArray[np.int64]: ...
    def probabilities(
        self, size: int, capacity: int, progress: float = 0.0
    ) -> NDArray[np.float64]: ...

class Uniform(SamplerSpec):
    draws: Literal["independent", "stratified"]
    def __init__(self, *, draws: Literal["independent", "stratified"] = ...) -> None: ...

class TruncatedGeometric(SamplerSpec):
    alpha: float
    anchor: Literal["capacity", "size"]
    form: Literal["exact", "paper_literal", "paper_float32"]
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        alpha: float = ...,
        anchor: Literal["capacity", "size"] = ...,
        form: Literal["exact", "paper_literal", "paper_float32"] = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class ReverseTruncatedGeometric(SamplerSpec):
    alpha: float
    anchor: Literal["capacity", "size"]
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        alpha: float = ...,
        anchor: Literal["capacity", "size"] = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class Linear(SamplerSpec):
    ratio: float
    anchor: Literal["capacity", "size"]
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        ratio: float = ...,
        anchor: Literal["capacity", "size"] = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class ReverseLinear(SamplerSpec):
    ratio: float
    draws: Literal["independent", "stratified"]
    def __init__(
        self, *, ratio: float = ..., draws: Literal["independent", "stratified"] = ...
    ) -> None: ...

class Gaussian(SamplerSpec):
    ratio: float
    draws: Literal["independent", "stratified"]
    def __init__(
        self, *, ratio: float = ..., draws: Literal["independent", "stratified"] = ...
    ) -> None: ...

class UniformFifo(SamplerSpec):
    window: float
    anchor: Literal["capacity", "size"]
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        window: float = ...,
        anchor: Literal["capacity", "size"] = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class ERE(SamplerSpec):
    eta: float
    cycle: int
    span: float
    minimum: float
    first: int
    of: Literal["size", "capacity"]
    order: Literal["old_first", "new_first", "random"]
    eta_end: float
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        eta: float = ...,
        cycle: int = ...,
        span: float = ...,
        minimum: float = ...,
        first: int = ...,
        of: Literal["size", "capacity"] = ...,
        order: Literal["old_first", "new_first", "random"] = ...,
        eta_end: float = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class StretchedExponential(SamplerSpec):
    scale: float
    shape: float
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        scale: float = ...,
        shape: float = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class Mix(SamplerSpec):
    eps: float
    a: SamplerSpec | str
    b: SamplerSpec | str
    draws: Literal["independent", "stratified"]
    def __init__(
        self,
        *,
        eps: float = ...,
        a: SamplerSpec | str = ...,
        b: SamplerSpec | str = ...,
        draws: Literal["independent", "stratified"] = ...,
    ) -> None: ...

class PER(SamplerSpec):
    alpha: float
    eps: float
    beta: float
    beta_end: float
    new_rows: Literal["seen", "stored"]
    weights: Literal["buffer", "batch", "none"]
    draws: Literal["stratified", "independent"]
    def __init__(
        self,
        *,
        alpha: float = ...,
        eps: float = ...,
        beta: float = ...,
        beta_end: float = ...,
        new_rows: Literal["seen", "stored"] = ...,
        weights: Literal["buffer", "batch", "none"] = ...,
        draws: Literal["stratified", "independent"] = ...,
    ) -> None: ...

class RankPER(SamplerSpec):
    alpha: float
    beta: float
    beta_end: float
    weights: Literal["buffer", "batch", "none"]
    draws: Literal["stratified", "independent"]
    def __init__(
        self,
        *,
        alpha: float = ...,
        beta: float = ...,
        beta_end: float = ...,
        weights: Literal["buffer", "batch", "none"] = ...,
        draws: Literal["stratified", "independent"] = ...,
    ) -> None: ...

class ReaPER(SamplerSpec):
    alpha: float
    omega: float
    beta: float
    beta_end: float
    weights: Literal["buffer", "batch", "none"]
    draws: Literal["stratified", "independent"]
    def __init__(
        self,
        *,
        alpha: float = ...,
        omega: float = ...,
        beta: float = ...,
        beta_end: float = ...,
        weights: Literal["buffer", "batch", "none"] = ...,
        draws: Literal["stratified", "independent"] = ...,
    ) -> None: ...

class RecencyPer(SamplerSpec):
    recency: float
    alpha: float
    eps: float
    beta: float
    beta_end: float
    weights: Literal["buffer", "batch", "none"]
    draws: Literal["stratified", "independent"]
    def __init__(
        self,
        *,
        recency: float = ...,
        alpha: float = ...,
        eps: float = ...,
        beta: float = ...,
        beta_end: float = ...,
        weights: Literal["buffer", "batch", "none"] = ...,
        draws: Literal["stratified", "independent"] = ...,
    ) -> None: ...

class HER(SamplerSpec):
    k: float
    strategy: Literal["future", "final", "episode"]
    of: SamplerSpec | str
    def __init__(
        self,
        *,
        k: float = ...,
        strategy: Literal["future", "final", "episode"] = ...,
        of: SamplerSpec | str = ...,
    ) -> None: ...
