"""tests/package/sources.py - shared by the package tests: who knows whom, includes, planted faults."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Who may include whom, the table of docs/design.md: a folder of src/ (or bench), and the folders or
# single files that it may include besides its own. Nothing follows from anything else: what is not
# written here is not allowed.
CORE_TABLE = {
    "base": [],
    "storage": ["base"],
    "priorities": ["base"],
    "samplers": ["base", "priorities"],
    "stats": ["base"],
    "diagnostics": ["base", "samplers"],
    "replay": ["base", "samplers", "priorities", "storage"],
}
CORE = list(CORE_TABLE)
KNOWS = CORE_TABLE | {
    "envs": ["base"],
    "agents": ["base", "replay"],
    "explorer": [*CORE_TABLE],
    "os": ["base"],
    "term": ["base"],
    "run": ["base", "storage", "samplers", "replay", "envs", "agents", "os"],
    "ledger": ["base", "os", "run/tables.h"],
    "suites": ["base", "envs", "os", "term"],
    "study": [
        *["base", "samplers", "replay", "envs", "os", "suites", "ledger"],
        *["run/run_config.h", "run/requirements.h", "run/run_directory.h", "run/tables.h"],
        "agents/settings/old_names.h",
    ],
    "report": [
        *["base", "stats", "diagnostics", "samplers", "os", "term", "ledger"],
        *["study/spec.h", "study/library.h"],
    ],
    "bench": [*CORE_TABLE, "envs", "agents", "os", "term", "ledger"],
    "cli": [
        *CORE_TABLE,
        *["envs", "agents", "os", "term", "run", "ledger", "suites", "study", "report", "bench"],
    ],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def files_in(folder):
    """C++ files below a folder, none if it does not exist."""
    return sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cpp", ".def"))


def folder_of(root, name):
    """Where the files of a folder in KNOWS are."""
    return root / "bench" if name == "bench" else root / "src" / name


def core_files(root):
    """The public headers and everything in the folders of the core."""
    return files_in(root / "include") + [
        path for name in CORE for path in files_in(root / "src" / name)
    ]


def includes_of(path):
    """The includes written in a file, in order: pairs of ("<" or '"', name)."""
    return INCLUDE.findall(COMMENT.sub("", path.read_text(encoding="utf-8")))


def planted(root, path, line):
    """A copy of the sources in a temporary folder, with `line` added to one of its files."""
    copy = Path(tempfile.mkdtemp(prefix="mneme-package-"))
    for name in ("include", "src", "bench"):
        shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("results"))
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
