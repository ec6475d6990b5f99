# scripts/lib/setup.sh - installation of everything the scripts need. Sourced, not run, from the root of the repository.
#
#   setup_system GROUP...   Debian or Ubuntu packages, listed just below
#   setup_python NAME...    requirements/NAME.txt into .venv
#   setup_package VENV      the Python package and what its tests need, in an environment of its own
#   setup_peers VENV        the packages that the adapters are for, with torch
#   setup_peer NAME         requirements/NAME.txt into .cache/NAME, for other implementations of environments and agents
#   setup_build             compiler, CMake and the C++ libraries
#   setup_mujoco            MuJoCo, and the dog of DeepMind Control, for the native environments
#   setup_torch             LibTorch, for the agents
#   setup_node, setup_web   node; the page template in web/dist
#   setup_explorer          the samplers as WebAssembly; false where Emscripten cannot be installed
#   setup_docs              what builds the documentation site, in an environment of its own
#   setup_browser           Chromium, for tests that look at pages
#
# The step that needs one calls it; it does nothing if its work is done. Failures return explicitly, because `set -e` is
# off inside a function whose result is tested.

# The only list of system packages. A group is what one kind of step needs.
declare -A system_packages=(
  [build]="g++ cmake ninja-build ccache libcli11-dev libtomlplusplus-dev libsqlite3-dev libcpp-httplib-dev libgtest-dev python3-venv ca-certificates"
  [browser]="chromium"
  [explorer]="emscripten"
  [fuzz]="clang-19 libclang-rt-19-dev llvm-19"
)

# A program of this name from elsewhere replaces the package.
declare -A provided_by=(
  [g++]=g++ [cmake]=cmake [ninja-build]=ninja [ccache]=ccache [chromium]=chromium [emscripten]=em++ [clang-19]=clang++-19
)

venv=$PWD/.venv
# shellcheck disable=SC2034  # used by the scripts that source this
jobs=${MNEME_JOBS:-$(nproc)}

have() { command -v "$1" >/dev/null 2>&1; }

