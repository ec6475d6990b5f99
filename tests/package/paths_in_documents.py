"""tests/package/paths_in_documents.py - paths, links, anchors and the word "planned" in *.md files.

A path in backticks must exist: from the root, from the document's folder, below src, include or
python, or, for a bare file name of C++ or Python, anywhere in the tree. `*`, `{h,cpp}`, `...` and
words in capitals stand for any name. Relative links and their anchors must resolve. "planned" may
only be said on a line that names, in backticks, a path that does not exist yet.
"""

import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import sources

SKIPPED = {"node_modules", "__pycache__", ".venv", ".venv-python", ".cache", ".git"}
# Written by programs, not part of the tree.
GENERATED = ("build", "runs", "out", "dist", "web/dist", ".venv", ".cache", ".venv-python")
# Where a path may begin besides the root and the document's own folder.
BASES = ("src", "include", "include/mneme", "python", "web", "tests", "bench")
# A file name without a folder is looked up anywhere in the tree; data files have too many names.
SOURCE_NAME = re.compile(r"[\w.*-]+\.(h|cpp|def|mjs|js|py|pyi|sh|md)")
# Files of other projects, named in documents.
EXCEPTIONS = {
    "train.py": "FastTD3 and BRC",
    "pendula.ini": "the example of docs/suites/adding.md",
    "pendula.py": "the example of docs/suites/adding.md",
    "logger.py": "BRC",
    "run_online.py": "SimbaV2",
    "sac_continuous_action.py": "CleanRL",
    "td3_continuous_action.py": "CleanRL",
}

FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")
PLANNED = re.compile(r"\bplanned\b|\bnot here yet\b|\bdoes not exist yet\b", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$", re.MULTILINE)


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def line_of(text, at):
    """Where the line around a place begins and ends."""
    end = text.find("\n", at)
    return text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end


def documents(root):
    return [
        path
        for path in sorted(root.rglob("*.md"))
        if not SKIPPED & set(path.relative_to(root).parts)
        and not path.relative_to(root).parts[0].startswith("build")
    ]


@cache
def names_in(root):
    """The names of all files in the tree."""
    return {
        path.name
        for path in root.rglob("*")
        if not SKIPPED & set(path.relative_to(root).parts) and path.is_file()
    }


def variants(path):
    """`a/{b,c}.h` as `a/b.h` and `a/c.h`."""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [
        other
        for part in found.group(1).split(",")
        for other in variants(path[: found.start()] + part + path[found.end() :])
    ]


def is_path(text, root, document):
    """Whether a piece of code names a place in this tree."""
    if not re.fullmatch(r"[\w.*/{},<>+-]+", text) or text.startswith("/") or text.endswith("-"):
        return False
    if text.startswith(GENERATED):
        return False
    if "/" not in text:
        return SOURCE_NAME.fullmatch(text) is not None
    first = text.split("/")[0]
    if first in ("..", "."):
        return True
    last = text.rstrip("/").split("/")[-1]
    for base in (root, document.parent, *(root / base for base in BASES)):
        if first and (base / first).is_dir():
            # Below the root anything is a path; elsewhere `dmc/walker-run` could be a task.
            return base == root or text.endswith("/") or "." in last
    return False


def exists(text, root, document):
    """Whether a path exists; a trailing :line, placeholders and globs are taken into account."""
    text = re.sub(r":\d+$", "", text)
    placeholder = r"<[^<>]*>|\.\.\.|(?<![A-Za-z])[A-Z]{2,}(?![a-z])"
    pattern = "/".join(
        part if part in names_in(root) else re.sub(placeholder, "*", part)  # README.md is a name
        for part in text.rstrip("/").split("/")
    )
    if "/" not in text:
        return any(Path(name).match(pattern) for name in names_in(root))
    for base in (root, document.parent, *(root / base for base in BASES)):
        if "*" in pattern and not pattern.startswith(".."):
            if any(True for _ in base.glob(pattern)):
                return True
        elif (base / pattern).exists():
            return True
    return False


@cache
def anchors(path):
    """The anchors that GitHub gives to the headings of a document."""
    text = FENCE.sub(blank, path.read_text(encoding="utf-8"))
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    for title in HEADING.findall(text):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        number = 0
        while (own := slug if number == 0 else f"{slug}-{number}") in found:
            number += 1
        found.add(own)
    return found


def check_document(root, document, text=None):
    """Complaints about one document, or about a text in its place."""
    complaints = []
    name = document.relative_to(root).as_posix()
    text = FENCE.sub(blank, text or document.read_text(encoding="utf-8"))

    def complain(at, what):
        complaints.append(f"{name}:{text.count(chr(10), 0, at) + 1}: {what}")

    planned = [line_of(text, word.start()) for word in PLANNED.finditer(SPAN.sub(blank, text))]
    for span in SPAN.finditer(text):
        if line_of(text, span.start()) in planned:
            continue
        code = span.group(2).strip()
        if code in EXCEPTIONS:
            continue
        for path in variants(code):
            if is_path(path, root, document) and not exists(path, root, document):
                complain(span.start(), f"`{path}` does not exist")
    prose = SPAN.sub(blank, text)
    for link in LINK.finditer(prose):
        target = link.group(1) or link.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        place = (document.parent / path).resolve() if path else document
        if not place.exists():
            complain(link.start(), f"the link to {target} leads to a missing file")
        elif anchor and place.suffix == ".md" and anchor not in anchors(place):
            complain(link.start(), f"{target}: no heading gives the anchor #{anchor}")
    for word in PLANNED.finditer(prose):
        start, end = line_of(text, word.start())
        named = [span.group(2) for span in SPAN.finditer(text[start:end])]
        if not named or any(exists(path, root, document) for path in named):
            line = text[start:end].strip()
            complain(word.start(), f"'{word.group()}' without a path that is absent: {line}")
    return complaints


def check(root, _compiler):
    root = root.resolve()
    return [
        complaint for document in documents(root) for complaint in check_document(root, document)
    ]


# What must be found, and what must not.
PLANTED = [
    ("see `src/base/no_such_file.cpp`", True),
    ("see `samplers/no_such_kind.h`", True),
    ("see `no_such_program.py`", True),
    ("see `src/base/{rng,no_such}.cpp`", True),
    ("see `docs/no_such_*.md`", True),
    ("[a link](docs/no_such_page.md)", True),
    ("[a link](CONTRIBUTING.md#no-such-heading)", True),
    ('<img src="docs/no_such_picture.svg">', True),
    ("`src/base` is planned", True),
    ("*planned:* other things", True),
    ("see `src/base/rng.cpp`, `samplers/kind.h`, `kind.h` and `src/envs/SUITE/`", False),
    ("see `src/samplers/NAME.cpp`, `src/agents/NAME/config.h`", False),
    ("see `src/base/*.h`, `docs/decisions/NNN-TITLE.md` and `build/release/bin/mneme`", False),
    (
        "the task `dmc/walker-run`, the file `eval.csv`, `a/b` and [this](CONTRIBUTING.md#commits)",
        False,
    ),
    ("`src/no_such_folder` is planned", False),
]


def controls(root, _compiler):
    root = root.resolve()
    complaints = []
    for sentence, wrong in PLANTED:
        found = check_document(root, root / "planted.md", f"# Title\n\n{sentence}\n")
        if bool(found) != wrong:
            complaints.append(f"'{sentence}' gives {found or 'no complaint'}")
    return complaints


if __name__ == "__main__":
    sources.main(__doc__, check, controls)
