"""The training programs of examples, on a GPU: what they copy is what they cannot
do without, wherever their `.to`s stand.

    training.py EXAMPLES

With --device cuda the parameters are made on the device and stay there, like the
optimizer's state; a loader's batches go there, each tensor once; what is printed
comes back, a number each time. Every form of a program copies the same.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

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
    ("digits", ["--epochs", "2"], {
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


def count(program, arguments):
    """Copies to the device and back; a text if it does not run."""
    placed = subprocess.run(
        ["tdc", "emit", "--phase=placed", "--device=cuda", "--sim-cuda=1",
         program.name],
        capture_output=True, text=True, cwd=program.parent)
    if placed.returncode:
        return placed.stderr
    counts = program.parent / "transfers.json"
    done = subprocess.run(["tdc-interpret", "-", "--transfers", counts, "--",
                           *arguments],
                          input=placed.stdout, capture_output=True, text=True,
                          cwd=program.parent)
    if done.returncode:
        return done.stderr
    copies = {c["src"]: c["logical"]
              for c in json.loads(counts.read_text())["copies"]}
    return copies.get("cpu", 0), copies.get("cuda:0", 0)


def main():
    examples = pathlib.Path(sys.argv[1])
    data = (examples / "data" / "digits").resolve()
    total = failed = 0
    for name, arguments, forms, wanted in CASES:
        for form, changes in forms.items():
            total += 1
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                for path in examples.glob("*.tdsl"):
                    shutil.copy(path, folder)
                program = folder / f"{name}.tdsl"
                text = program.read_text()
                for pattern, replacement in changes:
                    text, times = re.subn(pattern, replacement, text)
                    assert times, f"{name}: {pattern} is not in it"
                program.write_text(text)
                words = list(arguments)
                if name == "digits":
                    words += ["--data", str(data)]
                if "--resume" in words:
                    count(program, ["--epochs", "1", "--data", str(data)])
                got = count(program, words)
            if got != wanted:
                failed += 1
                print(f"{name}, {form}: {got}, not {wanted}")
    print(f"{total} forms of programs, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
