"""tests/package/readme_example.py - the C++ blocks of README.md are the programs of examples/."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = ["first_sampler.cpp", "replay_loop.cpp"]


def same(readme, sources):
    """Whether the C++ blocks are the files without their first lines, which name the files."""
    shown = [block.group(1) for block in BLOCK.finditer(readme)]
    return shown == [source.split("\n", 1)[1] for source in sources]


readme = (ROOT / "README.md").read_text()
sources = [(ROOT / "examples" / name).read_text() for name in EXAMPLES]
if "--control" in sys.argv:
    sys.exit("no power" if same(readme, [s.replace("256", "257") for s in sources]) else 0)
sys.exit(0 if same(readme, sources) else "README.md and the programs of examples/ differ")
