"""tests/package/words.py - banned words and spellings in comments, messages, test names and documents.

words.py             check SCOPE without NOT_YET; exit code 1 names file, line, words and what to say
words.py --count     banned forms per folder and rule, over the whole tree
words.py --list DIR  every occurrence below a folder or in a file
words.py --control   plant every form in a file of every kind and see that it is found

C++, Python and JavaScript are checked in comments, strings and names of tests only, other files as a
whole. Spelling is American; identifiers, options, code in backticks and fenced blocks are exempt.
"""

import argparse
import io
import re
import sys
import tempfile
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCOPE = [
    "src",
    "include",
    "tests",
    "bench",
    "scripts",
    "python",
    "web",
    "docs",
    "examples",
    "studies",
    "cmake",
    "requirements",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "CMakeLists.txt",
]
# Folders that still have banned forms and do not fail the test. The aim is an empty list.
NOT_YET: list[str] = []
SKIPPED = ("node_modules", "__pycache__", "build", "dist", "package-lock.json")
KINDS = {
    ".h": "code",
    ".cpp": "code",
    ".def": "code",
    ".in": "code",
    ".js": "code",
    ".mjs": "code",
    ".ts": "code",
    ".py": "python",
    ".pyi": "python",
    ".md": "document",
    ".toml": "text",
    ".txt": "text",
    ".html": "text",
    ".css": "text",
    ".cmake": "text",
    ".sh": "text",
    "": "text",
}

# (file, words around the form, why it may stay)
EXCEPTIONS = [
    ("tests/package/words.py", "", "the list itself"),
    ("src/agents/settings/old_names.cpp", "Renamed{", "former names of settings"),
    ("tests/envs/remote/python_test.cpp", "colour=blue", "an unknown option"),
    ("tests/cli/study/stats_test.cpp", '"nobody"', "an unknown method"),
    (
        "docs/benchmarks.md",
        "from the exact law",
        "a label in bench/results/replay.json until it is measured again",
    ),
]

# "is no longer", "is no faster" are English; "is no ledger" makes a reader translate.
COMPARED = "longer|more|less|better|worse|faster|slower|larger|smaller|greater|later|earlier|fewer|wider|higher|lower"
# rule, pattern ("_" is any white space), what to say instead
FORMS = [
    ("somebody", r"(some|no|every|any)body", "the caller, the user, another process"),
    ("whoever", r"whoever|whosoever", "the caller, the user, a program that"),
    ("is none", r"(is|are|was|were|be)_none", "NaN, not finite, missing, empty, does not exist"),
    ("goes on", r"(go|goes|went|gone|going)_on", "continue, resume"),
    (
        "is no",
        rf"(?<!there_)(?<!There_)(is|are|was|were)_no(?!_({COMPARED})\b)",
        "is not a; X must be",
    ),
    ("it is at least", r"(it|they)_(is|are)_at_(least|most)", "X must be at least 1, got 0"),
    ("for machines", r"for_machines", "print JSON"),
    (
        "taken up",
        r"(take|takes|taken|took)_up_again|(broken|break|breaks|broke)_off",
        "resume, interrupt, stop",
    ),
    ("law", r"(?<!power_)(?<!power-)laws?(?!_of_large)", "distribution"),
]
SPELLING = re.compile(
    r"\b(?P<british>(?:mis)?behaviou?r(?<=iour)\w*|colou?r(?<=our)\w*|neighbou?r(?<=our)\w*|favou?r(?<=our)\w*"
    r"|honou?r(?<=our)\w*|labou?r(?<=our)\w*|centre[sd]?|metres?|licences?|grey\w*|artefacts?|defence|programmes?"
    r"|whilst|fulfil|analys(?:e|ed|ing)"
    r"|(?:un|re|de)?(?:normal|optim|initial|serial|summar|organ|recogn|minim|maxim|general|priorit|util|visual|synchron"
    r"|vector|real|random|discret|quant|penal|equal|parametr|parameter|standard|central|local|special|custom|memor|final"
    r"|factor|linear|character|categor|stabil|regular|token|material|parallel|emphas|critic|apolog|econom|modern|author"
    r")is(?:e|es|ed|er|ers|ing|able|ation|ations))\b",
    re.IGNORECASE,
)


def compiled(pattern):
    """Words with any white space between them, in either case, but not Python's `is None`."""
    pattern = pattern.replace("(?<!there_)(?<!There_)", r"(?<!there\s)(?<!There\s)")
    pattern = pattern.replace("(?<!power_)", r"(?<!power\s)").replace("_", r"\s+")
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


