"""scripts/lib/site_pages.py - the pages of the documentation site, and its navigation, in build/site.

Copies docs/ and the Markdown files that it links to, moves their links along, and makes the reference: every command from
its --help, every public header from its comments. A link to a file that is not there is an error. Run by scripts/docs.
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "build/site"
PAGES = OUT / "pages"

# Files outside docs/ that are pages of the site, and where. Agents' pages are found by pattern.
OUTSIDE = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}

# The navigation: sections, then pages in order. "+" stands for the pages of that folder which are named nowhere. A page
# that does not exist is left out here; a link to it is an error.
NAVIGATION = {
    "Home": ["index.md"],
    "Start": [
        "start/python.md",
        "start/researcher.md",
        "start/cpp.md",
        "start/cluster.md",
        "start/contributor.md",
        "start/+",
    ],
    "Explorer": ["explorer.md"],
    "Concepts": [
        "replay.md",
        "samplers.md",
        "priorities.md",
        "diagnostics.md",
        "stats.md",
        "glossary.md",
        "errata.md",
    ],
    "Python": ["python/index.md", "python/+"],
    "C++": ["cpp.md", "formats.md"],
    "Laboratory": [
        "studies.md",
        "reports.md",
        "clusters.md",
        "envs.md",
        "suites/index.md",
        "suites/+",
        "agents.md",
        "agents/+",
    ],
    "Results": ["results/index.md", "results/+", "benchmarks.md"],
    "Reference": ["reference/index.md", "reference/cli.md", "python/api.md", "reference/cpp/+"],
    "Project": [
        "design.md",
        "contributing.md",
        "changelog.md",
        "security.md",
        "decisions/index.md",
        "decisions/+",
        "+",
    ],
}

FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
HTML_LINK = re.compile(r"((?:src|srcset|href)=\")([^\"]+)(\")")


def title_of(page):
    """The first heading of a page."""
    found = re.search(r"^# (.+)$", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]).strip() if found else page


# ---- links --------------------------------------------------------------------------------------


def places(root):
    """Where every file of the repository that has a page stands in the site."""
    found = {f"docs/{path.relative_to(root / 'docs')}": str(path.relative_to(root / "docs"))
             for path in sorted((root / "docs").rglob("*")) if path.is_file()}  # fmt: skip
    found |= {name: page for name, page in OUTSIDE.items() if (root / name).exists()}
    for path in sorted((root / "src/agents").glob("*/README.md")):
        found[str(path.relative_to(root))] = f"agents/{path.parent.name}.md"
    for path in sorted((root / "include/mneme").glob("*.h")):
        found[f"include/mneme/{path.name}"] = f"reference/cpp/{path.stem}.md"
    return found


def moved_target(root, source, page, target, where, complaints):
    """The link target of a page of the site, or None where the site has no such page: then the words stay."""
    if re.match(r"[a-z]+:|#", target):
        return target
    path, _, anchor = target.partition("#")
    wanted = os.path.normpath(os.path.join(os.path.dirname(source), path))
    if not (root / wanted).exists():
        complaints.append(f"{source}: links to {target}, which does not exist")
        return None
    if (root / wanted).is_dir():
        wanted = next((f"{wanted}/{name}" for name in ("index.md", "README.md")
                       if f"{wanted}/{name}" in where), f"{wanted}/")  # fmt: skip
        if wanted == "docs/decisions/":
            where = {**where, wanted: "decisions/index.md"}
    if wanted not in where:
        return None
    moved = os.path.relpath(where[wanted], os.path.dirname(page) or ".")
    return f"{moved}#{anchor}" if anchor else moved


def moved_links(root, source, page, text, where, complaints):
    """A page's text with its links as they must be in the site; those in code blocks are left."""

    def in_prose(prose):
        def markdown(match):
            before, target, after = match.groups()
            moved = moved_target(root, source, page, target, where, complaints)
            if moved is None:  # a file of the repository without a page: its name stays, as code
                words = before.lstrip("!")[1:-2]
                return words if words.startswith("`") else f"{words} (`{target}`)"
            return before + moved + after

        def markup(match):
            before, target, after = match.groups()
            moved = moved_target(root, source, page, target, where, complaints)
            return before + (moved or target) + after

        return HTML_LINK.sub(markup, LINK.sub(markdown, prose))

    out, end = [], 0
    for fence in FENCE.finditer(text):
        out += [in_prose(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*out, in_prose(text[end:])])


# ---- reference: the tool ------------------------------------------------------------------------


def help_of(tool, *words):
    run = subprocess.run([tool, *words, "--help"], check=True, capture_output=True, text=True)
    return run.stdout


