#!/usr/bin/env bash
# scripts/suites/python.sh [slow] - the Python package: pip install . into an environment of its own, then its tests.
#
# The usual run needs no torch. `slow` adds the tests against the real packages that the adapters are for (torch, two
# gigabytes) and the long ones.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
own=$PWD/.venv-python
setup_package "$own" || exit 1
options=()
if [[ ${1:-} == slow ]]; then
  setup_peers "$own" || exit 1
  options=(-m "slow or not slow")
fi
export PATH=$PWD/build/release/bin:$PATH  # the tool, where the release suite has built it
cases junit "$results/python.xml" "python tests" "$own/bin/python" -m pytest -q -p no:cacheprovider \
  --junit-xml="$results/python.xml" "${options[@]}" python/tests
finish
