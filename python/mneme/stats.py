"""mneme/stats.py - what a set of scores says: aggregates, comparisons, intervals.

Scores are a 2-D array or nested list of runs x tasks. Lists of different lengths are one list of runs
for each task. The names are those of
`mneme stats`; definitions in docs/stats.md.

>>> import numpy as np
>>> iqm(np.array([[0.1, 0.5], [0.2, 0.9], [0.3, 0.7], [0.4, 0.8]]))
0.475
"""

from . import _core

globals().update({name: getattr(_core.stats, name) for name in dir(_core.stats) if name[0] != "_"})
__all__ = [name for name in dir(_core.stats) if name[0] != "_"]
