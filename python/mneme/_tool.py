"""mneme/_tool.py - the command line tool `mneme`, where the package was built with it."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the binary beside this file, with the same arguments."""
    tool = Path(__file__).parent / "bin" / "mneme"
    if not tool.exists():
        sys.exit(
            "mneme: this wheel has no command line tool. Build one from a checkout: pip install . "
            "--config-settings=cmake.define.MNEME_TOOL=ON (needs CLI11 and SQLite)"
        )
    os.execv(tool, [str(tool), *sys.argv[1:]])
