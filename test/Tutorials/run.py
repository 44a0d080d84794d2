#!/usr/bin/env python3
"""Converts scripts in the way of PyTorch's tutorials, and compares what they print.

    python run.py TDC [--only REGEX] [--keep FOLDER]

For each script NAME.py: the edits of edits/NAME.diff are made, `tdc fix` converts the result,
`tdc run` runs it, and its output is compared with that of the script in PyTorch. The table has
the number of places that the edits change; those that only read data in another way count
as well. Differences that docs/Language.md documents do not count: True and true,
torch.Size([2]) and (2), names of dtypes, grad_fn and requires_grad of a printed tensor; of a
printed model the names of its parts and their types are compared. Numbers may differ by 1e-3 of
their size or 2e-4, and tensors may be laid out in other lines.

Needs PyTorch and safetensors, so it runs outside of CI.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DIGITS = HERE.parents[1] / "examples/data/digits"
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+(?:e[-+]?\d+)?")
DTYPES = {"torch.float32": "f32", "torch.float64": "f64", "torch.int64": "i64",
          "torch.bool": "bool"}


def normal(text):
    text = re.sub(r"^(\s+\(\w+\): \w+)\(.+\)$", r"\1(…)", text, flags=re.MULTILINE)
    text = re.sub(r"^\)\n[\d,]+ parameters$", ")", text, flags=re.MULTILINE)
    text = re.sub(r"torch\.Size\(\[(\d+)\]\)", r"(\1,)", text)
    text = re.sub(r"torch\.Size\(\[([^\]]*)\]\)", r"(\1)", text)
    for name, short in DTYPES.items():
        text = text.replace(name, short)
    text = re.sub(r",\s*grad_fn=<[^>]*>", "", text)
    text = re.sub(r",\s*requires_grad=True", "", text)
    text = re.sub(r"Parameter containing:\n", "", text)
    text = re.sub(r"\bTrue\b", "true", re.sub(r"\bFalse\b", "false", text))
    text = re.sub(r"\bNone\b", "none", text)
    return " ".join(text.split())


def difference(want, got):
    """How two outputs differ; None if they do not."""
    want, got = normal(want), normal(got)
    words, others = NUMBER.sub("#", want), NUMBER.sub("#", got)
    if words != others:
        at = next((i for i, (a, b) in enumerate(zip(words, others)) if a != b),
                  min(len(words), len(others)))
        return f"PyTorch prints …{words[max(0, at - 40):at + 40]}, tdc …{others[max(0, at - 40):at + 40]}"
    numbers = [(float(a), float(b)) for a, b in zip(NUMBER.findall(want), NUMBER.findall(got))]
    off = [(a, b) for a, b in numbers if not abs(a - b) <= max(1e-3 * abs(a), 2e-4)]
    return f"{len(off)} of {len(numbers)} numbers differ: {off[:3]}" if off else None


def convert(tdc, script, folder):
    """What became of one script, in a few words."""
    torch = subprocess.run([sys.executable, "-W", "ignore", script], cwd=folder,
                           capture_output=True, text=True, check=True)
    program = folder / f"{script.stem}.tdsl"
    shutil.copy(script, program)
    subprocess.run(["patch", "--quiet", program, HERE / f"edits/{script.stem}.diff"], check=True)
    fixed = subprocess.run([tdc, "fix", program], cwd=folder, capture_output=True, text=True)
    if fixed.returncode:
        return "tdc fix leaves mistakes"
    run = subprocess.run([tdc, "run", program], cwd=folder, capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip().split("\n")[0]
    return difference(torch.stdout, run.stdout) or "agrees"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tdc")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", help="a folder for the programs and their data")
    arguments = parser.parse_args()
    tdc = Path(arguments.tdc).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(arguments.keep or temporary).resolve()
        folder.mkdir(exist_ok=True)
        for script in HERE.glob("[0-9]*.py"):
            shutil.copy(script, folder)
        subprocess.run([sys.executable, HERE / "setup.py", DIGITS], cwd=folder, check=True)
        failed = 0
        for script in sorted(HERE.glob("[0-9]*.py")):
            if not re.search(arguments.only, script.stem):
                continue
            places = (HERE / f"edits/{script.stem}.diff").read_text().count("@@ -")
            outcome = convert(tdc, script, folder)
            failed += outcome != "agrees"
            print(f"{script.stem:20} {places:2} places edited: {outcome}", flush=True)
    return failed != 0


sys.exit(main())
