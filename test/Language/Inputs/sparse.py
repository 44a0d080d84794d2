"""sparse.py FILE: writes an .npy file of f32[100000000, 784], all zeros except its last
number. Its length is 313 GB, but it takes a few KB of the disk."""
import sys

ROWS = 100_000_000
header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, 784), }}"
header = header.ljust(117) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") +
               header.encode())
    file.truncate(128 + ROWS * 784 * 4)
