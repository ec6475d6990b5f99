"""mneme/worker/__main__.py - `python PATH/worker ...` and `python -m mneme.worker ...`."""

import sys


def _alone():
    """Loads the folder as the package mneme_worker. Python puts the folder of a program first on
    sys.path, where envpool.py would hide the package envpool: it is removed."""
    import importlib.util
    import os

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.util.spec_from_file_location(
        "mneme_worker", os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["mneme_worker"] = package
    spec.loader.exec_module(package)
    return importlib.import_module("mneme_worker.command")


if __name__ == "__main__":
    if __package__:
        from . import command
    else:
        command = _alone()
    sys.exit(command.main(sys.argv[1:]))
