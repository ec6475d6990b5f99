"""tests/package/sources.py - what the package tests share: layers, includes, planting a fault."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The table of docs/design.md: includes go down, never up, never sideways.
LAYERS = {
    "base": 0,
    "storage": 1,
    "priorities": 1,
    "samplers": 1.5,  # its registry lists what draws by priorities, too
    "stats": 1,
    "replay": 2,
    "diagnostics": 2,
    "agents": 3,
    "envs": 3,
    "os": 4,
    "term": 5,
    "run": 6,
    "ledger": 6,
    "study": 7,
    "report": 8,
    "suites": 6,
    "cli": 9,
}
CORE = [folder for folder, layer in LAYERS.items() if layer <= 2]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def files_in(folder):
    """C++ files below a folder, none if it does not exist."""
    return sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cpp", ".def"))


def core_files(root):
    """The public headers and everything in the folders of the core."""
    return files_in(root / "include") + [
        path for name in CORE for path in files_in(root / "src" / name)
    ]


def includes_of(path):
    """The includes written in a file, in order: pairs of ("<" or '"', name)."""
    return INCLUDE.findall(COMMENT.sub("", path.read_text(encoding="utf-8")))


def planted(root, path, line):
    """A copy of include/ and src/ in a temporary folder, with `line` added to one of its files."""
    copy = Path(tempfile.mkdtemp(prefix="mneme-package-"))
    for name in ("include", "src"):
        shutil.copytree(root / name, copy / name)
    target = copy / path
    target.parent.mkdir(parents=True, exist_ok=True)
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    target.write_text(old + line + "\n", encoding="utf-8")
    return copy


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def main(description, check, controls):
    """Both take (root, compiler) and return complaints; controls about checks that saw nothing."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    parser.add_argument("--compiler", default="c++")
    parser.add_argument(
        "--control", action="store_true", help="plant faults and see that the check finds them"
    )
    arguments = parser.parse_args()
    complaints = (controls if arguments.control else check)(arguments.root, arguments.compiler)
    print("\n".join(complaints) if complaints else "nothing to complain about")
    sys.exit(1 if complaints else 0)
