"""Fails unless <prefix>.y.npy is twice what make_inputs.py wrote."""

import struct
import sys

data = open(sys.argv[1] + ".y.npy", "rb").read()
assert b"(2, 3)" in data[:128], data[:128]
assert struct.unpack("<6f", data[-24:]) == (0, 2, 4, 6, 8, 10)
