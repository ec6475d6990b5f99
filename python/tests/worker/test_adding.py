"""tests/worker/test_adding.py - the recipe of docs/suites/adding.md, followed to the letter."""

import re
import shutil
import subprocess
import sys

import pytest
from loading import FOLDER, ROOT

RECIPE = ROOT / "docs/suites/adding.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", RECIPE.read_text(), re.DOTALL)


def check(worker):
    command = [sys.executable, worker, "check", "pendula"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def worker(tmp_path):
    folder = tmp_path / "worker"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_two_files_add_a_suite(worker):
    assert "there is no suite 'pendula'" in check(worker).stderr
    (facts,), (module,) = blocks("ini"), blocks("python")
    (worker / "suites/pendula.ini").write_text(facts)
    (worker / "suites/pendula.py").write_text(module)
    done = check(worker)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pendula/single: 2 observed, 1 acted on, 200 steps" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("ok numpy ")


def test_check_rejects_a_suite_whose_starts_are_not_as_declared(worker):
    (facts,), (module,) = blocks("ini"), blocks("python")
    (worker / "suites/pendula.ini").write_text(facts.replace("episodes", "none"))
    (worker / "suites/pendula.py").write_text(module)
    done = check(worker)
    assert done.returncode == 1
    assert "is fixed, but episodes or seeds begin differently" in done.stdout


def test_every_key_of_the_facts_is_documented():
    used = {
        line.split("=")[0].strip()
        for path in (FOLDER / "suites").glob("*.ini")
        for line in path.read_text().split("[tasks]")[0].split("[unlisted]")[0].splitlines()
        if re.match(r"\w+ =", line)
    }
    text = RECIPE.read_text()
    assert used and not [key for key in used if f"`{key}`" not in text]
