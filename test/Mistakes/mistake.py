"""One typical mistake: the whole message of tdc, and the result of its fixes.

usage: mistake.py [--update] FILE...     checks, or writes, the lines of `#>`
       mistake.py --checklist FOLDER     prints the table of Checklist.md

A test is a program with a mistake. Comments on top say which, and optionally
  # command: tdc run % --epochs 3     what is typed; % is the program
  # both sides: f32[3] | f32[4]       the two that do not fit: the message has both
  # NAME: EXPRESSION                  a file next to it, made by Python
The lines of `#>` are the message and the result of its fixes: each one offered is
applied to the program, which `tdc check` must then accept. The last line of a message,
with the number of errors, is compared with the errors above it and left out.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
import edits  # noqa: E402

GOLDEN = "#>"
CHECKLIST = """# What novices get wrong

Made by `mistake.py --checklist`. Each row is a test of this folder: a program with one
mistake, and the whole message. The test holds the message to this list:

- its place, as line and column, or what was typed on the command line;
- where two things do not fit each other, both of them;
- each fix offered, alone (a choice) or all together (the safe ones, by `tdc fix`),
  gives a program that `tdc check` accepts; "runs" says that it runs here, too;
- nothing in it is in the compiler's words.

{all} mistakes; `tdc fix` repairs {fixed} of them.

