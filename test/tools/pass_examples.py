"""Runs the example of each pass: the pass must convert `Before:` to `After:`.

    pass_examples.py Passes.json

The argument is what `llvm-tblgen -dump-json` makes of Passes.td. Both sides are
pieces of a function (see op_examples.py). The function returns the values that
`Before:` defines and does not use. tdc-opt prints both sides, and the function and the
td ops of the module are compared. Functions that a pass makes are declarations in
`After:`.
"""

import json
import re
import subprocess
import sys

import op_examples

# Prefixes of passes that change nothing.
READERS = ("td-verify-", "td-print-")
# Passes whose example cannot be run, and the reasons.
FRAGMENTS = {
    "merge-launches": "its input holds the machine code of kernels",
    "gpu-to-image": "the result is a page of PTX",
    "td-split-functions": "only functions of thousands of ops are cut",
    "td-to-runtime": "the result is a page of calls",
}


def blocks_of(description):
    """The code blocks by the word before each: Before, After."""
    return {word: block for word, block in re.findall(
        r"^ *(Before|After)[^\n]*:\n *```mlir\n(.*?)```", description, re.MULTILINE | re.DOTALL)}


def run(arguments, module):
    """Returns the output and the errors of tdc-opt."""
    done = subprocess.run(["tdc-opt", *arguments], input=module, text=True, capture_output=True,
                          check=False)
    return done.stdout if done.returncode == 0 else None, done.stderr


def ops_of(module):
    """The ops of td in a printed module, and the function @example."""
    return "\n".join(re.findall(r"^  td\..*$", module, re.MULTILINE) +
                     re.findall(r"^  func\.func @example.*?^  }$", module,
                                re.MULTILINE | re.DOTALL))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        records = json.load(file)
    wrong = count = 0
    for name, record in sorted(records.items()):
        if name.startswith("!") or "PassBase" not in record["!superclasses"]:
            continue
        name = record["argument"]
        if name.startswith(READERS) or name in FRAGMENTS:
            continue
        count += 1
        found = blocks_of(record["description"])
        if set(found) != {"Before", "After"}:
            print(f"{name}: has no example")
            wrong += 1
            continue
        before, after = (op_examples.Example(name, found[word], returns=True)
                         for word in ("Before", "After"))
        op_examples.settle([before])
        after.types = {name: after.types.get(name, type) for name, type in before.types.items()}
        after.results = dict.fromkeys(before.results, op_examples.UNKNOWN)
        op_examples.settle([after])
        problem = next((f"{one.error}\n{one.module()}" for one in (before, after) if one.error), "")
        if not problem:
            made, problem = run(["--" + name], before.module())
            wanted, _ = run([], after.module())
            if made is not None and ops_of(made) != ops_of(wanted):
                problem = f"makes\n{ops_of(made)}\nnot\n{ops_of(wanted)}"
        if problem:
            print(f"{name}: {problem}")
            wrong += 1
    print(f"{count - wrong} examples")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
