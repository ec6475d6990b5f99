"""mneme/stats.py - what a set of scores says: aggregates, comparisons, intervals.

Scores are a 2-D array or nested list of runs x tasks. Lists of different lengths are one list of runs
for each task. The names are those of
`mneme stats`; definitions in docs/stats.md.

>>> import numpy as np
>>> iqm(np.array([[0.1, 0.5], [0.2, 0.9], [0.3, 0.7], [0.4, 0.8]]))
0.475
"""

from ._core.stats import (
    Aggregates,
    Comparison,
    Interval,
    ScoreMatrix,
    Shapley,
    SpeedUp,
    average_score_profile,
    bootstrap_aggregates,
    bootstrap_comparison,
    bootstrap_score_profile,
    gain,
    iqm,
    mean,
    median,
    optimality_gap,
    optimality_gap_reduction,
    probability_of_improvement,
    score_profile,
    scores,
    shapley,
    speed_up,
    time_to_reach,
    true_coverage,
)

__all__ = [
    "Aggregates",
    "Comparison",
    "Interval",
    "ScoreMatrix",
    "Shapley",
    "SpeedUp",
    "average_score_profile",
    "bootstrap_aggregates",
    "bootstrap_comparison",
    "bootstrap_score_profile",
    "gain",
    "iqm",
    "mean",
    "median",
    "optimality_gap",
    "optimality_gap_reduction",
    "probability_of_improvement",
    "score_profile",
    "scores",
    "shapley",
    "speed_up",
    "time_to_reach",
    "true_coverage",
]
