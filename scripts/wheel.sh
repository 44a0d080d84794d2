#!/usr/bin/env bash
# Builds the Python package: build/release/wheel/tdsl-*.whl.
# usage: scripts/wheel.sh   after the release is built; `./tdc.sh wheel` does both
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$root/build/release
cmake --install "$release" --prefix "$release/install"
rm -rf "$release/wheel"
# The platform is the oldest glibc that has all symbols which the library needs.
minor=$(objdump -T "$release/lib/libtdc.so" |
  sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' | sort -n | tail -1)
tag=cp310-abi3-manylinux_2_${minor}_x86_64
# PATH has the environment's scripts, which pip calls.
PATH=$root/build/venv/bin:$PATH CMAKE_PREFIX_PATH=$release/install pip wheel \
  --disable-pip-version-check --no-index --no-deps --no-build-isolation \
  --config-settings "build-dir=$release/python" --config-settings "wheel.tags=$tag" \
  --wheel-dir "$release/wheel" "$root/python"
