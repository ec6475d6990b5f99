"""tests/worker/loading.py - the worker of this tree as the package mneme_worker, as it loads
itself.

Nothing compiled and nothing installed is needed, so programs outside of the tests use this, too.
"""

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "python/mneme/worker"

if "mneme_worker" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "mneme_worker", FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    sys.modules["mneme_worker"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["mneme_worker"])
