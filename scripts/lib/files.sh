# scripts/lib/files.sh - lists of the files that checks read. Sourced, not run, from the root of the repository.

# our_files PATTERN...: files with these names, without built and installed ones.
our_files() {
  local names=() pattern
  for pattern in "$@"; do names+=(-o -name "$pattern"); done
  find . \( -name node_modules -o -name '.?*' -o -name 'build*' -type d -o -path ./out -o -path ./runs -o -path ./web/dist \) \
    -prune -o -type f \( "${names[@]:1}" \) -print | LC_ALL=C sort
}

cpp_files() { our_files '*.cpp' '*.h'; }

# Commands have no extension and are recognized by their first line. Libraries end in .sh.
python_files() {
  our_files '*.py'
  grep -lE '^#!.*python' scripts/* .ci/* 2>/dev/null || true
}
shell_files() {
  our_files '*.sh'
  grep -lE '^#!.*bash' scripts/* .ci/* 2>/dev/null || true
}
