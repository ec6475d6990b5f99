"""tests/package/readme_example.py - the C++ blocks of the documents are the programs of examples/."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGES = {
    "README.md": ["quick_start.cpp"],
    "docs/cpp.md": ["first_sampler.cpp", "replay_loop.cpp"],
    "docs/replay.md": ["rate_limiter.cpp", "resume.cpp"],
}


def same(page, sources):
    """Whether the C++ blocks are the files without their first lines, which name the files."""
    shown = [block.group(1) for block in BLOCK.finditer(page)]
    return shown == [source.split("\n", 1)[1] for source in sources]


for name, examples in PAGES.items():
    page = (ROOT / name).read_text()
    sources = [(ROOT / "examples" / example).read_text() for example in examples]
    if "--control" in sys.argv:
        if same(
            page,
            [
                source.replace("32", "33").replace("256", "257").replace("1'000", "1'001")
                for source in sources
            ],
        ):
            sys.exit(f"no power: a changed program is still that of {name}")
    elif not same(page, sources):
        sys.exit(f"{name} and the programs of examples/ differ")
