#!/usr/bin/env python3
"""Does what a page of the documentation says, in the current folder.

usage: run-page.py PAGE.md

A block of ```tdsl is saved under the last `name.tdsl` mentioned before it, one
of ```cpp or ```py likewise; a block of ```sh is run, and the block of ```text
after it is what that printed; numbers may differ by 2 % or 0.015.
"""

import re
import subprocess
import sys
from pathlib import Path

from printed import is_same

NUMBER = re.compile(r"-?\d+\.\d+")

page = Path(sys.argv[1]).read_text()
printed = None
ran = 0
for match in re.finditer(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
    kind, text = match.groups()
    if kind in ("tdsl", "cpp", "py"):
        name = re.findall(rf"`(\w+\.{kind})`", page[:match.start()])[-1]
        Path(name).write_text(text)
    elif kind == "sh":
        done = subprocess.run(["bash", "-ec", text], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        printed, ran = done.stdout, ran + 1
        if done.returncode:
            sys.exit(f"{text}ended with {done.returncode}:\n{printed}")
    elif kind == "text":
        got, want = printed.strip().split("\n"), text.strip().split("\n")
        same = len(got) == len(want) and all(is_same(a, b, NUMBER) for a, b in zip(got, want))
        if not same:
            sys.exit(f"the page says\n{text}\nbut it prints\n{printed}")
    else:
        sys.exit(f"a block of {kind}?")
print(f"{ran} commands ran")
