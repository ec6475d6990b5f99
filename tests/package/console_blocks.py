"""tests/package/console_blocks.py - what the documents show is what the tool prints.

Every `$ mneme ...` in a ```console block is run from the root of the repository. Each line shown
below it must be in the output, in that order; "..." may stand for lines left out,
or within a line for a part of it.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(text):
    """(line number, command, shown lines) for every command in a console block."""
    for block in BLOCK.finditer(text):
        number = text.count("\n", 0, block.start()) + 2
        found = None
        for line in block.group(1).splitlines():
            if line.startswith("$ "):
                if found:
                    yield found
                found = (number, line[2:], [])
            elif found:
                found[2].append(line.rstrip())
            number += 1
        if found:
            yield found


def missing(shown, printed):
    """The first shown line that is not printed after the ones before it, or None."""
    rest = iter([line.rstrip() for line in printed])
    for line in shown:
        if line in ("...", ""):
            continue
        if "..." in line:
            pattern = ".*".join(re.escape(part.strip()) for part in line.split("..."))
            found = any(re.fullmatch(pattern, p.strip()) for p in rest)
        else:
            found = line in rest  # an iterator: looks on from where the last one was
        if not found:
            return line
    return None


def check(document, tool):
    """Complaints about one document, and how many commands were run."""
    complaints, count = [], 0
    for number, command, shown in commands(document.read_text()):
        words = shlex.split(command)
        if words[0] != "mneme":
            continue
        count += 1
        run = subprocess.run([tool, *words[1:]], cwd=ROOT, capture_output=True, text=True)
        line = missing(shown, (run.stdout + run.stderr).splitlines())
        if not shown:
            complaints.append(f"{document.name}:{number}: no output is shown for '{command}'")
        elif line is not None:
            complaints.append(
                f"{document.name}:{number}: '{command}' (exit {run.returncode}) does not print\n  {line}"
            )
    return complaints, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True)
    parser.add_argument("--control", action="store_true", help="a wrong digit must be found")
    parser.add_argument("documents", nargs="*", type=Path)
    args = parser.parse_args()
    if args.control:
        with tempfile.TemporaryDirectory() as folder:
            wrong = Path(folder) / "wrong.md"
            wrong.write_text("```console\n$ mneme --version\n...\n0.0.0-not-this\n```\n")
            complaints, _ = check(wrong, args.tool)
        print("\n".join(complaints))
        sys.exit(
            0 if len(complaints) == 1 else "the control was not found: this check has no power"
        )
    complaints, count = [], 0
    for document in args.documents:
        found, run = check(document, args.tool)
        complaints += found
        count += run
        if run == 0:
            complaints.append(f"{document.name}: no command found")
    print("\n".join(complaints) or f"{count} commands print what is shown")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