RULES = [(name, compiled(pattern), instead) for name, pattern, instead in FORMS]
PYTHON_NONE = re.compile(r"\bNone\b")
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>\w*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`'
    r"|'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
TEST_NAME = re.compile(
    r"\bTEST\w*\(\w+,\s*(\w+)\)|^\s*def (test_\w+)|\b(?:test|it|describe)\((?=['\"])", re.MULTILINE
)
CODE = "\x01"  # stands for a character of code


def blank(text):
    """Code, character by character: line ends and blanks stay."""
    return "".join(letter if letter.isspace() else CODE for letter in text)


def only_prose(text, pieces):
    """The text with everything outside the pieces (start, end, prose) blanked."""
    out, last = [], 0
    for start, end, prose in pieces:
        out += [blank(text[last:start]), prose]
        last = end
    return "".join([*out, blank(text[last:])])


def prose_of_code(text):
    """Comments and strings of C++ or JavaScript; quotes and comment marks become blanks."""
    pieces = []
    for token in TOKEN.finditer(text):
        word = token.group()
        if word.startswith(("//", "/*")):
            prose = re.sub(r"^//+|^/\*+|\*/$", lambda m: " " * len(m.group()), word)
            prose = re.sub(r"(?m)^(\s*)\*", r"\1 ", prose)
        elif word.startswith('R"'):
            head = word.index("(") + 1
            prose = (
                " " * head + word[head : word.rindex(")")] + " " * (len(word) - word.rindex(")"))
            )
        else:
            prose = " " + word[1:-1] + " "
            prose = prose.replace("\\n", "  ").replace('\\"', "  ")
            if word.startswith("`"):
                prose = re.sub(r"\$\{[^{}]*\}", lambda m: blank(m.group()), prose)
        pieces.append((token.start(), token.end(), prose))
    return only_prose(text, pieces)


def prose_of_python(text):
    """Comments and strings of Python."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    pieces = []
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type not in kinds:
                continue
            start = starts[token.start[0] - 1] + token.start[1]
            end = starts[token.end[0] - 1] + token.end[1]
            prose = text[start:end]
            if token.type == tokenize.COMMENT:
                prose = " " + prose[1:]
            elif token.type == tokenize.STRING:
                quotes = re.match(r"[a-zA-Z]*(\"\"\"|'''|\"|')", prose)
                length = len(quotes.group(1))
                head = len(quotes.group())
                prose = " " * head + prose[head:-length] + " " * length
                prose = prose.replace("\\n", "  ")
            pieces.append((start, end, prose))
    except (tokenize.TokenError, IndentationError):
        return text
    return only_prose(text, pieces)


def words_of_name(name):
    """A test's name as words: `RunThatIsNone` and `test_run_that_is_none` both as `run that is none`."""
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name.replace("_", " "))).lower()


def spelled(text, kind):
    """(offset, word) of British words in prose; identifiers and code in backticks are exempt."""
    if kind == "document":
        for fenced in (r"^```.*?^```", r"`[^`\n]+`", r"\]\([^)\n]*\)"):
            text = re.sub(fenced, lambda m: blank(m.group()), text, flags=re.DOTALL | re.MULTILINE)
    for found in SPELLING.finditer(text):
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 2]
        if before in ("`", "-", "_", "/", ".", "=") or after[:1] in ("`", "_", "=", "(", "/"):
            continue
        if re.match(r"[.-]\w", after) or (
            kind == "text" and re.match(r"\s*=", text[found.end() :][:3])
        ):
            continue
        # A name in a type of JSDoc: `colour: string`, `@param {string} colour`.
        if kind == "code" and (
            re.match(r"\??: (string|number|boolean)\b", text[found.end() :][:12])
            or re.search(r"@param \{[^}\n]*\} $", text[: found.start()][-80:])
        ):
            continue
        line = text[text.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0]
        if kind in ("code", "python") and line.replace(CODE, " ").split() == [found.group()]:
            continue  # a string of one word: a key, an option's value
        yield found.start(), found.group()


def kind_of(path):
    return KINDS.get(path.suffix if path.name != "CMakeLists.txt" else ".txt")


