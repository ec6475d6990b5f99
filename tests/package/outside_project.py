"""tests/package/outside_project.py - another project that builds and runs with mneme.

outside_project.py find_package BUILD     installed into a folder that is then moved elsewhere
outside_project.py add_subdirectory BUILD as a folder of that project
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def run(*command):
    print("$", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["find_package", "add_subdirectory"])
    parser.add_argument("build", type=Path)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="mneme-outside-") as temporary:
        folder = Path(temporary)
        options = [f"-DCMAKE_CXX_COMPILER={arguments.compiler}", "-DCMAKE_BUILD_TYPE=Release"]
        if arguments.way == "find_package":
            # The second name has a blank in it, and the first one is gone: no path may be baked in.
            run(arguments.cmake, "--install", arguments.build, "--prefix", folder / "first")
            (folder / "first").rename(folder / "moved here")
            options += [f"-DCMAKE_PREFIX_PATH={folder / 'moved here'}"]
            for line in (folder / "moved here").rglob("*.cmake"):
                text = line.read_text(encoding="utf-8")
                assert str(ROOT) not in text, f"{line.name} names the source tree"
        else:
            options += [f"-DMNEME_SOURCE={ROOT}"]
        run(
            arguments.cmake, "-S", HERE / "outside", "-B", folder / "build", "-G", "Ninja", *options
        )
        run(arguments.cmake, "--build", folder / "build")
        run(folder / "build" / "outside")


if __name__ == "__main__":
    main()
