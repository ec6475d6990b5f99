#!/usr/bin/env bash
# scripts/suites/cpp.sh PRESET [CTEST-OPTION...] - configure, build and test one preset of CMakePresets.json.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
setup_mujoco
setup_torch
preset=$1
shift
# Runs the environments of tests/envs/remote.
setup_peer worker
# Reads event files in the release suite.
if [[ $preset == release ]]; then setup_peer tensorboard; fi

# ThreadSanitizer of GCC 12 fails with the address randomization of newer kernels.
calm=()
if [[ $preset == tsan ]] && setarch -R true 2>/dev/null; then calm=(setarch -R); fi

export UBSAN_OPTIONS=print_stacktrace=1
quietly "configure" cmake --preset "$preset"
quietly "build" "${calm[@]}" cmake --build --preset "$preset" -j "$jobs"
cases junit "$results/$preset.xml" "tests" "${calm[@]}" ctest --preset "$preset" -j "$jobs" --timeout 900 \
  --output-junit "$results/$preset.xml" "$@"
finish
