#!/usr/bin/env bash
# Makes build/bench-venv with the peers that run.py measures.
# usage: setup.sh
set -euo pipefail

venv=$(dirname "${BASH_SOURCE[0]}")/../build/bench-venv
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet numpy safetensors torch jax iree-base-compiler \
  iree-base-runtime onnx onnxruntime scikit-learn
echo "ready: build/bench-venv/bin/python bench/run.py"
