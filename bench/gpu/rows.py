"""The results of a run: DIR/rows.jsonl, one JSON object per line.

A row is written to the disk with one write() and an fsync() before it is reported, so
a run that is killed loses at most the row that it was measuring. A line without an end,
which a kill during write() can leave, is no row; the next run removes it.
"""

import fcntl
import json
import os

FILE = "rows.jsonl"


class InUse(Exception):
    """Another run writes to the folder."""


def read(folder):
    """(the rows of a folder in order, their size in bytes)."""
    path = folder / FILE
    data = path.read_bytes() if path.exists() else b""
    size = data.rfind(b"\n") + 1
    return [json.loads(line) for line in data[:size].splitlines()], size


def key(row):
    """The key of a row; unique except for rows of kind `machine`."""
    return row["kind"], row["name"], row.get("system", "")


class Rows:
    """The rows of a folder, which is created if needed. Raises InUse."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.file = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"{folder} is being written by another run") from None
        self.all, size = read(folder)
        os.ftruncate(self.file, size)
        sync_folder(folder)

    def keys(self):
        return {key(row) for row in self.all}

    def add(self, row):
        """Writes a row. Raises OSError if the write fails."""
        data = (json.dumps(row, allow_nan=False) + "\n").encode()
        if os.write(self.file, data) != len(data):
            raise OSError(f"{FILE}: the disk is full")
        os.fsync(self.file)
        self.all.append(row)

    def close(self):
        os.close(self.file)


def write_whole(path, data):
    """Writes a file that appears whole or not."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder):
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
