"""mneme/worker/__main__.py - `python PATH/worker ...` and `python -m mneme.worker ...`."""

import sys


def _alone():
    """The folder as a package of its own. Python puts a folder that it runs at the head of the
    search path, where envpool.py would stand for the package envpool: it is taken off again."""
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
