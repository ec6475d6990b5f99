"""tests/test_package.py - what is installed: typed, quick to import, alone."""

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import mneme

ROOT = Path(__file__).resolve().parents[2]


def python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_it_is_typed_and_has_a_version():
    assert files("mneme").joinpath("py.typed").is_file()
    assert f"project(mneme VERSION {mneme.__version__}" in (ROOT / "CMakeLists.txt").read_text()


def test_stubs_are_what_the_module_says():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/python_stubs", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_import_brings_no_framework():
    loaded = python("import mneme, sys; print({'torch', 'jax', 'gymnasium'} & set(sys.modules))")
    assert loaded == "set()"


def test_import_takes_less_than_a_fifth_of_a_second():
    # Processor time, the best of five: a loaded machine is not what is measured.
    code = "import time; t = time.process_time(); import mneme; print(time.process_time() - t)"
    assert min(float(python(code)) for _ in range(5)) < 0.2
