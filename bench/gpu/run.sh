#!/usr/bin/env bash
# Checks and measures tdc on the GPU of this machine; README.md says how.
exec python3 "$(dirname "$0")/run.py" "$@"
