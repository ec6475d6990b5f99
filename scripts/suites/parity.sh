#!/usr/bin/env bash
# scripts/suites/parity.sh - native environments against dm_control: whole episodes of every task, returns of random
# policies. Takes minutes.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
setup_mujoco
quietly "configure" cmake --preset release
quietly "build" cmake --build --preset release -j "$jobs" --target mneme_tool

setup_peer dm_control
python=.cache/dm_control/bin/python
check "whole episodes, every task" "$python" tests/envs/parity.py --tool build/release/bin/mneme
# The rows in bench/results are those of this command; scripts/readme_tables puts them into docs/envs.md.
check "returns of random policies" "$python" tests/envs/parity.py --tool build/release/bin/mneme --returns 16 \
  --json "$results/returns.json"
finish