| test | mistake | code | place | both sides | choices | `tdc fix` |
|---|---|---|---|---|---|---|
{rows}"""
PLACE = re.compile(r"^ *--> (\S+:\d+:\d+)", re.MULTILINE)
SUMMARY = re.compile(r"^(\d+) errors?(, \d+ fixed by `tdc fix`)?; "
                     r"`tdc explain (T[DR]\d+)` says more\n", re.MULTILINE)
CODE = re.compile(r"^(?:error|warning)\[(T[DR]\d+)\]", re.MULTILINE)


def bytes_of(expression):
    """The contents of a file that a header describes by an expression."""
    import numpy
    import safetensors.numpy

    def weights(**tensors):
        return safetensors.numpy.save(tensors)

    value = eval(expression, {"numpy": numpy, "safetensors": weights})
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    with tempfile.TemporaryFile() as file:
        numpy.save(file, value)
        file.seek(0)
        return file.read()


def without_summary(said):
    """A message without the line that counts its errors; an error if it counts wrongly."""
    errors = re.findall(r"^error\[(TD\d+)\]", said, re.MULTILINE)
    for line in SUMMARY.finditer(said):
        if (int(line[1]), line[3]) != (len(errors), errors[0]):
            return f"{said}{len(errors)} errors, {errors[0]} is the first"
    return SUMMARY.sub("", said) if errors else said


class Test:
    def __init__(self, path):
        self.path = Path(path)
        text = self.path.read_text(encoding="utf-8")
        lines = text.splitlines(keepends=True)
        self.program = "".join(l for l in lines if not l.startswith(GOLDEN))
        self.golden = [l[len(GOLDEN):].strip("\n").removeprefix(" ")
                       for l in lines if l.startswith(GOLDEN)]
        head = re.match(r"(?:# .*\n)*", text).group().splitlines()
        self.what = head[0][2:]
        fields = dict(line[2:].split(": ", 1) for line in head[2:])
        self.command = fields.pop("command", "tdc run %")
        self.sides = fields.pop("both sides", "")
        self.files = fields

    def run(self, folder, command, program=None):
        """What a command prints, and its exit code."""
        name = self.path.name
        (folder / name).write_text(program or self.program, encoding="utf-8")
        words = [name if word == "%" else word for word in command.split()]
        hidden = {} if "--sim-cuda" in command else {"CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                              env={**os.environ, **hidden})
        return done.stdout + done.stderr, done.returncode

    def fixes(self, folder):
        """The fixes of all reports, each with its safety and its edits."""
        said, _ = self.run(folder, self.command + " --message-format=json")
        reports = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        return [fix for report in reports for fix in report["fixes"]]

    def apply(self, fix):
        return edits.apply(self.program.encode(), edits.edits_of(fix)).decode()

    def fixed(self, folder, program=None):
        """The program after `tdc fix`, and what a check then says, or "runs"."""
        command = re.sub(r" --epoch.*", "", self.command).replace(" run ", " fix ")
        self.run(folder, command, program)
        text = (folder / self.path.name).read_text(encoding="utf-8")
        _, ran = self.run(folder, self.command, text)
        _, checked = self.run(folder, "tdc check %", text)
        return "runs" if ran == 0 else "checks" if checked == 0 else "not enough"

    def outcome(self):
        """The lines of `#>` as they should be."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, expression in self.files.items():
                (folder / file).write_bytes(bytes_of(expression))
            said, code = self.run(folder, self.command)
            said = without_summary(said)
            # Why there is no GPU differs from machine to machine.
            said = re.sub(r"(no CUDA device is visible\n  note: ).*", r"\1…", said)
            lines = [f"$ {self.command.replace('%', self.path.name)}",
                     *said.rstrip("\n").split("\n"), f"exit code {code}"]
            if "tdc run %" in self.command:
                lines += self.repairs(folder)
        return lines

    def repairs(self, folder):
        """What each fix comes to: the safe ones together, a choice with these."""
        lines = []
        fixes = self.fixes(folder)
        for fix in fixes:
            if fix["safety"] == "choice":
                lines.append(f"choice: {self.fixed(folder, self.apply(fix))}")
        if any(fix["safety"] == "safe" for fix in fixes):
            lines.append(f"tdc fix: {self.fixed(folder)}")
        return lines

    def complaints(self):
        """What a good message has, and this one has not."""
        message = "\n".join(self.golden)
        for side in self.sides.split(" | ") if self.sides else []:
            if side not in message:
                yield f"the message does not say `{side}`"
        if "not enough" in message:
            yield "a fix that does not work"
        if "error[TD" in message and not PLACE.search(message):
            yield "the message has no place"
        if re.search(r"failed to legalize|'td\.|'scf\.|'arith\.|llvm", message):
            yield "the message is in the compiler's words"

    def row(self):
        message = "\n".join(self.golden)
        code = CODE.search(message)
        place = PLACE.search(message)
        choices = len(re.findall(r"^choice: ", message, re.MULTILINE))
        repaired = re.search(r"^tdc fix: (.*)", message, re.MULTILINE)
        return (f"| [{self.path.stem}]({self.path.name}) | {self.what} "
                f"| {code.group(1) if code else 'command line'} "
                f"| {place.group(1).split(':', 1)[1] if place else ''} "
                f"| {'both' if self.sides else ''} "
                f"| {choices or ''} | {repaired.group(1) if repaired else ''} |")


def update(paths):
    for path in paths:
        test = Test(path)
        golden = "".join(f"{GOLDEN} {line}".rstrip() + "\n" for line in test.outcome())
        Path(path).write_text(test.program + golden, encoding="utf-8")


def check(path):
    test = Test(path)
    outcome = test.outcome()
    if [line.rstrip() for line in outcome] != test.golden:
        sys.exit("\n".join(["expected:", *test.golden, "", "got:", *outcome]))
    if complaints := list(test.complaints()):
        sys.exit("\n".join(complaints))


def main():
    os.environ.pop("TDC_DEVICE", None)
    if sys.argv[1] == "--update":
        update(sys.argv[2:])
    elif sys.argv[1] == "--checklist":
        tests = [Test(path) for path in sorted(Path(sys.argv[2]).glob("*.tdsl"))]
        print(CHECKLIST.format(
            all=len(tests),
            fixed=sum("tdc fix: runs" in t.golden or "tdc fix: checks" in t.golden
                      for t in tests),
            rows="\n".join(test.row() for test in tests)))
    else:
        check(sys.argv[1])


main()
