#!/usr/bin/env bash
# Tests the output of `./tdc.sh wheel` on an empty machine: the install tree and
# the Python package in a fresh Debian 12 in a folder.
#
#   scripts/install-test.sh FOLDER
#
# Needs root and debootstrap; 1 GB in FOLDER, a few minutes. The chroot is made by
# scripts/chroot-test.sh --setup-only, without any packages installed.
set -euo pipefail

[ $# = 1 ] && [ "$(id -u)" = 0 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
release=$root/build/release
examples=$release/install/share/doc/tdc/examples
"$root/scripts/chroot-test.sh" --setup-only "$1"
jail=$(cd "$1" && pwd)
mount --bind /dev "$jail/dev"
mount -t proc proc "$jail/proc"
trap 'umount -l "$jail/dev" "$jail/proc"' EXIT

say() { printf '\n== %s\n' "$*"; }
inside() { chroot "$jail" /usr/bin/env -C /try PATH=/opt/tdc/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

rm -rf "$jail/opt/tdc" "$jail/try"
mkdir -p "$jail/try"
cp -a "$release/install" "$jail/opt/tdc"
cp "$examples"/*.tdsl "$examples"/embed/net.tdsl "$jail/try"

say "clients of libtdc.so and a program, built here"
build=$(mktemp -d)
cmake -S "$examples/embed" -B "$build" -DCMAKE_PREFIX_PATH="$jail/opt/tdc" \
  -DCMAKE_BUILD_RPATH=/opt/tdc/lib >/dev/null
cmake --build "$build" >/dev/null
"$release/install/bin/tdc" build "$examples/simple_model.tdsl" -o "$build/simple_model"
cp "$build/xor" "$build/serve" "$build/simple_model" "$jail/try"
rm -r "$build"

for missing in cc gcc clang ld python3; do
  if inside which $missing >/dev/null; then
    echo "$missing is there already: give a fresh FOLDER"
    exit 1
  fi
done
say "tdc"
inside tdc doctor
inside tdc run simple_model.tdsl
inside ./simple_model
say "C, C++"
inside ./xor net.tdsl
inside ./serve net.tdsl

say "Python"
inside apt-get install -qq -y --no-install-recommends python3 python3-venv >/dev/null 2>&1
cp "$release"/wheel/*.whl "$root/docs/Python.md" "$root/test/Examples/Inputs/run-page.py" "$jail/try"
inside python3 -m venv /try/venv
inside sh -c 'venv/bin/pip install -q --disable-pip-version-check *.whl'
inside sh -c 'PATH=/try/venv/bin:$PATH python3 run-page.py Python.md'
say "all of it ran"
