"""`python -m tdsl` is the command tdc of the package."""

import os
import sys

os.execv(os.path.join(os.path.dirname(__file__), "bin", "tdc"), ["tdc", *sys.argv[1:]])
