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


def test_the_command_says_what_a_wheel_without_the_tool_lacks():
    tool = Path(mneme.__file__).parent / "bin" / "mneme"
    arguments = ["samplers"] if tool.exists() else []
    done = subprocess.run(
        [sys.executable, "-m", "mneme", *arguments], capture_output=True, text=True
    )
    if tool.exists():
        assert done.returncode == 0 and "truncated_geometric" in done.stdout
    else:
        assert done.returncode == 1 and "MNEME_TOOL=ON" in done.stderr


def test_a_star_import_leaves_builtins_alone():
    assert python("from mneme import *; print(open.__module__)") in ("_io", "io")


def test_results_print_their_fields():
    buffer = mneme.ReplayBuffer((1,), (1,), 10)
    buffer.add([0], [0], 1.0, [1])
    live = (buffer.sample(4), buffer.diagnostics())[1]
    assert live.asdict()["draws"] == 4 and "draws=4" in repr(live)
    assert "<table>" in live._repr_html_() and "<svg" in live._repr_html_()
    diagnosis = mneme.inspect("uniform", 100)
    assert diagnosis.asdict()["newest_mass"][0].keys() == {"share", "mass"}
    assert repr(diagnosis).startswith("Diagnosis(expected_recency=0.5")
    assert "float32" in buffer.sample(2)._repr_html_()
    moved = mneme.functional.indices("uniform", [0.5], 10)
    assert moved.tolist() == [5]
