#!/usr/bin/env bash
# scripts/suites/web.sh - the page template and the tests of its JavaScript, which need no browser.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_explorer || true  # its tests say that they are skipped
setup_web
[[ -e web/package.json ]] || exit 0

run_node_tests() { (cd web && node --test --test-reporter=tap test/*.test.js) | tee "$results/web.tap"; }

if grep -q '"check":' web/package.json; then check "type check" npm --prefix web run check; fi
cases tap "$results/web.tap" "node tests" run_node_tests
finish
