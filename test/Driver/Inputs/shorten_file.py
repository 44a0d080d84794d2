"""A large file becomes shorter while a program reads it: prints the exit code and the
messages."""

import os
import subprocess
import tempfile

import numpy

PROGRAM = """
let rows: f32[16384, 2048] = load("rows.npy")
for i in range(1000000000) {
    assert rows[i % 16384].sum().item() == 0.0
    print(i)
}
"""

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("program.tdsl", "w") as file:
        file.write(PROGRAM)
    numpy.lib.format.open_memmap("rows.npy", mode="w+", dtype="f4", shape=(1 << 14, 1 << 11))
    process = subprocess.Popen(["timeout", "60", "tdc", "run", "--message-format=json",
                                "program.tdsl"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    os.truncate("rows.npy", 4096)
    _, messages = process.communicate()
    print(process.returncode, messages, end="")
