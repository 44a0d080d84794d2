"""Writes <prefix>.x.npy: f32 [2, 3] with 0 ... 5, without NumPy.

A second argument is another number of rows."""

import struct
import sys

rows = int(sys.argv[2]) if len(sys.argv) > 2 else 2
shape = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 3), }}"
header = shape.encode()
header += b" " * (117 - len(header)) + b"\n"
with open(sys.argv[1] + ".x.npy", "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    file.write(struct.pack(f"<{3 * rows}f", *range(3 * rows)))