package_present() {
  if [[ $1 == python3-venv ]]; then
    have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null
    return
  fi
  if [[ -n "${provided_by[$1]:-}" ]] && have "${provided_by[$1]}"; then return 0; fi
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# As root, else with sudo. Exit code 2: the machine lacks something that only root can install.
setup_system() {
  local group package missing=()
  for group in "$@"; do
    for package in ${system_packages[$group]}; do
      package_present "$package" || missing+=("$package")
    done
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ! have apt-get; then
    complain "apt-get is missing. Install the equivalents of these packages, then run the script again: ${missing[*]}"
    exit 2
  elif ((EUID != 0)); then
    # Without a terminal no password can be typed.
    as_root=(sudo)
    [[ -t 0 ]] || as_root=(sudo -n)
    if ! have sudo || ! "${as_root[@]}" true; then
      complain "System packages are missing and need root to install. Run this as root, then run the script again:"
      complain "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
      exit 2
    fi
  fi
  # Waits for another apt instead of failing; asks no questions.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600)
  quietly "package lists" "${apt[@]}" update || exit 2
  quietly "packages ${missing[*]}" "${apt[@]}" install --no-install-recommends "${missing[@]}" || exit 2
}

# The stamp of a requirement file is its hash: only an edited file is installed again.
pip_options=()
setup_python() {
  local name file stamp
  if ! "$venv/bin/python" -c '' 2>/dev/null; then
    rm -rf "$venv"  # missing, or made by a Python that was removed
    setup_system build
    quietly "python environment .venv" python3 -m venv "$venv" || return
  fi
  for name in "$@"; do
    file=requirements/$name.txt
    stamp=$venv/stamps/$name.$(sha256sum "$file" | cut -c1-16)
    [[ -e "$stamp" ]] && continue
    quietly "$file" "$venv/bin/python" -m pip --disable-pip-version-check install --quiet "${pip_options[@]}" -r "$file" || return
    mkdir -p "$venv/stamps"
    rm -f "$venv/stamps/$name".*
    touch "$stamp"
  done
}

# The package is built again when one of its sources has changed.
setup_package() {
  local where=$1 stamp state
  if ! "$where/bin/python" -c '' 2>/dev/null; then
    rm -rf "$where"
    quietly "python environment $(basename "$where")" python3 -m venv "$where" || return
  fi
  stamp=$where/.mneme-requirements state=$(sha256sum requirements/package.txt)
  if [[ "$(cat "$stamp" 2>/dev/null)" != "$state" ]]; then
    quietly "requirements/package.txt" "$where/bin/python" -m pip --disable-pip-version-check install --quiet \
      -r requirements/package.txt || return
    printf '%s' "$state" >"$stamp"
  fi
  stamp=$where/.mneme-package
  # As in sdist.exclude of pyproject.toml.
  local outside=() folder
  for folder in src/{agents,cli,explorer,ledger,os,report,run,study,suites,term} python/tests; do
    outside+=(! -path "$folder/*")
  done
  state=$(find pyproject.toml CMakeLists.txt cmake include src python -name __pycache__ -prune -o -type f \
    "${outside[@]}" -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
  if [[ "$(cat "$stamp" 2>/dev/null)" != "$state" ]]; then
    # With warnings as errors: the flags of the release preset, whose objects ccache then has.
    quietly "pip install ." "$where/bin/python" -m pip --disable-pip-version-check install --quiet \
      --config-settings=cmake.define.MNEME_WERROR=ON . || return
    printf '%s' "$state" >"$stamp"
  fi
}

# torch first and alone: any other order lets pip choose a build with gigabytes of libraries for graphics cards.
setup_peers() {
  local where=$1 stamp state
  stamp=$where/.mneme-peers state=$(sha256sum requirements/peers.txt)
  [[ "$(cat "$stamp" 2>/dev/null)" == "$state" ]] && return
  quietly "torch" "$where/bin/python" -m pip --disable-pip-version-check install --quiet \
    "$(grep '^torch==' requirements/peers.txt)" || return
  quietly "requirements/peers.txt" "$where/bin/python" -m pip --disable-pip-version-check install --quiet \
    -r requirements/peers.txt || return
  printf '%s' "$state" >"$stamp"
}

# A separate environment, because its packages need versions that conflict with others.
setup_peer() {
  local venv=$PWD/.cache/$1
  mkdir -p .cache
  setup_python "$1"
}

setup_build() {
  setup_system build
  # The presets need CMake 3.22; where the system's is older, PyPI has one.
  if ! version_at_least 3 22 "$(cmake --version)"; then
    setup_python cmake || return
    PATH=$venv/bin:$PATH
  fi
}

# version_at_least MAJOR MINOR TEXT: whether the first number like 1.2 in TEXT is at least MAJOR.MINOR.
version_at_least() {
  [[ "$3" =~ ([0-9]+)\.([0-9]+) ]] || return 1
  ((BASH_REMATCH[1] > $1 || (BASH_REMATCH[1] == $1 && BASH_REMATCH[2] >= $2)))
}

# Only libraries and files of the wheels are used, so their Python dependencies are not installed.
setup_mujoco() {
  local pip_options=(--no-deps)
  setup_python mujoco dog
}

setup_torch() {
  local pip_options=(--no-deps)
  setup_python torch
}

# Debian's npm depends on several hundred packages; where node is missing or old, PyPI's is one download.
setup_node() {
  if have node && have npm && version_at_least 18 0 "$(node --version)"; then return; fi
  setup_python node || return
  PATH=$venv/bin:$PATH
}

# Packages once per package-lock.json, the template once per state of web/.
setup_web() {
  if [[ ! -e web/package.json ]]; then
    say "  web/package.json is missing: no page template"
    return
  fi
  setup_node || return
  local lock=web/node_modules/.mneme-lock built=web/dist/.mneme-sources state
  state=$(sha256sum web/package-lock.json)
  if [[ "$(cat "$lock" 2>/dev/null)" != "$state" ]]; then
    quietly "npm packages of web/" npm --prefix web ci --no-audit --no-fund || return
    printf '%s' "$state" >"$lock"
  fi
  state=$({
    find web \( -name node_modules -o -path web/dist -o -name __pycache__ \) -prune -o -type f -print0
    if [[ -e build/explorer/core.wasm ]]; then printf 'build/explorer/core.wasm\0'; fi
  } | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
  if [[ "$(cat "$built" 2>/dev/null)" != "$state" ]]; then
    quietly "page template web/dist" npm --prefix web run build || return
    mkdir -p web/dist
    printf '%s' "$state" >"$built"
  fi
}

# Before setup_web, which puts it into the explorer's page. Without it everything else works.
setup_explorer() {
  if ! (setup_system explorer); then
    say "  no explorer: it needs Emscripten (apt-get install emscripten)"
    return 1
  fi
  quietly "samplers as WebAssembly" src/explorer/build
}

setup_docs() { setup_peer docs; }

# Finds a browser and exports MNEME_CHROMIUM; false if no browser is found.
find_browser() {
  local name
  for name in "${MNEME_CHROMIUM:-}" chromium google-chrome google-chrome-stable; do
    # Ubuntu's chromium is a stub for a snap, which needs a running snapd and fails in containers.
    if [[ -n "$name" ]] && have "$name" && "$name" --version >/dev/null 2>&1; then
      MNEME_CHROMIUM=$(command -v "$name")
      export MNEME_CHROMIUM
      return 0
    fi
  done
  return 1
}

# False where the distribution has no Chromium package that runs in a container (Ubuntu).
setup_browser() {
  find_browser && return
  grep -qx 'ID=debian' /etc/os-release 2>/dev/null || return
  setup_system browser
  find_browser
}
