#!/usr/bin/env bash
# scripts/suites/docs.sh - the documentation site: it builds, and every link and anchor in it exists.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"

# Broken links between the sources, and pages that no section has, stop the build.
check "documentation site" scripts/docs
check "links and anchors" python3 tests/docs/site_test.py out/site
check "planted faults" python3 tests/docs/site_test.py out/site --control
finish
