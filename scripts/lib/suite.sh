# scripts/lib/suite.sh - common start of the files in scripts/suites. Sourced, not run.
#
# A suite installs what it needs, runs, appends "passed failed skipped" lines to the file $MNEME_COUNTS and exits with
# non-zero if anything failed. scripts/test sums the lines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. scripts/lib/say.sh
. scripts/lib/setup.sh
. scripts/lib/files.sh

results=$PWD/build/results
mkdir -p "$results"
counts=${MNEME_COUNTS:-/dev/null}

# check WHAT COMMAND...: one test case, passed if COMMAND succeeds; a failure is recorded and the suite continues.
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
    status=1  # it exited without a report
  fi
  ((status == 0)) || all_passed=false
}

finish() { $all_passed; }
