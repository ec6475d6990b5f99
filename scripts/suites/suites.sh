#!/usr/bin/env bash
# scripts/suites/suites.sh - Meta-World and MyoSuite, installed as by a user and checked; every task compared with the package
# stepped directly, bit for bit. 850 MB of packages; takes minutes.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
setup_mujoco
setup_peer worker
quietly "configure" cmake --preset release
quietly "build" cmake --build --preset release -j "$jobs" --target mneme_tool

export MNEME_SUITES=$PWD/.cache/suites
tool=build/release/bin/mneme
for name in gym metaworld myo; do
  [[ -e $MNEME_SUITES/$name/interpreter ]] || check "mneme envs install $name" "$tool" envs install "$name"
  check "mneme envs doctor $name --check" "$tool" envs doctor "$name" --check
done
for name in metaworld myo; do
  check "every task of $name against the package, bit for bit" .cache/worker/bin/python tests/envs/suites_parity.py \
    "$name" --tool "$tool" --python "$(<"$MNEME_SUITES/$name/interpreter")"
done
finish
