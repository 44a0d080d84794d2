#!python
"""Runs the command tdc of the package, which this does not import: that takes longer."""

import importlib.util
import os
import sys

folder, = importlib.util.find_spec("tdsl").submodule_search_locations
os.execv(os.path.join(folder, "bin", "tdc"), ["tdc", *sys.argv[1:]])
