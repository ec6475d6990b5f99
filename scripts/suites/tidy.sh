#!/usr/bin/env bash
# scripts/suites/tidy.sh - clang-tidy over every file the release preset compiles; one test case per file.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
setup_mujoco
setup_python tidy
quietly "configure" cmake --preset release

# The commands are those of GCC, which has warnings that clang does not know. One file per process; each writes its log
# and, if clean, a file NAME.clean.
logs=$results/tidy
rm -rf "$logs"
mkdir -p "$logs"
export logs venv
# shellcheck disable=SC2016  # the quoted script expands its variables itself
tidy_all() {
  mapfile -t files < <(python3 -c 'import json; print(*sorted({e["file"] for e in json.load(open("build/release/compile_commands.json"))}), sep="\n")')
  printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -I{} bash -c '
    log=$logs/$(echo "${1#"$PWD/"}" | tr / _)
    "$venv/bin/clang-tidy" --quiet -p build/release --extra-arg=-Wno-unknown-warning-option "$1" >"$log" 2>&1 && touch "$log.clean" || cat "$log"' _ {}
  clean=$(find "$logs" -name '*.clean' | wc -l)
  echo "$clean of ${#files[@]} files are clean"
  echo "$clean $((${#files[@]} - clean)) 0" >>"$counts"
  ((clean == ${#files[@]} && clean > 0))
}
quietly "clang-tidy" tidy_all
