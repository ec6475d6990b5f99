#!/usr/bin/env bash
# scripts/suites/python.sh - the tests of the Python package.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
if [[ ! -d python/tests ]]; then
  say "  python/tests does not exist yet"
  exit 0
fi
setup_python test

export PYTHONPATH=$PWD/python${PYTHONPATH:+:$PYTHONPATH}
cases junit "$results/python.xml" "python tests" "$venv/bin/python" -m pytest -q -p no:cacheprovider \
  --junit-xml="$results/python.xml" python/tests
finish
