#!/usr/bin/env bash
# scripts/suites/fuzz.sh - every tests/fuzz/*_fuzz.cpp for MNEME_FUZZ_SECONDS seconds (600 unless set), with libFuzzer.
#
# It starts from tests/fuzz/corpus/NAME and keeps what it finds in build/fuzz/corpus/NAME; an input that breaks the
# target is left in build/fuzz/found/.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
if ! compgen -G 'tests/fuzz/*_fuzz.cpp' >/dev/null; then
  say "  tests/fuzz has no *_fuzz.cpp"
  exit 0
fi
setup_build
setup_system fuzz
time_each=${MNEME_FUZZ_SECONDS:-600}

quietly "configure" cmake --preset fuzz
quietly "build" cmake --build --preset fuzz -j "$jobs"
mkdir -p build/fuzz/found
for source in tests/fuzz/*_fuzz.cpp; do
  target=$(basename "$source" .cpp)
  name=${target%_fuzz}
  mkdir -p "build/fuzz/corpus/$name"
  corpora=("build/fuzz/corpus/$name")
  [[ -d tests/fuzz/corpus/$name ]] && corpora+=("tests/fuzz/corpus/$name")
  check "$target, $time_each s" "build/fuzz/bin/$target" -max_total_time="$time_each" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/found/$target-" "${corpora[@]}"
done
finish
