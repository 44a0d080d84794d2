"""Scripts of Python in which functions and the script have names of one spelling: `tdc fix`
makes programs of them that print what Python prints, or programs that still have mistakes.

usage: fixed_scopes.py [COUNT]

TDC_TEST_SEED=N repeats the scripts of seed N.
"""

import contextlib
import io
import os
import pathlib
import random
import secrets
import subprocess
import sys
import tempfile

NAMES = ["a", "b", "h", "lr"]
seed = int(os.environ.get("TDC_TEST_SEED") or secrets.randbelow(2**32))
print(f"seed {seed}")
rng = random.Random(seed)


def number():
    return rng.choice(["0.5", "1.0", "2.0", "3.0"])


def expression(depth=0):
    if depth == 2 or rng.random() < 0.4:
        return rng.choice([*NAMES, "x", number()])
    return f"{expression(depth + 1)} {rng.choice('+-*')} {expression(depth + 1)}"


def block(depth, own):
    """Statements of a function, which assign to the names `own`."""
    lines = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(["assign"] * 4 + ["add", "pair", "if", "for", "while"])
        if depth == 3 or kind == "assign":
            lines.append(f"{rng.choice(own)} = {expression()}")
        elif kind == "add":
            lines.append(f"{rng.choice(own)} += {expression()}")
        elif kind == "pair":
            one, other = rng.sample(own, 2)
            lines.append(f"{one}, {other} = {expression()}, {expression()}")
        elif kind == "if":
            lines += [f"if {expression()} > {number()}:", *inside(depth, own)]
            if rng.random() < 0.5:
                lines += ["else:", *inside(depth, own)]
        elif kind == "for":
            lines += [f"for i{depth} in range({rng.randint(1, 3)}):", *inside(depth, own)]
        else:
            lines += [f"w{depth} = 0", f"while w{depth} < {rng.randint(1, 3)}:",
                      f"    w{depth} += 1", *inside(depth, own)]
    return lines


def inside(depth, own):
    return ["    " + line for line in block(depth + 1, own)]


def script():
    lines = []
    for k in range(rng.randint(1, 2)):
        own = rng.sample(NAMES, rng.randint(2, 3))
        lines += [f"def f{k}(x):", *(f"    {name} = x * {number()}" for name in own),
                  *inside(0, own), "    return " + " + ".join(own), ""]
        lines += [f"{name} = {number()}" for name in rng.sample(NAMES, rng.randint(1, 3))]
        lines.append(f"print(f{k}({number()}), f{k}({number()}))")
    return "\n".join(lines) + "\n"


def numbers(text):
    return [float(word) for word in text.split()]


def expected(text):
    """What Python prints; None for a script that stops, or that computes huge numbers."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(text, {})
    except (NameError, OverflowError):
        return None
    found = numbers(printed.getvalue())
    return found if all(abs(one) < 1e15 for one in found) else None


def check(folder, text, want):
    """Whether `tdc fix` made a program without mistakes of the script."""
    path = folder / "script.tdsl"
    path.write_text(text)
    subprocess.run(["tdc", "fix", path], capture_output=True)
    run = subprocess.run(["tdc", "run", "--quiet", path], capture_output=True, text=True)
    if run.returncode == 1:
        return False
    if run.returncode or numbers(run.stdout) != want:
        sys.exit(f"seed {seed}:\n{text}\nfixed:\n{path.read_text()}\nPython: {want}\n"
                 f"exit code {run.returncode}: {run.stdout}{run.stderr}")
    return True


def main():
    count, done, fixed = int((sys.argv[1:] or ["30"])[0]), 0, 0
    with tempfile.TemporaryDirectory() as name:
        while done < count:
            text = script()
            want = expected(text)
            if want is not None:
                done += 1
                fixed += check(pathlib.Path(name), text, want)
    print(f"scopes: {done} scripts, {fixed} fixed")
    # Most need no more than `let` and `var`.
    sys.exit(fixed < count / 2)


main()
