#!/usr/bin/env bash
# scripts/suites/page.sh - the pages in a real browser. Tests find it in MNEME_CHROMIUM.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
if ! compgen -G 'web/test/test_*.py' >/dev/null; then
  say "  web/test has no test_*.py"
  exit 0
fi
if ! setup_browser; then
  say "  skipped: Chromium not found. Install google-chrome (Ubuntu's chromium is a snap), or set MNEME_CHROMIUM to its path"
  echo 0 0 1 >>"$counts"
  exit 0
fi
setup_python test browser
setup_explorer || true  # its tests say that they are skipped
setup_web

cases junit "$results/page.xml" "page tests" "$venv/bin/python" -m pytest -q -p no:cacheprovider \
  --junit-xml="$results/page.xml" web/test
finish
