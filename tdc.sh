#!/usr/bin/env bash
# One command from a fresh clone to a trained model:
#
#   ./tdc.sh run FILE [ARGS...]   set up, build, then `tdc run FILE ARGS...`
#   ./tdc.sh test [--full]        set up, then every test; see scripts/test.py
#   ./tdc.sh build                set up, then the release: one static tdc
#   ./tdc.sh wheel                set up, then the release and its Python package
#
# Set-up installs missing Debian packages (scripts/packages.txt) and the Python
# environment (scripts/requirements.txt), and builds. If nothing is missing and
# no source file has changed since the last build, `run` starts the program at
# once. The output of set-up steps is in build/setup.log. Exit code 2 means that
# only you can do the next step, which is printed last.
set -uo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
log=$root/build/setup.log
sources=(CMakeLists.txt CMakePresets.json cmake include lib prelude runtime tools scripts/packages.txt)

say() { printf 'tdc.sh: %s\n' "$*" >&2; }
stop() { say "$*"; exit 2; }

usage() {
  sed -n '4,7s/^#   //p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# --- likely causes of a failed step -----------------------------------------

likely_cause() {
  local tail_text; tail_text=$(tail -n 200 "$log")
  case $tail_text in
    *"No space left on device"*)
      echo "the disk is full; the build needs 3 GB under $root and 2.5 GB for packages" ;;
    *"Could not resolve"*|*"Failed to fetch"*|*"Temporary failure"*|*"Connection timed out"*)
      echo "the package server cannot be reached; check the network, then run the same command again" ;;
    *"Unable to locate package"*|*"has no installation candidate"*)
      echo "apt does not know LLVM 22; it comes with Debian 12's security suite (bookworm-security) in the apt sources" ;;
    *"Could not get lock"*|*"dpkg was interrupted"*)
      echo "another package installation is running or was interrupted; let it end or run 'dpkg --configure -a'" ;;
    *"Killed"*|*"bad_alloc"*|*"out of memory"*|*"Cannot allocate memory"*)
      echo "the machine ran out of memory; a compile job needs 1.5 GB" ;;
    *"Permission denied"*)
      echo "a file belongs to another user; an earlier run as root leaves build/ to root: 'sudo chown -R $(id -un) build'" ;;
    *"CMakeCache.txt directory"*)
      echo "this folder was moved or copied after it was built; remove its build/ and try again" ;;
    *"error: "*|*"CMake Error"*)
      printf 'the source does not build: %s\n' \
        "$(grep -m1 -E 'error: |CMake Error' <<<"$tail_text")" ;;
    *) echo "not known; the whole log is $log" ;;
  esac
}

failed() {
  say "$1 failed; the last lines of build/setup.log:"
  tail -n 20 "$log" | cut -c 1-200 | sed 's/^/  | /' >&2
  say "likely cause: $(likely_cause)"
  exit 1
}

# Runs a set-up step with its output in the log; a terminal shows the last line.
# usage: step "what it does" command...
step() {
  local what=$1 began=$SECONDS; shift
  printf '\n## %s: %s\n' "$what" "$*" >>"$log"
  if [ -t 2 ]; then
    "$@" 2>&1 </dev/null | tee -a "$log" |
      while IFS= read -r line; do printf '\r\033[K%.78s' "$what: $line" >&2; done
    local status=${PIPESTATUS[0]}
    printf '\r\033[K' >&2
  else
    "$@" >>"$log" 2>&1 </dev/null
    local status=$?
  fi
  [ "$status" = 0 ] || failed "$what"
  say "$what: done in $((SECONDS - began)) s"
}

# --- packages ---------------------------------------------------------------

# The packages of the named sections that are not installed.
missing_packages() {
  local wanted; wanted=$(for section in "$@"; do
    sed -n "/^\[$section\]/,/^\[/{/^[a-z]/p}" "$root/scripts/packages.txt"; done)
  comm -23 <(sort <<<"$wanted") \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
      sed -n 's/^installed //p' | sort)
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    stop "tdc builds from source on Debian 12; this system has no apt"
  local missing; missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  . /etc/os-release
  [ "${ID:-}${VERSION_ID:-}" = debian12 ] ||
    say "this is ${PRETTY_NAME:-an unknown system}, not Debian 12; trying all the same"

  local as_root=()
  local line="apt-get install --no-install-recommends $(tr '\n' ' ' <<<"$missing")"
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=(sudo)
    else
      say "these packages are missing and installing them needs root. As root, run:"
      printf '  %s\n' "apt-get update && $line" >&2
      exit 2
    fi
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get)
  say "to install with apt: $(tr '\n' ' ' <<<"$missing")"
  step "package lists" "${apt[@]}" update
  "${apt[@]}" install --no-install-recommends --assume-no $missing 2>/dev/null |
    sed -n 's/^\(Need to get\|After this operation\)/tdc.sh: \1/p' >&2
  say "that takes 2 to 4 minutes; the first build takes about 8 more on 2 cores"
  step "packages" "${apt[@]}" install -y --no-install-recommends $missing
}

