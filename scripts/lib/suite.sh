# scripts/lib/suite.sh - what every file in scripts/suites begins with. Sourced, not run.
#
# A suite does its own set-up, runs, appends "passed failed skipped" lines to the file $MNEME_COUNTS and exits non-zero
# if anything failed. scripts/test adds the lines up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/lib/say.sh
. scripts/lib/setup.sh
. scripts/lib/files.sh

results=$PWD/build/results
mkdir -p "$results"
counts=${MNEME_COUNTS:-/dev/null}

# check WHAT COMMAND...: one test case, passed if COMMAND is; remembers a failure and goes on.
all_passed=true
check() {
  if quietly "$@"; then
    echo 1 0 0 >>"$counts"
  else
    echo 0 1 0 >>"$counts"
    all_passed=false
  fi
}

# cases KIND FILE WHAT COMMAND...: COMMAND runs many test cases and reports them in FILE, see count.py.
cases() {
  local kind=$1 file=$2 status=0
  shift 2
  rm -f "$file"
  quietly "$@" || status=$?
  if [[ -e "$file" ]]; then
    python3 scripts/lib/count.py "$kind" "$file" >>"$counts" || status=1
  else
    status=1  # it died before it could report
  fi
  ((status == 0)) || all_passed=false
}

finish() { $all_passed; }
