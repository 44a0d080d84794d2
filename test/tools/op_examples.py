"""Parses and verifies the example of each op of td.

    op_examples.py TDOps.json

The argument is what `llvm-tblgen -dump-json` makes of TDOps.td. An example is a
piece of a function: symbols (SYMBOLS) are defined in the module around it,
`module attributes {…}` sets attributes of that module, and values that it does
not define become arguments. The type of an argument is what the parser says that it expects.
"""

import json
import re
import subprocess
import sys

# Ops of a module, not of a function.
SYMBOLS = ("td.slot", "td.gpu_kernel", "td.image", "llvm.func")
SEPARATOR = "// -----\n"
UNKNOWN = "none"


def examples(records):
    """Returns the name of each op and its example, "" if it has none."""
    for name, record in records.items():
        if name.startswith("!") or "TD_Op" not in record["!superclasses"] or not record["opName"]:
            continue
        blocks = re.findall(r"```mlir\n(.*?)```", record["description"] or "", re.DOTALL)
        yield record["opName"], "\n".join(blocks)


class Example:
    """An example, and the types of its arguments that are known so far."""

    def __init__(self, op, text, returns=False):
        self.op = op
        # A line that is indented further continues the op before it.
        lines = text.splitlines()
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        ops = []
        for line in (line[indent:] for line in lines if line.strip()):
            if ops and line[0] in " }^":
                ops[-1] += line + "\n"
            else:
                ops.append(line + "\n")
        self.attributes = "".join(one for one in ops if one.startswith("module attributes"))
        self.symbols = "".join(one for one in ops if one.startswith(SYMBOLS))
        self.body = "".join(one for one in ops
                            if not one.startswith((*SYMBOLS, "module attributes")))
        used = re.findall(r"%\w+", re.sub(r'"[^"]*"', "", self.body))
        defined = set()
        for names in re.findall(r"^\s*((?:%\w+(?:, )?)+) =", self.body, re.MULTILINE):
            defined.update(names.split(", "))
        for names in re.findall(r"\^\w+\(([^)]*)\)", self.body):
            defined.update(re.findall(r"%\w+", names))
        for names in re.findall(r"scf\.for (.*)", self.body):
            defined.update(re.findall(r"(%\w+) =", names))
        self.types = {name: UNKNOWN for name in used if name not in defined}
        # Values without other uses are returned, so that no pass removes them.
        own = re.findall(r"^((?:%\w+(?:, )?)+)(?::\d+)? =", self.body, re.MULTILINE)
        self.results = {name: UNKNOWN for name in sorted(", ".join(own).split(", "))
                        if returns and used.count(name) == 1}
        self.error = ""

    def module(self):
        arguments = ", ".join(f"{name}: {type}" for name, type in self.types.items())
        types = ", ".join(self.results.values())
        result = f"return {', '.join(self.results)} : {types}" if self.results else "return"
        return (f"{self.attributes.strip() or 'module'} {{\n{self.symbols}"
                f"func.func @example({arguments}) -> ({types}) {{\n{self.body}{result}\n}}\n}}\n")

    def learn(self):
        """Takes the type of a value from the error; returns whether the error names one."""
        of = re.match(r"use of value '(%\w+)' expects different type than prior uses: '(.*)' vs "
                      r"'(.*)'$", self.error)
        if of and of[3] == UNKNOWN and of[1] in self.types:
            self.types[of[1]] = of[2]
        elif of and of[2] == UNKNOWN and of[1] in self.results:
            self.results[of[1]] = of[3]
        else:
            return False
        return True


def parse(all_examples):
    """Runs tdc-opt on all examples and sets their `error` to the first one, if any."""
    text = SEPARATOR.join(one.module() for one in all_examples)
    first_lines = [0]
    for one in all_examples:
        one.error = ""
        first_lines.append(first_lines[-1] + one.module().count("\n") + 1)
    run = subprocess.run(["tdc-opt", "--split-input-file"], input=text, text=True,
                         capture_output=True, check=False)
    for line, message in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", run.stderr, re.MULTILINE):
        number = max(i for i, first in enumerate(first_lines) if first < int(line))
        all_examples[number].error = all_examples[number].error or message
    if run.returncode != 0 and not any(one.error for one in all_examples):
        sys.exit(run.stderr)
    return run.stdout


def settle(all_examples):
    """Finds the types of arguments; an `error` that remains is a mistake in the example."""
    unsettled = True
    while unsettled:
        parse(all_examples)
        unsettled = any([one.learn() for one in all_examples])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = [Example(op, text) for op, text in examples(json.load(file))]
    missing = [one.op for one in found if not one.symbols + one.body]
    found = [one for one in found if one.op not in missing]
    settle(found)
    for op in missing:
        print(f"td.{op} has no example")
    for one in found:
        if one.error:
            print(f"td.{one.op}: {one.error}\n{one.module()}")
        elif not re.search(rf"(?<![\w.])td\.{one.op}(?![\w.])", one.symbols + one.body):
            print(f"td.{one.op}: its example has no such op")
    wrong = len(missing) + sum(bool(one.error) for one in found)
    print(f"{len(found) - wrong} examples")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
