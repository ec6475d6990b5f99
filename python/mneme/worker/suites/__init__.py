"""mneme/worker/suites - one small file per suite.

A suite's module has

    PACKAGES            distributions whose versions are reported, the suite's own first
    TASKS               names that are listed; a suite may make others
    CHECKED             the few of them that `check` makes unless asked for all
    make(group)         Singles, or a runner of its own (vector.py, envpool.py, tensors.py)
    randomness(task)    what `check` demands of first observations: see check.py

and imports its packages inside make: all modules can be loaded where none of the packages is.
"""

import importlib
from importlib import metadata

NAMES = (
    "metaworld",
    "myo",
    "gym",
    "robotics",
    "dm_control",
    "envpool",
    "humanoid_bench",
    "isaac",
    "synthetic",
)


def load(name):
    """The module of a suite. Throws LookupError."""
    if name not in NAMES:
        raise LookupError(f"there is no suite {name!r}; known: {', '.join(NAMES)}")
    return importlib.import_module("." + name, __name__)


def versions(module):
    """NAME VERSION,NAME VERSION of what is installed."""
    found = []
    for name in module.PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ",".join(found)