def findings(path, name):
    """(line, rule, words, what to say) for one file."""
    kind = kind_of(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    if kind == "code":
        prose = prose_of_code(text)
    elif kind == "python" or (kind == "text" and text.startswith("#!/usr/bin/env python")):
        prose = prose_of_python(text)
    else:
        prose = text
    found = []
    # Case matters for none: `is None` is Python.
    hidden = PYTHON_NONE.sub(CODE * 4, prose)
    for rule, pattern, instead in RULES:
        for match in pattern.finditer(hidden):
            found.append((match.start(), rule, match.group(), instead))
    for test in TEST_NAME.finditer(text):
        title = words_of_name(test.group(1) or test.group(2) or "")
        for rule, pattern, instead in RULES:
            if match := pattern.search(title):
                found.append((test.start(), rule, match.group(), instead))
    found += [
        (start, "spelling", word, "American spelling") for start, word in spelled(prose, kind)
    ]
    lines = text.splitlines()
    result = []
    for start, rule, words, instead in sorted(found):
        number = text.count("\n", 0, start) + 1
        near = " ".join(lines[number - 1 : number + 1])
        if any(name == file and part in near for file, part, _ in EXCEPTIONS):
            continue
        result.append((number, rule, " ".join(words.split()), instead))
    return result


def files_of(root, scope):
    for entry in scope:
        place = root / entry
        paths = [place] if place.is_file() else sorted(place.rglob("*")) if place.is_dir() else []
        for path in paths:
            relative = path.relative_to(root)
            if any(part in SKIPPED for part in relative.parts) or path.is_symlink():
                continue
            if path.is_file() and kind_of(path) and "fixtures" not in relative.parts:
                if path.suffix != "" or path.read_bytes()[:2] == b"#!":
                    yield path, relative.as_posix()


def complaints_about(root, scope, without=()):
    return [
        f"{name}:{number}: '{words}' ({rule}); say: {instead}"
        for path, name in files_of(root, scope)
        if not any(name == left or name.startswith(left + "/") for left in without)
        for number, rule, words, instead in findings(path, name)
    ]


def count(root):
    """Folders (two levels of src, tests and docs) against rules."""
    names = [rule for rule, _, _ in FORMS] + ["spelling"]
    table = {}
    for path, name in files_of(root, SCOPE):
        parts = name.split("/")
        folder = "/".join(parts[:2]) if len(parts) > 2 else parts[0] if len(parts) == 2 else name
        counts = table.setdefault(folder, Counter())
        for _, rule, _, _ in findings(path, name):
            counts[rule] += 1
    total = Counter()
    print("  ".join([f"{'folder':24}", *(f"{name:>14}" for name in names), f"{'all':>6}"]))
    for folder, counts in sorted(table.items()):
        total += counts
        cells = [f"{counts[name] or '':>14}" for name in names]
        if counts:
            print("  ".join([f"{folder:24}", *cells, f"{sum(counts.values()):>6}"]))
    cells = [f"{total[name]:>14}" for name in names]
    print("  ".join([f"{'all':24}", *cells, f"{sum(total.values()):>6}"]))


# One sentence per form, and sentences that must pass.
PLANTED = {
    "somebody": "Somebody reads it.",
    "whoever": "for whoever waits",
    "is none": "a number that is none",
    "goes on": "the run goes on",
    "is no": "a file that is no ledger",
    "it is at least": "steps is 0; it is at least 1",
    "for machines": "print JSON, for machines",
    "taken up": "a run that is taken up again",
    "law": "the law of the ages",
    "spelling": "the behaviour of a normalised colour",
}
ALLOWED = [
    "There is no file. The run is no longer there, and it is no slower.",
    "a power law of the age, and the law of large numbers",
    "`normalise` and --normalise stay, and normalised_score too",
]
WRAPS = {
    "planted.cpp": ("// {}\n", 'const char* text = "{}";\n', "/* one\n * {} */\n"),
    "planted.py": ("# {}\n", 'text = "{}"\n', 'def f():\n    """{}"""\n'),
    "planted.js": ("// {}\n", "const text = `{}`;\n"),
    "planted.md": ("{}\n", "- {}\n"),
    "planted.toml": ("# {}\n",),
    "planted.sh": ("# {}\n",),
}


def controls():
    complaints = []
    with tempfile.TemporaryDirectory() as folder:

        def rules(file, text):
            path = Path(folder) / file
            path.write_text(text, encoding="utf-8")
            return {rule for _, rule, _, _ in findings(path, file)}

        for file, wraps in WRAPS.items():
            for wrap in wraps:
                for rule, sentence in PLANTED.items():
                    if rule not in rules(file, wrap.format(sentence)):
                        complaints.append(f"{file}: '{wrap.format(sentence)}' is not found")
                for sentence in ALLOWED:
                    if seen := rules(file, wrap.format(sentence)):
                        complaints.append(f"{file}: '{sentence}' is refused as {seen}")
        # Across the end of a line, in names of tests, and not in code.
        for file, text, expected in [
            ("a.cpp", "// the run goes\n// on\n", {"goes on"}),
            ("a.cpp", 'f("the run goes "\n  "on");\n', {"goes on"}),
            ("a.cpp", "TEST(Run, ANumberThatIsNoneStopsTheRun) {}\n", {"is none"}),
            ("a.py", "def test_that_nobody_waits():\n    pass\n", {"somebody"}),
            ("a.py", "law = 1 if x is None else 2\n", set()),
            ("a.cpp", "const double law = colour(normalise);\n", set()),
        ]:
            if (seen := rules(file, text)) != expected:
                complaints.append(f"{file}: '{text}' gives {seen}, not {expected}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--compiler", help="ignored; package tests are called alike")
    parser.add_argument("--control", action="store_true", help="planted forms must be found")
    parser.add_argument("--count", action="store_true", help="forms per folder and rule")
    parser.add_argument("--list", metavar="DIR", nargs="+", help="occurrences in folders or files")
    arguments = parser.parse_args()
    if arguments.count:
        count(arguments.root)
        return
    if arguments.control:
        complaints = controls()
    else:
        scope, without = (arguments.list, ()) if arguments.list else (SCOPE, NOT_YET)
        complaints = complaints_about(arguments.root, scope, without)
    print("\n".join(complaints) if complaints else "nothing to complain about")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
