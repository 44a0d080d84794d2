"""Changes the files of a project, builds it after each change, and prints whether that built
its program, and what the program prints.

usage: rebuild.py PROJECT GENERATOR
"""

import subprocess
import sys
from pathlib import Path

import numpy

project, generator = Path(sys.argv[1]), sys.argv[2]


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def edit(name, old, new):
    path = project / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def save(count):
    numpy.save(project / "data.npy", numpy.ones(count, numpy.float32))


CHANGES = (
    ("no change", lambda: None),
    ("import", lambda: edit("parts/layers.tdsl", "+ 3", "+ 5")),
    ("import of the import", lambda: edit("parts/inner.tdsl", "= 2", "= 3")),
    ("data", lambda: save(4)),
    ("unrelated file", lambda: edit("parts/unrelated.tdsl", "= 6", "= 7")),
    ("program", lambda: edit("program.tdsl", "{five()}", "{five() + 1}")))

save(3)
build = project / f"build by {generator}"
run("cmake", "-S", project, "-B", build, "-G", generator)
for change, make in (("first", lambda: None), *CHANGES):
    make()
    made = "tdc build program.tdsl" in run("cmake", "--build", build)
    printed = run(build.resolve() / "program", cwd=project).strip()
    print(f"{change}: {'built' if made else 'not built'}, prints {printed}")