# --- Python -----------------------------------------------------------------

# NumPy, its bf16 and safetensors, NVIDIA's assembler, and the packages that
# build and test the Python package, pinned by hash. Without the package index,
# tests that need NumPy are skipped with a message; the stage `ptx` fails unless
# the CUDA Toolkit is installed, and the stage `package` fails.
python_environment() {
  local venv=$root/build/venv wanted=$root/scripts/requirements.txt
  cmp -s "$wanted" "$venv/installed.txt" && return
  printf '\n## python environment\n' >>"$log"
  say "python environment: NumPy, safetensors, ptxas, nanobind and pytest, 70 MB, half a minute"
  if python3 -m venv --clear "$venv" >>"$log" 2>&1 &&
     "$venv/bin/pip" install --disable-pip-version-check --require-hashes \
       -r "$wanted" >>"$log" 2>&1; then
    cp "$wanted" "$venv/installed.txt"
  else
    say "python environment: not available (see build/setup.log)"
  fi
}

# --- building ---------------------------------------------------------------

# The state that a finished build depends on, in addition to the files' times.
build_stamp() { dpkg-query -W -f '${Package} ${Version}\n' libmlir-22 libllvm22 2>/dev/null; }

up_to_date() { # usage: up_to_date PRESET
  local stamp=$root/build/$1/stamp
  [ -x "$root/build/$1/bin/tdc" ] && [ -f "$stamp" ] &&
    [ "$(build_stamp)" = "$(cat "$stamp")" ] &&
    # A folder's own time changes when files are added or removed.
    [ -z "$(cd "$root" && find "${sources[@]}" -newer "$stamp" -print -quit 2>&1)" ]
}

build() { # usage: build PRESET TARGET
  local preset=$1 target=$2 began=$root/build/$1.began
  touch "$began"
  (cd "$root" && step "configure $preset" cmake --preset "$preset" &&
    step "build $preset" cmake --build --preset "$preset" --target "$target") || exit 1
  build_stamp >"$root/build/$preset/stamp"
  # Sources edited during the build are newer than its stamp.
  touch -r "$began" "$root/build/$preset/stamp"
  rm "$began"
}

# Without a writable home, build without ccache.
usable_ccache() {
  local cache; cache=$(ccache -k cache_dir 2>/dev/null) || return 0
  mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || export CCACHE_DISABLE=1
}

prepare() { # usage: prepare PRESET TARGET: everything up to a built tdc
  up_to_date "$1" && return
  start_log
  install_packages build
  usable_ccache
  build "$1" "$2"
}

start_log() {
  mkdir -p "$root/build" || stop "cannot write to $root"
  : >"$log" || stop "cannot write $log; an earlier run as root leaves build/ to root"
}

# --- the verbs --------------------------------------------------------------

[ $# -gt 0 ] || usage
verb=$1; shift
case $verb in
  run)
    [ $# -gt 0 ] || usage
    prepare dev tdc
    exec "$root/build/dev/bin/tdc" run "$@"
    ;;
  build)
    [ $# = 0 ] || usage
    prepare release dist
    binary=$root/build/release/bin/tdc
    echo "$binary, $(($(stat -c %s "$binary") / 1000000)) MB, needs only libc and libm"
    ;;
  wheel)
    [ $# = 0 ] || usage
    prepare release dist
    install_packages python
    python_environment
    step "wheel" "$root/scripts/wheel.sh"
    wheel=$(ls "$root"/build/release/wheel/*.whl)
    echo "$wheel, $(($(stat -c %s "$wheel") / 1000000)) MB, for Python 3.10 and newer"
    ;;
  test)
    start_log
    install_packages build python test
    python_environment
    cd "$root" && exec python3 scripts/test.py "$@"
    ;;
  *) say "no such verb: $verb"; usage ;;
esac