def subcommands(text):
    """Names and one-line descriptions that a help text lists under Subcommands."""
    found = re.search(r"^Subcommands:\n((?:  .*\n|\n(?=  \S))*)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)(?: {2,}(.*))?$", found[1], re.MULTILINE) if found else []


def command_line_page(tool):
    top = help_of(tool)
    lines = [
        "# Command line",
        "",
        "Every command of `mneme`, from its `--help`. Numbers may be written 1000000, 1e6, 1M or 51.2k, ratios 1/8.",
        "Exit codes: 0 done, 1 failed (file, machine), 2 wrong usage (option, name, value); see also each command.",
        "",
    ]

    def section(words, depth):
        """The lines of a command and of its subcommands."""
        text = help_of(tool, *words)
        children = [name for name, _ in subcommands(text)]
        usage = f"Usage: {' '.join(['mneme', *words])} "
        text = re.sub(r"^Usage: mneme \S+ ", usage, text, flags=re.MULTILINE)
        # without the options that every command has
        text = re.sub(r"^  (-h,--help|--help-all) .*\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^Options:\n(?=\n|\Z)", "", text, flags=re.MULTILINE)
        heading = "#" * depth + f" mneme {' '.join(words)}"
        below = [section([*words, name], depth + 1) for name in children]
        return [heading, "", "```text", text.strip(), "```", ""] + [
            line for child in below for line in child
        ]

    names = [name for name, _ in subcommands(top)]
    if len(names) < 10:
        sys.exit(f"site_pages.py: {tool} --help lists {len(names)} commands; is it the tool?")
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda name: section([name], 2), names):
            lines += found
    return "\n".join(lines)


# ---- reference: headers -------------------------------------------------------------------------


def prose_of(comment):
    """Comment lines as Markdown: lines indented by three or more blanks are code."""
    out, code = [], False
    for line in comment:
        text = re.sub(r"^\s*///?<? ?", "", line)
        indented = text.startswith("  ")
        if indented and not code:
            out += ["", "```cpp"]
        elif code and not indented and text.strip():
            out += ["```", ""]
        code = indented or (code and not text.strip())
        out.append(
            text[2:]
            if indented
            else html.escape(text, quote=False).replace("_", "\\_")
            if "`" not in text
            else text
        )
    return "\n".join([*out, *(["```"] if code else [])]).strip()


TYPE = re.compile(r"(class|struct|enum class) \w+[^;]*\{")


def declarations(lines):
    """(documentation, declaration) of every type at namespace level, and of all else that has a `///` comment."""
    comment, found, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("///"):
            comment.append(line)
        elif (comment or TYPE.match(line)) and line.strip() and not line.startswith(("//", "#")):
            begin, depth = i, 0
            while i < len(lines):
                code = re.sub(r'//.*|"(?:\\.|[^"])*"', "", lines[i])
                depth += code.count("{") - code.count("}")
                if depth <= 0 and re.search(r"[;}]\s*$", code.rstrip()):
                    break
                i += 1
            found.append((comment, lines[begin : i + 1]))
            comment = []
        else:
            comment = []
        i += 1
    return found


def name_of(declaration):
    text = " ".join(line.split("//")[0] for line in declaration)
    text = re.sub(r"template <.*?>\s+(?=class|struct|inline|constexpr|\w)", "", text)
    kind = re.match(r"\s*(class|struct|enum class|using|concept)\s+(\w+)", text)
    if kind:
        return kind[2]
    function = re.search(r"(\w+)\s*\(", text) or re.search(r"(\w+)\s*(?:=|\{|;)", text)
    return function[1] if function else "declaration"


