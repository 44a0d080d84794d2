"""Runs the example of each pass: what it makes of `Before:` is `After:`.

    examples.py Passes.json

The argument is what `llvm-tblgen -dump-json` makes of Passes.td. Both sides are
pieces of a function (see ../../IR/Inputs/examples.py), which returns what the
first defines and does not use. They are printed alike and compared.
"""

import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "IR", "Inputs"))
import examples


# Passes that change nothing.
READERS = ("td-verify-", "td-print-")


def blocks_of(description):
    """The blocks by the word in front of each: Before, After."""
    return {word: block for word, block in re.findall(
        r"^ *(Before|After)[^\n]*:\n *```mlir\n(.*?)```", description, re.MULTILINE | re.DOTALL)}


def run(arguments, module):
    """What tdc-opt prints, and its errors."""
    done = subprocess.run(["tdc-opt", *arguments], input=module, text=True, capture_output=True,
                          check=False)
    return done.stdout if done.returncode == 0 else None, done.stderr


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = json.load(file)
    wrong = count = 0
    for name, record in sorted(records.items()):
        if name.startswith("!") or "PassBase" not in record["!superclasses"]:
            continue
        name = record["argument"]
        if name.startswith(READERS):
            continue
        count += 1
        found = blocks_of(record["description"])
        if set(found) != {"Before", "After"}:
            print(f"{name}: has no example")
            wrong += 1
            continue
        before, after = (examples.Example(name, found[word], returns=True)
                         for word in ("Before", "After"))
        examples.settle([before])
        after.types = {name: after.types.get(name, type) for name, type in before.types.items()}
        after.results = dict.fromkeys(before.results, examples.UNKNOWN)
        examples.settle([after])
        problem = next((f"{one.error}\n{one.module()}" for one in (before, after) if one.error), "")
        if not problem:
            made, problem = run(["--" + name], before.module())
            wanted, _ = run([], after.module())
            if made is not None and made != wanted:
                problem = f"makes\n{made}\nnot\n{wanted}"
        if problem:
            print(f"{name}: {problem}")
            wrong += 1
    print(f"{count - wrong} examples")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
