"""mneme/worker/suites - one module and one .ini file per suite.

NAME.ini has the facts (docs/suites/adding.md lists the keys); the C++ side is compiled with the same
file. NAME.py has

    FACTS = facts("NAME")
    make(group)           Singles, or a runner of its own (vector.py, envpool.py, tensors.py)

and imports the suite's packages inside make: every module loads where no suite is installed.
"""

import configparser
import importlib
import pathlib
from importlib import metadata

_FOLDER = pathlib.Path(__file__).resolve().parent
NAMES = tuple(sorted(path.stem for path in _FOLDER.glob("*.ini")))
STARTS = ("episodes", "instance", "none", "unchecked")


class Facts:
    """What NAME.ini says. `packages`: distributions whose versions are reported; `tasks`: every name
    that `check --all` makes; `checked`: the few that `check` makes."""

    def __init__(self, name, text):
        found = configparser.ConfigParser(interpolation=None, delimiters=("=",))
        found.optionxform = str
        found.read_string(text)
        suite = found["suite"]
        rows = dict(found["tasks"]) if "tasks" in found else {}
        unlisted = found["unlisted"]["names"].split() if "unlisted" in found else []
        self.name, self.title = name, suite["title"]
        self.packages = tuple(suite["packages"].split())
        self.tasks = (*rows, *unlisted)
        self.checked = tuple(suite["checked"].split())
        self._starts = suite["starts"]
        self._starts_of = {
            task: word.partition("=")[2]
            for task, row in rows.items()
            for word in row.split()
            if word.startswith("starts=")
        }

    def starts(self, task):
        """What `check` demands of the first observations of a task: one of STARTS (see check.py)."""
        return self._starts_of.get(task, self._starts)


def facts(name):
    return Facts(name, (_FOLDER / f"{name}.ini").read_text(encoding="utf-8"))


def load(name):
    """The module of a suite. Throws LookupError."""
    if name not in NAMES:
        raise LookupError(f"there is no suite {name!r}; known: {', '.join(NAMES)}")
    return importlib.import_module("." + name, __name__)


def versions(module):
    """NAME VERSION,NAME VERSION of the suite's installed packages."""
    found = []
    for name in module.FACTS.packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return ",".join(found)
