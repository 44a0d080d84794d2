"""Makes tdc crash: arguments are the library of faults, a program, the kind of crash, the
number of allocations to crash at, and the command. Each crash must leave a bundle with
all that a bug report needs."""

import os
import pathlib
import re
import subprocess
import sys

from allocation_faults import Faulty

library, program, kind, count, *command = sys.argv[1:]
name = os.path.basename(program)
told = re.compile(rf"""error: this is a bug in tdc: .+ in the phase (\w+) of `{name}`
  please report it where you got tdc, with the folder (tdc-crash-\w+), which has your program in it
""")
EARLY = {"start", "parse", "check", "context"}


def find_fault(code, text, folder):
    match = told.fullmatch(text)
    if code != 70 or not match or os.listdir(folder) != [match[2]]:
        return f"exit code {code}, left {os.listdir(folder)}\n{text}"
    bundle, phase = pathlib.Path(folder, match[2]), match[1]
    if (bundle / "sources" / name).read_text() != pathlib.Path(program).read_text():
        return "another program"
    said = (bundle / "command").read_text()
    if not said.startswith(" ".join(command) + f"\n\nphase: {phase}\npass: "):
        return said
    seen.update(re.findall(r"^pass: (.+)|^ok +(processor)", said, re.MULTILINE))
    if f"of `{name}`" in (bundle / "message").read_text():
        return "a message with places"
    left = list(bundle.glob("after-*.mlir"))
    if len(left) != (phase not in EARLY):
        return f"in {phase}, {left}"
    for module in left:
        subprocess.run(["tdc-opt", module, "-o", os.devnull], check=True)
    return ""


good, seen = 0, set()
faulty = Faulty(library, program, command)
# The first allocations precede the parsing of the command line.
for k in faulty.spread(int(count) + 1)[1:]:
    code, text, folder = faulty.run(f"{kind}:{k}")
    fault = find_fault(code, text, folder.name)
    if fault:
        print(f"{kind}:{k}: {fault}")
    good += not fault
# Not all crashes are in passes, and a crash may prevent the line about the processor: only
# some bundles have these lines.
print(f"{good} of {count}, with", *sorted("".join(names) for names in seen))
