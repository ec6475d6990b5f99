"""tests/package/headers_stand_alone.py - every public header compiles by itself, also twice."""

import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources


def check(root, compiler):
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    command += ["-I", str(root / "include"), "-x", "c++", "-"]

    def complaints_about(path):
        line = f'#include "{path.relative_to(root / "include")}"\n'
        done = sources.run(command, input=line * 2)
        return [] if done.returncode == 0 else [done.stderr]

    headers = sources.files_in(root / "include")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for found in pool.map(complaints_about, headers) for complaint in found]


def controls(root, compiler):
    complaints = []
    for what, text in [
        ("leans on another one's includes", "#pragma once\ninline std::string planted();"),
        ("has no include guard", "struct Planted {};"),
    ]:
        copy = sources.planted(root, "include/mneme/planted.h", text)
        if not check(copy, compiler):
            complaints.append(f"a header that {what} is not seen")
        shutil.rmtree(copy)
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
