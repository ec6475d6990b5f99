#!/usr/bin/env bash
# scripts/suites/format.sh - layout of C++, Python and shell files, with tools of fixed versions.
. "$(dirname "${BASH_SOURCE[0]}")/../lib/suite.sh"
setup_python lint

mapfile -t cpp < <(cpp_files)
mapfile -t python < <(python_files)
mapfile -t shell < <(shell_files)

check "clang-format, ${#cpp[@]} files" "$venv/bin/clang-format" --dry-run --Werror "${cpp[@]}"
check "ruff, ${#python[@]} files" "$venv/bin/ruff" check --no-cache "${python[@]}"
check "ruff format" "$venv/bin/ruff" format --no-cache --check --diff "${python[@]}"
check "shellcheck, ${#shell[@]} files" "$venv/bin/shellcheck" "${shell[@]}"
finish
