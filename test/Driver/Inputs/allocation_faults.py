"""Runs tdc with a fault at one allocation after the other."""

import contextlib
import os
import pathlib
import subprocess
import tempfile


class Faulty:
    """A command that runs in a folder of its own, with the preloaded `library`."""

    def __init__(self, library, program, command):
        self.library, self.command = library, command
        self.program = pathlib.Path(program)

    def run(self, fault):
        """The exit code, the text on stderr, and a folder with the files that the
        command has left."""
        folder = tempfile.TemporaryDirectory()
        source = pathlib.Path(folder.name, self.program.name)
        source.write_text(self.program.read_text())
        done = subprocess.run(
            self.command, cwd=folder.name, capture_output=True, text=True,
            env=os.environ | {"LD_PRELOAD": self.library, "ALLOCATION_FAULT": fault})
        source.unlink()
        return done.returncode, done.stderr, folder

    def spread(self, count):
        """Returns this many numbers of allocations, from the first to the last."""
        with tempfile.NamedTemporaryFile("r") as number:
            self.run(f"count:{number.name}")
            last = int(number.read())
        return [1 + i * (last - 1) // count for i in range(count)]
