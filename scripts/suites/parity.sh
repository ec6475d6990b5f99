#!/usr/bin/env bash
# scripts/suites/parity.sh - native environments against the real dm_control: whole episodes, every task; returns of
# random policies. Minutes.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_build
setup_mujoco
quietly "configure" cmake --preset release
quietly "build" cmake --build --preset release -j "$jobs" --target mneme_tool

# An environment of its own: it has versions of other packages that the rest need not agree with.
venv=$PWD/.cache/dm_control
mkdir -p .cache
setup_python dm_control
check "whole episodes, every task" "$venv/bin/python" tests/envs/parity.py --tool build/release/bin/mneme
check "returns of random policies" "$venv/bin/python" tests/envs/parity.py --tool build/release/bin/mneme --returns 12 \
  dmc/pendulum-swingup dmc/cartpole-swingup dmc/reacher-easy dmc/cheetah-run dmc/walker-run dmc/hopper-stand \
  dmc/finger-spin dmc/fish-swim dmc/humanoid-stand dmc/quadruped-walk
finish
