"""Equivalent forms of a program make the same copies.

    variants.py FOLDER

A variant replaces text of a program of FOLDER by equivalent text. With
--placement=strict it must print the same and make the copies of the program's K0.
"""

import pathlib
import sys
import tempfile

import suite

# (description, program, {text: replacement}).
VARIANTS = [
    ("a needless round trip of a batch", "p01",
     {"net(x.to(cuda))": "net(x.to(cuda).to(cpu).to(cuda))"}),
    ("a needless round trip of the model", "p01",
     {"        opt.zero_grad()":
      "        net.to(cpu)\n        net.to(cuda)\n        opt.zero_grad()"}),
    ("a function for the loss", "p01",
     {"let net =": "fn loss_of(net, x, y) = cross_entropy(net(x.to(cuda)), "
                   "y.to(cuda))\nlet net =",
      "let loss = cross_entropy(net(x.to(cuda)), y.to(cuda))":
      "let loss = loss_of(net, x, y)"}),
    ("the model moved after its optimizer is made", "p01",
     {"let net = Net().to(cuda)\nlet opt = SGD(net, lr=0.1)":
      "let net = Net()\nlet opt = SGD(net, lr=0.1)\nnet.to(cuda)"}),
    ("epochs unrolled", "p01", {"in range(3)": "in [0, 1, 2]"}),
    ("epochs unrolled", "p03", {"in range(3)": "in [0, 1, 2]"}),
    ("a function inlined", "p17",
     {"score(w, batch[0])": "(batch[0].to(cuda) @ w.to(cuda)).sum()"}),
    ("a copy hoisted by hand", "p17",
     {"w: f32[25, 10] @cpu = randn(25, 10, device=cpu).tanh()":
      "w = randn(25, 10, device=cpu).tanh().to(cuda)"}),
    ("a copy hoisted by hand", "p18",
     {"data: f32[5, 25] @cpu = randn(5, 25, device=cpu).tanh()":
      "data = randn(5, 25, device=cpu).tanh().to(cuda)"}),
    ("trainings unrolled", "p18", {"in range(4)": "in [0, 1, 2, 3]"}),
    ("hops unrolled", "p16", {"in range(3)": "in [0, 1, 2]"}),
]


def check(folder, name, changes, scratch):
    """Returns the failure of a variant, or None."""
    program = folder / f"{name}.tdsl"
    text = program.read_text()
    for old, new in changes.items():
        if text.count(old) != 1:
            return f"{old!r} is in it {text.count(old)} times"
        text = text.replace(old, new)
    variant = scratch / f"{name}.tdsl"
    variant.write_text(text)
    output, _, _ = suite.run(program, "K0")
    again, copies, _ = suite.run(variant, "K0")
    wanted = suite.expected(program)["K0"]
    if copies is None:
        return again
    if again != output:
        return f"another output:\n{again}\n{output}"
    return None if copies == wanted else f"{copies}, not {wanted}"


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for what, name, changes in VARIANTS:
            problem = check(folder, name, changes, pathlib.Path(scratch))
            if problem:
                failed += 1
                print(f"{name}, {what}: {problem}")
    print(f"{len(VARIANTS)} variants, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
