"""tests/package/removals.py - files and directories are removed in src/os/remove.cpp and nowhere else.

What a program removes by mistake is gone. One file decides what may go, and proves that it is mneme's;
every other removal in the sources is a complaint.
"""

import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources

# Where a removal may stand, and why.
ALLOWED = {
    "src/os/remove.cpp": "the one place",
    "src/os/file.cpp": "the temporary file that NewFile made",
    "src/replay/buffer_files.cpp": "what a failed export of the same call wrote; below os",
    "src/storage/disk.cpp": "the temporary file that replace_file made; below os",
    "python/mneme/_meta.py": "the metadata that the package wrote beside a manifest",
    "src/storage/segment_files.cpp": "a segment that this buffer made and could not fill; below os",
}
CPP = re.compile(
    r"\bremove_all\s*\(|\bunlink(?:at)?\s*\(|\brmdir\s*\(|\b(?:fs|filesystem|std)::remove\s*\(\s*(?![^;]*\.begin\(\))"
)
PYTHON = re.compile(
    r"\brmtree\b|\bos\.(?:remove|unlink|rmdir|removedirs)\b|\.unlink\s*\(|\.rmdir\s*\("
)
# multiprocessing.shared_memory: a name in memory, not a file of the user.
SHARED_MEMORY = re.compile(r"\b(?:memory|block|shm|shared)\w*\.unlink\s*\(")
PYTHON_COMMENT = re.compile(r"#[^\n]*")


def complaints_in(root, path, pattern, comment):
    name = str(path.relative_to(root))
    if name in ALLOWED:
        return []
    text = comment.sub(lambda match: "\n" * match.group().count("\n"), path.read_text("utf-8"))
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if pattern.search(line) and not SHARED_MEMORY.search(line):
            found.append(f"{name}:{number}: removes something; use os/remove.h: {line.strip()}")
    return found


def check(root, _compiler):
    complaints = []
    for path in sources.files_in(root / "src") + sources.files_in(root / "include"):
        complaints += complaints_in(root, path, CPP, sources.COMMENT)
    for path in sorted((root / "python" / "mneme").rglob("*.py")):
        complaints += complaints_in(root, path, PYTHON, PYTHON_COMMENT)
    for name in ALLOWED:
        if not (root / name).exists():
            complaints.append(f"{name}: may remove files, but does not exist")
    return complaints


def seen(root, path, line):
    """Whether a line planted in a file of a copy is a complaint."""
    copy = sources.planted(root, path, line)
    found = [one for one in check(copy, None) if one.startswith(path)]
    shutil.rmtree(copy)
    return bool(found)


def controls(root, _compiler):
    """Every form of a removal, planted in a copy, is found; other calls are not."""
    complaints = []
    for path, line, is_removal in [
        ("src/cli/planted.cpp", "std::filesystem::remove_all(path);", True),
        ("src/cli/planted.cpp", "fs::remove(path, error);", True),
        ("src/cli/planted.cpp", "std::remove(name);", True),
        ("src/cli/planted.cpp", "unlink(name);", True),
        ("src/cli/planted.cpp", "unlinkat(folder, name, 0);", True),
        ("src/cli/planted.cpp", "rmdir(name);", True),
        ("src/cli/planted.cpp", "// fs::remove_all(path);", False),
        ("src/cli/planted.cpp", "v.erase(std::remove(v.begin(), v.end(), 3), v.end());", False),
        ("src/cli/planted.cpp", "remove_known(path, files);", False),
        ("python/mneme/planted.py", "shutil.rmtree(folder)", True),
        ("python/mneme/planted.py", "os.unlink(path)", True),
        ("python/mneme/planted.py", "path.unlink()", True),
        ("python/mneme/planted.py", "self.memory.unlink()", False),
    ]:
        if seen(root, path, line) != is_removal:
            complaints.append(f"{'not seen' if is_removal else 'taken for a removal'}: {line}")
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
