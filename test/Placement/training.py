"""Tests that the training programs of examples copy only the data that they need on a
GPU, wherever their `.to`s are.

    training.py EXAMPLES

With --device cuda the parameters are made on the device and stay there, like the
optimizer's state; a loader's batches are copied there, each tensor once; each printed
number is copied back. Every form of a program makes the same copies.
"""

import pathlib
import re
import shutil
import sys
import tempfile
from typing import NamedTuple

import runs

OPTIONS = ["--device=cuda", "--sim-cuda=1"]

STEPS = 7  # batches of an epoch of simple_model_loader
DIGITS_STEPS = 45  # of digits
LEAVES = 4 + 8  # parameters and moments of digits

# (program, arguments, {what is done: changes}, (copies to the device, back)).
CASES = [
    ("simple_model", ["--epochs", "3"], {
        "as written": [],
        "without .to": [(r"\.to\(device\)", "")],
        ".to in the loop": [(r"\.to\(device\), randn", ", randn"),
                            (r"1\)\.to\(device\)", "1)"),
                            (r"model\(x_train\)", "model(x_train.to(device))"),
                            (r"outputs, y_train", "outputs, y_train.to(device)")],
    }, (0, 3)),
    # loss.item() in each step.
    ("simple_model_loader", ["--epochs", "2"], {
        "as written": [],
        "without .to": [(r"\.to\(device\)", "")],
        "the model moved in the loop": [
            (r"(        let data, target)", r"        model.to(device)\n\1")],
    }, (2 * STEPS * 2, STEPS * 2)),
    # The images and labels to test on; the checkpoint.
    ("digits", ["--epochs", "2", "--resume", "false"], {
        "as written": [],
        "with .to": [(r"Classifier\(\)\n", r"Classifier().to(cuda)\n"),
                     (r"model\(x\), y\)", "model(x.to(cuda)), y.to(cuda))"),
                     (r"model\(images\[1437:\]\)",
                      "model(images[1437:].to(cuda))"),
                     (r"== labels\[1437:\]", "== labels[1437:].to(cuda)")],
    }, (2 * DIGITS_STEPS * 2 + 2, 2 + 1 + LEAVES)),
    # The state that a checkpoint has moves once.
    ("digits", ["--epochs", "2", "--resume", "true"], {
        "as written": [],
    }, (2 * DIGITS_STEPS + 2 + LEAVES, 1 + 1 + LEAVES)),
]


class Form(NamedTuple):
    """One form of a program."""
    name: str
    what: str
    arguments: list
    changes: list
    copies: tuple  # to the device, and back


FORMS = [Form(name, what, arguments, changes, copies)
         for name, arguments, forms, copies in CASES
         for what, changes in forms.items()]


def run(form, examples, runner):
    """Calls runner(program, arguments) in a folder of its own, after a run of one epoch if
    the program continues from a checkpoint."""
    words = list(form.arguments)
    if form.name == "digits":
        words += ["--data", str((examples / "data" / "digits").resolve())]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in examples.glob("*.tdsl"):
            shutil.copy(path, folder)
        program = folder / f"{form.name}.tdsl"
        text = program.read_text()
        for pattern, replacement in form.changes:
            text, times = re.subn(pattern, replacement, text)
            assert times, f"{form.name}: {pattern} is not in it"
        program.write_text(text)
        if "true" in words:
            first = ["--epochs", "1", "--resume", "false", *words[-2:]]
            runner(program, first)
        return runner(program, words)


def interpret(program, arguments):
    return runs.interpret(program, OPTIONS, arguments, folder=program.parent)


def fix(arguments):
    """Returns the options for the module as in `tdc run`, which knows the arguments."""
    words = iter(arguments)
    return [f"--set={name[2:]}={value}" for name, value in zip(words, words)]


def interpret_fixed(program, arguments):
    return runs.interpret(program, [*OPTIONS, *fix(arguments)],
                          folder=program.parent)


def execute(program, arguments):
    return runs.execute(["tdc", "run", *OPTIONS, program, *arguments],
                        folder=program.parent)


def count(form, examples):
    """Returns the numbers of copies to the device and back, or a text if it does not run."""
    output, counts = run(form, examples, interpret)
    if counts is None:
        return output
    copies = {c["src"]: c["logical"] for c in counts["copies"]}
    return copies.get("cpu", 0), copies.get("cuda:0", 0)


def main():
    examples = pathlib.Path(sys.argv[1])
    failed = 0
    for form in FORMS:
        got = count(form, examples)
        if got != form.copies:
            failed += 1
            print(f"{form.name}, {form.what}: {got}, not {form.copies}")
    print(f"{len(FORMS)} forms of programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
