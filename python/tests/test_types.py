"""tests/test_types.py - the programs of the documents, as mypy and pyright see them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# The pages whose programs use this package and NumPy, torch or Gymnasium: the others call frameworks
# whose own types do not know the buffer that they were given.
PAGES = "index observations offline per readers resume multi_task which_sampler device".split()
WRONG = """
import mneme

batch = mneme.ReplayBuffer((3,), (1,)).sample(4)
batch.reward.no_such_method()
mneme.ReplayBuffer(observation=(3,), action=(1,), capacity="many")
"""


def programs(folder):
    for page in PAGES:
        text = (ROOT / f"docs/python/{page}.md").read_text()
        (folder / f"{page}.py").write_text("\n".join(BLOCK.findall(text)))
    return [f"{page}.py" for page in PAGES]


def run(folder, *command):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True
    )


def test_mypy_strict_accepts_the_documents(tmp_path):
    pytest.importorskip("mypy")
    files = programs(tmp_path)
    done = run(tmp_path, "mypy", "--strict", *files)
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.py").write_text(WRONG)
    done = run(tmp_path, "mypy", "--strict", "wrong.py")
    assert done.stdout.count("error:") == 2, done.stdout


def test_pyright_accepts_the_documents(tmp_path):
    pytest.importorskip("pyright")
    files = programs(tmp_path)
    done = run(tmp_path, "pyright", "--pythonpath", sys.executable, *files)
    if "npm" in done.stderr or "node" in done.stderr.lower():
        pytest.skip("pyright could not fetch node")
    assert done.returncode == 0, done.stdout
