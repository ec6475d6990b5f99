"""tests/package/core_is_alone.py - the core reaches its own and the standard library's headers.

No torch, MuJoCo or Python, and no other library either. Shown twice: by the includes that are
written, against a list, and by the files that the preprocessor opens, against those that the
standard headers open by themselves.
"""

import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources

# The headers of the C++20 standard library. Without its C spellings such as <math.h>, and without
# <execution>, which reaches for TBB where that is installed.
STANDARD = """
algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono
cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine
csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
exception filesystem format forward_list fstream functional future initializer_list iomanip ios
iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new
numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set
shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map
unordered_set utility valarray variant vector version
""".split()

# Of the compiler and the operating system; a header is added here with the file that needs it.
SYSTEM = [
    "fcntl.h",
    "immintrin.h",
    "sys/file.h",
    "sys/mman.h",
    "sys/stat.h",
    "sys/types.h",
    "unistd.h",
]


def check_written(root):
    """Every include names a standard header, or a file of the core by its place in the tree."""
    complaints = []
    for path in sources.core_files(root):
        for kind, name in sources.includes_of(path):
            if kind == "<":
                fine = name in STANDARD or name in SYSTEM
            else:
                top = name.split("/")[0]
                place = root / ("include" if top == "mneme" else "src") / name
                fine = top in ["mneme", *sources.CORE] and place.exists()
            if not fine:
                complaints.append(f"{path.relative_to(root)}: the core may not include {name}")
    return complaints


def opened_by(command, source):
    """The files that the preprocessor opens for a piece of source; raises if it cannot."""
    done = sources.run([*command, "-M", "-x", "c++", "-"], input=source)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    names = done.stdout.replace("\\\n", " ").split(":", 1)[1].split()
    return {os.path.realpath(name) for name in names if name != "-"}


def check_opened(root, compiler, options=()):
    """Every file opened lies in the core, or is opened by the standard headers themselves."""
    command = [compiler, "-std=c++20"]
    # Headers that this compiler lacks (<format> in GCC 12, <strstream> elsewhere) are left out.
    standard = "".join(
        f"#if __has_include(<{name}>)\n#include <{name}>\n#endif\n" for name in STANDARD + SYSTEM
    )
    allowed = opened_by([*command, "-w"], standard)
    core = [os.path.realpath(root / "include" / "mneme")]
    core += [os.path.realpath(root / "src" / name) for name in sources.CORE]

    def complaints_about(path):
        try:
            opened = opened_by(
                [*command, "-I", str(root / "include"), "-I", str(root / "src"), *options],
                f'#include "{path}"\n',
            )
        except RuntimeError as error:
            return [f"{path.relative_to(root)}: {error}"]
        return [
            f"{path.relative_to(root)}: reaches {name}"
            for name in sorted(opened - allowed)
            if not any(name.startswith(folder + os.sep) for folder in core)
        ]

    paths = [path for path in sources.core_files(root) if path.suffix != ".def"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for found in pool.map(complaints_about, paths) for complaint in found]


def check(root, compiler):
    return check_written(root) + check_opened(root, compiler)


def controls(root, compiler):
    """A planted include, plain and behind a macro, as if the library were on the system."""
    complaints = []
    third_party = Path(tempfile.mkdtemp(prefix="mneme-third-party-"))
    (third_party / "Python.h").write_text("#pragma once\n", encoding="utf-8")
    installed = ["-isystem", str(third_party)]
    plain = sources.planted(root, "src/base/planted.cpp", "#include <Python.h>")
    hidden = sources.planted(
        root, "include/mneme/planted.h", "#define PLANTED <Python.h>\n#include PLANTED"
    )
    sideways = sources.planted(root, "src/base/planted.cpp", '#include "cli/commands.h"')
    if not check_written(plain):
        complaints.append("the list does not see #include <Python.h>")
    if not check_written(sideways):
        complaints.append("the list does not see an include of the tool")
    for name, copy in {"plain": plain, "hidden": hidden}.items():
        if not any("Python.h" in line for line in check_opened(copy, compiler, installed)):
            complaints.append(f"the preprocessor check does not see a {name} #include <Python.h>")
    for folder in (third_party, plain, hidden, sideways):
        shutil.rmtree(folder)
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
