"""What a set of scores says; `mneme stats`."""

from collections.abc import Sequence
from typing import Any

class Interval:
    """An estimate and its percentile interval."""

    @property
    def estimate(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def undefined(self) -> int:
        """Repetitions in which it was undefined."""

    def __repr__(self: Any) -> str: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

class Aggregates:
    """All four from the same resamples."""

    @property
    def mean(self) -> Interval: ...
    @property
    def median(self) -> Interval: ...
    @property
    def iqm(self) -> Interval: ...
    @property
    def optimality_gap(self) -> Interval: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Comparison:
    """A method against a baseline."""

    @property
    def gain(self) -> Interval: ...
    @property
    def difference(self) -> Interval: ...
    @property
    def optimality_gap_reduction(self) -> Interval: ...
    @property
    def probability_of_improvement(self) -> Interval: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class Shapley:
    """Two-player Shapley values, in % of gain."""

    @property
    def critic(self) -> float: ...
    @property
    def actor(self) -> float: ...
    @property
    def both(self) -> float: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class SpeedUp:
    """How much sooner a curve reaches what the baseline reaches."""

    @property
    def level(self) -> float: ...
    @property
    def at_final(self) -> float: ...
    @property
    def fraction_of_training(self) -> float: ...
    @property
    def up_to(self) -> float: ...
    @property
    def up_to_level(self) -> float: ...
    def asdict(self: Any) -> dict[str, Any]:
        """All fields by name, those of nested results too: for loggers."""

    def __repr__(self: Any) -> str: ...

class ScoreMatrix:
    """Scores of one method: runs (seeds) by tasks."""

    @property
    def tasks(self) -> int: ...
    @property
    def fewest_runs(self) -> int: ...
    @property
    def most_runs(self) -> int: ...
    def __len__(self) -> int: ...

def scores(scores: object) -> ScoreMatrix:
    """
    A score matrix from a 2-D array or nested list (runs x tasks). Lists of different lengths are one list of runs per task.
    """

def mean(scores: object) -> float:
    """Mean over tasks of the mean over runs."""

def median(scores: object) -> float:
    """Median over tasks of the mean over runs."""

def iqm(scores: object) -> float:
    """Interquartile mean of all scores."""

def optimality_gap(scores: object, gamma: float = 1.0) -> float:
    """
    gamma - mean of min(score, gamma): how far from gamma, with no credit beyond it.
    """

def score_profile(scores: object, taus: Sequence[float]) -> list[float]:
    """For each tau the fraction of scores above it."""

def average_score_profile(scores: object, taus: Sequence[float]) -> list[float]:
    """For each tau the fraction of task means above it."""

def probability_of_improvement(x: object, y: object) -> float:
    """How likely a run of x scores higher than a run of y."""

def gain(x: object, baseline: object) -> float:
    """100 (mean(x) / mean(baseline) - 1)."""

def optimality_gap_reduction(x: object, baseline: object) -> float:
    """The share of the remaining distance that x covers, in %."""

def shapley(baseline: object, critic: object, actor: object, both: object) -> Shapley:
    """The gain of `both` over the baseline, split between two components."""

def time_to_reach(steps: Sequence[float], curve: Sequence[float], level: float) -> float:
    """
    The first step at which the running maximum of a curve reaches a level; NaN if never.
    """

def speed_up(steps: Sequence[float], baseline: Sequence[float], curve: Sequence[float]) -> SpeedUp:
    """How much sooner a curve reaches what the baseline reaches."""

def true_coverage(runs: int, tasks: int, confidence: float = 0.95) -> float:
    """
    How often a nominal interval really holds the truth, with this many runs and tasks.
    """

def bootstrap_aggregates(
    scores: object,
    *,
    repetitions: int = 50000,
    confidence: float = 0.95,
    seed: int = 0,
    resampling: str = "stratified",
    seed_compat: str = "",
    task_bootstrap: bool = False,
    correct_small_sample: bool = False,
) -> Aggregates:
    """Mean, median, IQM and optimality gap with intervals."""

def bootstrap_comparison(
    x: object,
    baseline: object,
    *,
    repetitions: int = 50000,
    confidence: float = 0.95,
    seed: int = 0,
    resampling: str = "stratified",
    seed_compat: str = "",
    task_bootstrap: bool = False,
    correct_small_sample: bool = False,
) -> Comparison:
    """x against a baseline, with intervals."""

def bootstrap_score_profile(
    scores: object,
    taus: Sequence[float],
    *,
    repetitions: int = 50000,
    confidence: float = 0.95,
    seed: int = 0,
    resampling: str = "stratified",
    seed_compat: str = "",
    task_bootstrap: bool = False,
    correct_small_sample: bool = False,
) -> list[Interval]:
    """A score profile with pointwise intervals."""
