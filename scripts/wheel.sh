#!/usr/bin/env bash
# Builds the Python package: build/release/wheel/tdsl-*.whl.
# usage: scripts/wheel.sh   after the release is built; `./tdc.sh wheel` does both
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=$root/build/release
cmake --install "$release" --prefix "$release/install"
rm -rf "$release/wheel"
# PATH has the environment's scripts, which pip calls.
PATH=$root/build/venv/bin:$PATH CMAKE_PREFIX_PATH=$release/install pip wheel \
  --disable-pip-version-check --no-index --no-deps --no-build-isolation \
  --config-settings "build-dir=$release/python" --wheel-dir "$release/wheel" "$root/python"