def header_page(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    first = re.match(r"// mneme/\S+ - (.*)", lines[0])
    top = []
    for line in lines[1:]:
        if not line.startswith("//"):
            break
        top.append(line)
    phrase = first[1] if first else ""
    # the phrase may continue on the next lines, up to an empty one
    while top and top[0].strip("/ "):
        if top[0].startswith("//   "):
            break
        phrase += " " + top.pop(0).strip("/ ")
    out = [f"# {path.name}", "", f"`#include <mneme/{path.name}>`", ""]
    out += [html.escape(phrase[:1].upper() + phrase[1:], quote=False), "", prose_of(top), ""]
    used = {}
    for comment, declaration in declarations(lines):
        name = name_of(declaration)
        used[name] = used.get(name, 0) + 1
        out += [f"## {name}" if used[name] == 1 else f"## {name} ({used[name]})", ""]
        out += [prose_of(comment), "", "```cpp", *declaration, "```", ""]
    return "\n".join(out)


# ---- everything ---------------------------------------------------------------------------------


def navigation(pages):
    """The nav of mkdocs: NAVIGATION with its patterns filled in. Every page stands in it exactly once."""
    named = {name for names in NAVIGATION.values() for name in names if name in pages}
    left = [page for page in sorted(pages) if page not in named]
    nav = []
    for section, names in NAVIGATION.items():
        entries = []
        for name in names:
            if name in pages:
                entries.append(name)
            elif name.endswith("+"):
                # Folders that are named elsewhere keep their pages; the last "+" takes the rest.
                folder = name[:-1]
                mine = [p for p in left if not folder or os.path.dirname(p) + "/" == folder]
                entries += mine
                left = [page for page in left if page not in mine]
        if section in ("Home", "Explorer") and len(entries) == 1:
            nav.append({section: entries[0]})
        elif entries:
            nav.append({section: [{title_of(page): page} for page in entries]})
    return nav


def explorer_page(built):
    words = [
        "# Explorer",
        "",
        "The explorer shows what a replay sampler does to the data: how often each age is drawn, how long a new",
        "transition waits, what recency costs in diversity. It runs the library's own C++ in the browser, compiled to",
        "WebAssembly, without a server, and its numbers are those of `mneme inspect`.",
        "",
    ]
    if built:
        words += ["[Open the explorer](explorer.html){ .md-button .md-button--primary }", ""]
        words += ["As a file of its own:", ""]
    else:
        words += [
            "This copy of the site was built without Emscripten and has no explorer. To build one:",
            "",
        ]
    return "\n".join([*words, "```", "mneme explore -o explorer.html", "```", ""])


def build(root, tool):
    complaints = []
    shutil.rmtree(OUT, ignore_errors=True)
    PAGES.mkdir(parents=True)
    where = places(root)
    for source, page in where.items():
        target = PAGES / page
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".md"):
            text = (root / source).read_text(encoding="utf-8")
            target.write_text(
                moved_links(root, source, page, text, where, complaints), encoding="utf-8"
            )
        elif source.endswith(".h"):
            target.write_text(header_page(root / source), encoding="utf-8")
        else:
            shutil.copy(root / source, target)
    (PAGES / "reference").mkdir(exist_ok=True)
    (PAGES / "reference/cli.md").write_text(command_line_page(tool), encoding="utf-8")
    headers = sorted((PAGES / "reference/cpp").glob("*.md"))
    index = ["# Reference", "", "- [Command line](cli.md): every command with its options",
             "- [Python](../python/api.md): from the docstrings", "", "## C++ headers", ""]  # fmt: skip
    for page in headers:
        lines = page.read_text(encoding="utf-8").splitlines()
        index.append(f"- [mneme/{page.stem}.h](cpp/{page.name}): {lines[4]}")
    (PAGES / "reference/index.md").write_text("\n".join(index) + "\n", encoding="utf-8")
    decisions = sorted((PAGES / "decisions").glob("[0-9]*.md"))
    if decisions and not (PAGES / "decisions/index.md").exists():
        (PAGES / "decisions/index.md").write_text(
            "# Decisions\n\nOne page per choice: context, choice, what was rejected.\n\n"
            + "".join(
                f"- [{title_of(f'decisions/{page.name}')}]({page.name})\n" for page in decisions
            ),
            encoding="utf-8",
        )
    explorer = root / "web/dist/explorer.html"
    if explorer.exists():
        shutil.copy(explorer, PAGES / "explorer.html")
    (PAGES / "explorer.md").unlink(missing_ok=True)
    # explorer.md would become explorer.html, which is the explorer itself
    (PAGES / "explorer_page.md").write_text(explorer_page(explorer.exists()), encoding="utf-8")
    NAVIGATION["Explorer"] = ["explorer_page.md"]
    assets = PAGES / "assets"
    assets.mkdir(exist_ok=True)
    shutil.copy(root / "scripts/lib/site.css", assets / "site.css")
    shutil.copy(root / "web/node_modules/iframe-worker/shim/index.js", assets / "iframe-worker.js")
    shutil.copy(
        root / "web/node_modules/iframe-worker/LICENSE", assets / "iframe-worker.LICENSE.txt"
    )

    pages = {str(path.relative_to(PAGES)) for path in PAGES.rglob("*.md")}
    config = {
        "INHERIT": os.path.relpath(root / "mkdocs.yml", OUT),
        "docs_dir": "pages",
        "site_dir": os.path.relpath(root / "out/site", OUT),
        "nav": navigation(pages),
    }
    (OUT / "mkdocs.yml").write_text(json.dumps(config, indent=1), encoding="utf-8")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", type=Path, required=True, help="the mneme program")
    complaints = build(ROOT, parser.parse_args().tool.resolve())
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
