"""tests/package/layering.py - includes go down, never up, never sideways: LAYERS in sources.py.

A public header mneme/x.h belongs to the folder that has x.cpp, or that is called x; one without
such a file (types only) is as high as the highest thing it includes.
"""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources
from sources import LAYERS


def owners(root):
    """Public header -> folder of src/, for headers with a source file or folder of their name."""
    found = {}
    for folder in LAYERS:
        for path in (root / "src" / folder).glob("*.cpp"):
            found.setdefault(f"mneme/{path.stem}.h", folder)
        found[f"mneme/{folder}.h"] = folder
    return {name: folder for name, folder in found.items() if (root / "include" / name).exists()}


def height(root, owned, header, seen=()):
    """The layer of a public header."""
    if header in owned:
        return LAYERS[owned[header]]
    path = root / "include" / header
    if header in seen or not path.exists():
        return 0
    below = [name for _, name in sources.includes_of(path) if name.startswith("mneme/")]
    return max([height(root, owned, name, (*seen, header)) for name in below], default=0)


def check_files(root):
    complaints = []
    owned = owners(root)
    for folder, layer in LAYERS.items():
        for path in sources.files_in(root / "src" / folder):
            for kind, name in sources.includes_of(path):
                if kind == "<":
                    continue
                top = name.split("/")[0]
                if top == "mneme":
                    owner = owned.get(name)
                    fine = owner == folder or height(root, owned, name) < layer + (owner is None)
                else:
                    fine = top == folder or LAYERS.get(top, 99) < layer
                if not fine:
                    complaints.append(
                        f"{path.relative_to(root)}: {folder} (layer {layer}) may not include {name}"
                    )
    # A header of the interface sees the interface only.
    for path in sources.files_in(root / "include"):
        for kind, name in sources.includes_of(path):
            if kind == '"' and not name.startswith("mneme/"):
                complaints.append(f"{path.relative_to(root)}: a public header includes {name}")
    return complaints


def check_targets(build_file):
    """The links between CMake targets follow the same table."""
    complaints = []
    module = re.compile(r"mneme_module\((\w+)(?:\s+DEPENDS\s+([^)]*))?\)")
    for name, depends in module.findall(build_file):
        for other in depends.split():
            if LAYERS.get(other, 99) >= LAYERS[name]:
                complaints.append(f"CMakeLists.txt: {name} may not depend on {other}")
    return complaints


def check(root, _compiler):
    build_file = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    return check_files(root) + check_targets(build_file)


def controls(root, _compiler):
    """One fault of each kind, planted in a copy."""
    complaints = []
    owned_by_base = next(name for name, folder in owners(root).items() if folder == "base")
    for what, path, line in [
        ("up", "src/base/planted.cpp", '#include "cli/commands.h"'),
        ("sideways", "src/samplers/planted.cpp", '#include "stats/planted.h"'),
        ("out of the interface", "include/mneme/planted.h", '#include "base/text.h"'),
    ]:
        copy = sources.planted(root, path, line)
        if len(check_files(copy)) <= len(check_files(root)):
            complaints.append(f"an include that points {what} is not seen: {line}")
        shutil.rmtree(copy)
    # The same public header is fine from above and wrong from below its owner.
    copy = sources.planted(root, "src/stats/planted.cpp", '#include "mneme/planted.h"')
    (copy / "include/mneme/planted.h").write_text(f'#include "{owned_by_base}"\n', encoding="utf-8")
    (copy / "src/base/planted.h").write_text('#include "mneme/planted.h"\n', encoding="utf-8")
    if len(check_files(copy)) <= len(check_files(root)):
        complaints.append("a public header of a higher folder is not seen in base")
    shutil.rmtree(copy)
    if not check_targets("mneme_module(base DEPENDS lab)"):
        complaints.append("a link that points up is not seen")
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
