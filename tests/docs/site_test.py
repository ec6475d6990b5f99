"""tests/docs/site_test.py - the built documentation site: every link, anchor and file exists, nothing is fetched.

site_test.py SITE             checks it, prints one line per fault
site_test.py SITE --control   plants one fault of each kind in a copy and expects it to be found
"""

import argparse
import shutil
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SECTIONS = ["Start", "Explorer", "Concepts", "Python", "C++", "Laboratory", "Reference", "Project"]
WAYS_IN = ["python", "researcher", "cpp", "cluster", "contributor"]


class Page(HTMLParser):
    """The ids of a page, its links, and what it would load."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.text = set(), [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and given.get("name"):
            self.ids.add(given["name"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("script", "img", "source", "iframe", "video") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(given.get("href", ""))

    def handle_data(self, data):
        self.text.append(data.strip())


def check(site):
    pages = {
        path: Page(path) for path in sorted(site.rglob("*.html")) if path.name != "explorer.html"
    }
    if len(pages) < 40:
        return [f"{site}: {len(pages)} pages, expected at least 40; run scripts/docs"]
    complaints = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.loads:
            if urlsplit(target).scheme not in ("", "data"):
                complaints.append(f"{name}: loads {target} from another place")
        for target in page.links + page.loads:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            # the page of a missing address stands anywhere and links from the root
            origin = site if path.name == "404.html" else path.parent
            wanted = (origin / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if wanted.is_dir():
                wanted /= "index.html"
            if not wanted.exists():
                complaints.append(f"{name}: links to {target}, which does not exist")
            elif parts.fragment and wanted in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[wanted].ids and not anchor.startswith("__"):
                    complaints.append(f"{name}: links to {target}, which has no such anchor")
    home = pages[site / "index.html"]
    for section in SECTIONS:
        if section not in home.text:
            complaints.append(f"index.html: the section {section} is missing")
    for way in WAYS_IN:
        if f"start/{way}.html" not in home.links:
            complaints.append(f"index.html: no link to start/{way}.html")
    return complaints


def controls(site):
    """One fault of each kind, planted in a copy."""
    complaints = []
    for what, old, new in [
        ("a missing page", "</body>", '<a href="nowhere.html">x</a></body>'),
        ("a missing anchor", "</body>", '<a href="samplers.html#nowhere">x</a></body>'),
        ("a missing picture", "</body>", '<img src="nowhere.svg"></body>'),
        ("a request", "</body>", '<script src="https://example.org/x.js"></script></body>'),
        ("a missing way in", "start/cluster.html", "start/python.html"),
    ]:
        with tempfile.TemporaryDirectory(prefix="mneme-site-") as folder:
            copy = Path(folder) / "site"
            shutil.copytree(site, copy)
            page = copy / "index.html"
            page.write_text(page.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
            if not check(copy):
                complaints.append(f"the check does not see {what}")
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--control", action="store_true")
    arguments = parser.parse_args()
    site = arguments.site.resolve()
    complaints = controls(site) if arguments.control else check(site)
    print("\n".join(complaints))
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
