"""tests/package/layering.py - a folder includes what KNOWS in sources.py allows, and nothing else.

A public header mneme/x.h belongs to the folder that has x.cpp, or that is called x; one without
such a file (types only) belongs to the owners of what it includes. The CMake targets link by the
same table.
"""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources
from sources import KNOWS

# Targets that hold a part of a folder.
PARTS = {"run_files": "run", "study_files": "study"}
CMAKE_LINES = re.compile(
    r"mneme_(?:module|room)\((\w+)[^)]*?(?:DEPENDS|KNOWS)\s+([^)]*?)(?:\s+USES[^)]*)?\)"
)


def owned_headers(root):
    """Public header -> folder of src/, for headers with a source file or folder of their name."""
    found = {}
    for folder in (*sources.CORE, "envs"):
        for path in (root / "src" / folder).glob("*.cpp"):
            found.setdefault(f"mneme/{path.stem}.h", folder)
        found[f"mneme/{folder}.h"] = folder
    return {name: folder for name, folder in found.items() if (root / "include" / name).exists()}


def owners(root, owned, header, seen=()):
    """The folders that a public header belongs to."""
    if header in owned:
        return {owned[header]}
    path = root / "include" / header
    if header in seen or not path.exists():
        return set()
    below = [name for _, name in sources.includes_of(path) if name.startswith("mneme/")]
    return set().union(*(owners(root, owned, name, (*seen, header)) for name in below))


def may_include(root, owned, folder, name):
    allowed = [folder, *KNOWS[folder]]
    if name.startswith("mneme/"):
        return owners(root, owned, name) <= set(allowed)
    return name in allowed or name.split("/")[0] in allowed


def check_files(root):
    owned = owned_headers(root)
    complaints = [
        f"{path.relative_to(root)}: {folder} may not include {name}"
        for folder in KNOWS
        for path in sources.files_in(sources.folder_of(root, folder))
        for kind, name in sources.includes_of(path)
        # Benchmarks of the core include their own headers from bench/.
        if kind == '"' and not (folder == "bench" and (root / "bench" / name).exists())
        if not may_include(root, owned, folder, name)
    ]
    # A header of the interface sees the interface only.
    complaints += [
        f"{path.relative_to(root)}: a public header includes {name}"
        for path in sources.files_in(root / "include")
        for kind, name in sources.includes_of(path)
        if kind == '"' and not name.startswith("mneme/")
    ]
    return complaints


def check_folders(root):
    """Every folder is in the table."""
    return [
        f"src/{path.name} is not in KNOWS"
        for path in (root / "src").iterdir()
        if path.is_dir() and path.name not in KNOWS
    ]


def check_table(knows):
    """No folder knows itself by way of others, whole folders counted."""
    complaints = []
    for start in knows:
        reached, waiting = set(), [one for one in knows[start] if one in knows]
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += [other for other in knows[one] if other in knows]
        if start in reached:
            complaints.append(f"KNOWS: {start} knows itself by way of others")
    return complaints


def check_targets(build_file):
    """The links between CMake targets follow the same table."""
    complaints = []
    for name, depends in CMAKE_LINES.findall(build_file):
        folder = PARTS.get(name, name)
        allowed = {one.split("/")[0] for one in KNOWS[folder]} | {folder}
        for other in depends.split():
            target = PARTS.get(other, other)
            if not other.startswith("$") and other != "all" and target not in allowed:
                complaints.append(f"CMake: {name} may not link {other}")
    return complaints


def check(root, _compiler):
    build_files = [root / "CMakeLists.txt", root / "src/CMakeLists.txt"]
    text = "".join(path.read_text(encoding="utf-8") for path in build_files)
    return check_files(root) + check_folders(root) + check_table(KNOWS) + check_targets(text)


FAULTS = [
    ("up", "src/base/planted.cpp", '#include "cli/commands.h"'),
    ("sideways", "src/samplers/planted.cpp", '#include "stats/planted.h"'),
    ("out of the interface", "include/mneme/planted.h", '#include "base/text.h"'),
    ("to another file of run", "src/ledger/planted.cpp", '#include "run/trainer.h"'),
    ("to another file of study", "src/report/planted.cpp", '#include "study/plan.h"'),
    ("from run to the ledger", "src/run/planted.cpp", '#include "ledger/ledger.h"'),
    ("from run to the terminal", "src/run/planted.cpp", '#include "term/table.h"'),
    ("from the system to a suite", "src/os/planted.cpp", '#include "suites/names.h"'),
    ("from a benchmark to the tool", "bench/harness/planted.cpp", '#include "cli/commands.h"'),
    ("from envs to a buffer", "src/envs/planted.cpp", '#include "mneme/replay_buffer.h"'),
]


def controls(root, _compiler):
    """One fault of each kind, planted in a copy."""
    complaints = []
    before = len(check_files(root))
    for what, path, line in FAULTS:
        copy = sources.planted(root, path, line)
        if len(check_files(copy)) <= before:
            complaints.append(f"an include that points {what} is not seen: {line}")
        shutil.rmtree(copy)
    # The same public header is fine from above and wrong from below its owner.
    owned = next(name for name, folder in owned_headers(root).items() if folder == "replay")
    copy = sources.planted(root, "src/replay/planted.cpp", '#include "mneme/planted.h"')
    (copy / "include/mneme/planted.h").write_text(f'#include "{owned}"\n', encoding="utf-8")
    if len(check_files(copy)) > before:
        complaints.append("a public header is refused in the folder that owns it")
    (copy / "src/base/planted.h").write_text('#include "mneme/planted.h"\n', encoding="utf-8")
    if len(check_files(copy)) <= before:
        complaints.append("a public header of a higher folder is not seen in base")
    (copy / "src/planted").mkdir()
    if not check_folders(copy):
        complaints.append("a folder that is not in the table is not seen")
    shutil.rmtree(copy)
    for line in (
        "mneme_module(base DEPENDS replay)",
        "mneme_room(run SOURCES ${run} KNOWS ledger)",
    ):
        if not check_targets(line):
            complaints.append(f"a link that points up is not seen: {line}")
    if not check_table(KNOWS | {"base": ["os"]}):
        complaints.append("a circle in the table is not seen")
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
