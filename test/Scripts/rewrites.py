"""What `tdc fix` makes of a script of PyTorch.

usage: rewrites.py FOLDER

FOLDER has script.tdsl, as PyTorch runs it, and program.tdsl, written by hand, or
expected.txt, what PyTorch prints, with `true` and without `grad_fn`. The fixed script
must be without mistakes, keep every comment, and print what the other one prints.
"""

import re
import subprocess
import sys
from pathlib import Path


def tdc(verb, path):
    done = subprocess.run(["tdc", verb, path], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tdc {verb} {path}: {done.returncode}\n{done.stdout}{done.stderr}"
                 + open(path, encoding="utf-8").read())
    return done.stdout + (done.stderr if verb == "check" else "")


def comments(path):
    with open(path, encoding="utf-8") as text:
        return re.findall(r"(?:^|\s)#\s*(\S.*)", text.read())


def main():
    script, program = sys.argv[1] + "/script.tdsl", sys.argv[1] + "/program.tdsl"
    before = comments(script)
    tdc("fix", script)
    if left := tdc("check", script):
        sys.exit(left)
    if gone := set(before) - set(comments(script)):
        sys.exit(f"comments that are gone: {gone}")
    got = tdc("run", script)
    if Path(sys.argv[1] + "/expected.txt").exists():
        expected = Path(sys.argv[1] + "/expected.txt").read_text(encoding="utf-8")
    else:
        expected = tdc("run", program)
    if got != expected:
        sys.exit(f"the script prints\n{got}\nand not\n{expected}")


main()
