"""tests/test_documents.py - what the documents show runs: every Python block of every page, every docstring."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = [
    *sorted((ROOT / "docs/python").glob("*.md")),
    ROOT / "docs/start/python.md",
    ROOT / "README.md",
]
NEEDS = {
    "replace_sb3": "stable_baselines3",
    "her": "stable_baselines3",
    "adapters": "tianshou",
    "device": "torch",
    "multi_task": "gymnasium",
    "envs": "gymnasium",
}
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def run(code, folder):
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning:mneme", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_run(page, tmp_path):
    blocks = BLOCK.findall(page.read_text())
    if page.stem in ("api", "features"):
        return
    assert blocks, "a page without an example"
    pytest.importorskip(NEEDS.get(page.stem, "numpy"))
    assert run("\n".join(blocks), tmp_path)


def test_a_page_that_does_not_run_is_noticed(tmp_path):
    with pytest.raises(AssertionError):
        run("import mneme\nmneme.ReplayBuffer(observation=(3,))", tmp_path)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_run(script, tmp_path):
    for name in re.findall(r"^# needs: (\w+)$", script.read_text(), re.MULTILINE):
        pytest.importorskip(name)
    assert run(script.read_text(), tmp_path)


@pytest.mark.parametrize("name", ["functional", "replay_buffer", "samplers", "stats"])
def test_docstrings(name):
    failed, tried = doctest.testmod(importlib.import_module(f"mneme.{name}"))
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("script", ["python_api", "python_tables"])
def test_what_is_generated_is_as_generated(script):
    command = [sys.executable, ROOT / "scripts" / script, "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
