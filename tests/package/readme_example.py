"""tests/package/readme_example.py - the C++ block of README.md is examples/first_sampler.cpp."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)


def same(readme, source):
    """Whether the one C++ block is the file without its first line, which names the file."""
    return [block.group(1) for block in BLOCK.finditer(readme)] == [source.split("\n", 1)[1]]


readme = (ROOT / "README.md").read_text()
source = (ROOT / "examples/first_sampler.cpp").read_text()
if "--control" in sys.argv:
    sys.exit("no power" if same(readme, source.replace("256", "257")) else 0)
sys.exit(0 if same(readme, source) else "README.md and examples/first_sampler.cpp differ")
