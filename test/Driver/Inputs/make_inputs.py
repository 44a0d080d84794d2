"""Writes <prefix>.x.npy: f32 [2, 3] with 0 ... 5, without NumPy."""

import struct
import sys

header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
header += b" " * (117 - len(header)) + b"\n"
with open(sys.argv[1] + ".x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack("<6f", *range(6)))
