#!/usr/bin/env bash
# Checks and measures tdc on the GPU of this machine; see README.md.
exec python3 "$(dirname "$0")/run.py" "$@"
