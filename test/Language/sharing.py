"""Programs of names that share tensors: the errors, or what PyTorch prints.

    sharing.py [--torch]

Each row: what it shows, the program, and the output, or the code of its errors and their lines.
With --torch, by a Python with PyTorch and outside CI, PyTorch runs the programs: it must print
the output, and in a program with TD219 something else than it does with a copy for each name.
"""

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = [
    ("an element of a list of parameters", """\
let net = Linear(2, 1)
init.ones_(net.weight)
var ps = list(net.parameters())
ps[0] *= 3.0
print(net.weight.sum().item(), ps[0].sum().item())
""", "6.0 6.0"),
    ("names that rotate", """\
var a = zeros(2)
var b = zeros(2)
var c = zeros(2)
var d = zeros(2)
var e = zeros(2)
var f = zeros(2)
let first = b
for i in range(9) {
    let last = f
    f = e
    e = d
    d = c
    c = b
    b = a
    a = last
    a += 1.0
}
print(first)
""", "TD219 18"),
    ("a copy of columns", """\
var x = ones(2, 4)
let y = x[:, :2].contiguous()
let z = x[:, 1:3].flatten()
let d = diag(x[:, :2])
x += 1.0
print(y.sum().item(), z.sum().item(), d.sum().item(), rot90(x, 0).sum().item())
""", "4.0 4.0 2.0 16.0"),
    ("dims that a permutation leaves together", """\
var x = zeros(2, 3, 4)
let y = x.permute(2, 0, 1).reshape(4, 6)
x += 1.0
print(y)
""", "TD219 4"),
    ("an element in nested loops", """\
var acc = [zeros(2), zeros(2)]
let first = acc[0]
for k in range(3) { for i in range(2) { acc[i] += 1.0 } }
print(first)
""", "TD219 4"),
    ("an element, and its name", """\
var a = zeros(2)
var buf = [a]
buf[0] += 5
print(a)
""", "TD219 4"),
    ("rows in a list", """\
let base = zeros(2,3)
var rows = [base[0], base[1]]
rows[0] += 1
print(base)
""", "TD219 4"),
    ("a part of an element", """\
let a = zeros(2)
var xs = [a]
xs[0][1] = 5.0
print(a)
""", "TD219 4"),
    ("an index without dims is a view", """\
var pos = ones(3, 2)
let s = tensor([3.0, 1.0, 2.0])
let best = pos[s.argmin()]
pos += 1.0
print(best)
""", "TD219 5"),
    ("a part of picked elements", """\
var x = zeros(3)
x[tensor([0])][0] = 5.0
print(x)
""", "TD219 2"),
    ("data of two models", """\
let a = Linear(1,1)
let b = Linear(1,1)
for p, q in zip(a.parameters(), b.parameters()) { q.data = p.data }
""", "TD219 3"),
    ("data that has a name", """\
let net = Linear(2,1)
var t = ones(1,2)
net.weight.data = t
t += 1.0
print(net.weight.sum().item())
""", "TD219 4 5"),
    ("a buffer made of an argument", """\
var t = ones(2)
model M(t) { buffer w = t }
let m = M(t)
t += 1.0
print(m.w)
""", "TD219 4 5"),
    ("a part that another name changed is read", """\
var x = zeros(2,2)
var row = x[0]
row += 1.0
x[0] += 1.0
print(x)
""", "TD219 4"),
    ("a field in a tuple", """\
model M { buffer last = zeros(2) }
let m = M()
var t = ones(2)
var a = zeros(2)
a, m.last = zeros(2), t
t += 1.0
print(m.last)
""", "TD219 6 7"),
    ("a list that is unpacked", """\
let a = [1,2]
var b = a
b[0] = 5
let p, q = a
print(p, q)
""", "TD219 4"),
    ("a function changes the list of a loop", """\
fn add(xs) {
    var xs = xs
    if len(xs) < 3 { xs.append(9) }
    return len(xs)
}
let a = [1]
for x in a {
    let n = add(a)
    print(x, n)
}
""", "TD219 7"),
    ("a batch of a tuple", """\
for x in DataLoader(TensorDataset(ones(4, 2)), batch_size=2) {
    var y = x[0]
    y += 1.0
    print(y.sum().item())
}
""", """\
8.0
8.0"""),
    ("batches are copies", """\
for (x,) in DataLoader(TensorDataset(arange(4.0)), batch_size=2) {
    var x = x
    x /= 2.0
    print(x)
}
""", """\
tensor([0.0000, 0.5000])
tensor([1.0000, 1.5000])"""),
    ("rows of a loop are different elements", """\
let x = tensor([[3.0, 4.0], [6.0, 8.0]])
for row in x.clone() {
    var row = row
    row /= row.norm()
    print(row)
}
""", """\
tensor([0.6000, 0.8000])
tensor([0.6000, 0.8000])"""),
    ("the element at the index of a loop", """\
fn fill(x) {
    var y = x
    y[0] = 7.0
    return y
}
var x = zeros(3, 2)
for i in range(3) { x[i] = fill(x[i]) }
print(x.sum().item())
""", "21.0"),
    ("the row at the index of a loop", """\
var x = arange(4.0)
for i, v in enumerate(x) { x[i] = v * 2.0 }
print(x)
""", "tensor([0., 2., 4., 6.])"),
    ("a part of the previous iteration", """\
var x = zeros(4)
var prev = x[0:1]
for i in range(3) {
    print(prev)
    prev = x[i:i+1]
    x[i] += 1.0
}
""", "TD219 4"),
    ("a row of the previous iteration", """\
var x = zeros(4, 2)
var prev = zeros(2)
for i in range(3) {
    print(prev)
    prev = x[i]
    x[i] += 1.0
}
""", "TD219 4"),
    ("elements of a tuple", """\
let t = (ones(2), zeros(2))
var a, b = t
a += 1.0
print(t[0], b)
""", "TD219 4"),
    ("a field that was replaced", """\
model M { buffer last = zeros(2) }
let m = M()
var before = m.last
m.last = ones(2)
before += 1.0
print(before, m.last)
""", "tensor([1., 1.]) tensor([1., 1.])"),
    ("reshape of a transposed tensor is a copy", """\
var x = zeros(2,2)
let y = x.T.reshape(4)
x += 1.0
print(y)
""", "tensor([0., 0., 0., 0.])"),
    ("@= makes a new tensor", """\
var x = ones(2,2)
let s = x
x @= x
print(s.sum().item())
""", "4.0"),
    ("columns that grow", """\
var x = ones(2, 1)
for i in range(3) { x = column_stack([x, ones(2,1)]) }
print(x.shape)
""", "(2, 4)"),
    ("where a sum starts", """\
print(sum([1,2], start=10))
""", "13"),
    ("sum of a list along a dim", """\
print(sum([1,2], dim=1))
""", "TD303 1"),
    ("a method of picked elements", """\
var x = zeros(2)
x[tensor([0])].add_(5.0)
print(x)
""", "TD219 2"),
    ("an argument that a layer of the prelude gives", """\
model User {
    fn forward(x) {
        var y = x
        y += 1.0
        return x + y
    }
}
let net = Sequential(Linear(2,2,bias=false), User())
print(net(ones(1,2)).shape)
""", "TD219 5"),
    ("elements in nested loops", """\
var x = zeros(3, 3)
for i in range(3) {
    for j in range(3) { x[i][j] = 1.0 * i + j }
}
print(x.sum().item())
""", "18.0"),
    ("a row that changes in a loop", """\
var x = zeros(3, 3)
for i in range(3) {
    var r = x[i]
    r += 1.0
}
print(x.sum().item())
""", "TD219 6"),
    ("a row that a second loop reads", """\
var x = zeros(3, 3)
for k in range(2) {
    for i in range(3) {
        var r = x[i]
        print(r.sum().item())
        r += 1.0
    }
}
""", "TD219 5"),
    ("a batch that changes", """\
let batch = ones(4,2)
for (x,) in DataLoader(TensorDataset(batch), batch_size=2) {
    var m = x
    m[:, 0] = m[:, 1] * 2.0
    print(m.sum().item())
}
""", """\
6.0
6.0"""),
    ("a method of a view without a name", """\
let x = zeros(4)
x.view(2, 2)[0].add_(1.0)
""", "TD202 2"),
    ("a method of the same tensor by a function", """\
let x = zeros(4)
x.detach().add_(1.0)
""", "TD202 2"),
    ("a method of a new tensor", """\
let x = ones(2)
let y = x.clone().add_(1.0)
print(x.sum().item(), y.sum().item(), zeros(3, 3).fill_(2.0).triu_(1).sum().item())
""", "2.0 4.0 6.0"),
    ("methods of a part, one after the other", """\
var x = zeros(2, 2)
x[0].add_(1).mul_(2)
print(x.sum().item())
""", "4.0"),
    ("a method that a condition of the run decides on", """\
var x = ones(2)
let c = x.sum().item() > 1.0
let y = x.add_(1) if c else x
print(y)
""", "TD214 3"),
    ("the same to the right of `and`", """\
var x = ones(2)
if x.sum().item() > 1.0 and x.add_(1).sum().item() > 0.0 { print(1) }
""", "TD214 2"),
    ("a gradient that is assigned, and has a name", """\
let net = Linear(2, 1)
let g = ones(1, 2)
net.weight.grad = g
net.weight.grad.mul_(2.0)
print(g)
""", "TD219 5"),
    ("a gradient that is assigned, and does not change", """\
let net = Linear(2, 1)
let g = ones(1, 2)
net.weight.grad = g
print(g.sum().item(), net.weight.grad.sum().item())
""", "2.0 2.0"),
    ("a loop of functions that change their argument", """\
fn grow(x) {
    var x = x
    x.add_(1.0)
    return x
}
let first = zeros(2)
print(grow(first), first)
""", "TD219 7"),
]


# Programs in which TD219 is about a later change, which they do not show.
SILENT = {"data of two models", "a part of picked elements", "a method of picked elements",
          "an argument that a layer of the prelude gives"}
NAMES = """
import itertools, torch
from torch import arange, column_stack, nn, ones, tensor, zeros
from torch.nn import Linear, Sequential, init
from torch.utils.data import DataLoader, TensorDataset
true, false = True, False
torch.set_grad_enabled(False)
def print(*values, write=print):
    write(*[tuple(one) if isinstance(one, torch.Size) else one for one in values])
"""


def run(program):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.tdsl"
        path.write_text(program, encoding="utf-8")
        done = subprocess.run(["tdc", "run", path.name], cwd=folder, capture_output=True, text=True,
                              check=False)
    return done.returncode, done.stdout.strip(), done.stderr


def python_of(program):
    """The program in Python: blocks are indented, and models are classes."""
    lines, kinds = [], []
    for part in re.split(r"\n|(?<= \{)|(?=\})|;", program):
        line = re.sub(r"^(let|var) ", "", part.strip())
        inside = "    " * len(kinds)
        if line.startswith("}"):
            kinds.pop()
        elif line.startswith("model "):
            name, given = re.match(r"model (\w+)(?:\((.*)\))? \{", line).groups()
            lines += [f"{inside}class {name}(nn.Module):",
                      f"{inside}    def __init__(self, {given or ''}):",
                      f"{inside}        super().__init__()"]
            kinds.append("model")
        elif line.startswith("buffer "):
            name, value = line.removeprefix("buffer ").split(" = ")
            lines.append(f'{inside}    self.register_buffer("{name}", {value})')
        elif line.endswith("{"):
            line = line[:-1].strip()
            if line.startswith("fn "):
                line = "def " + line[3:].replace("(", "(self, " if "model" in kinds else "(", 1)
            lines.append(f"{inside}{line}:")
            kinds.append("block")
        elif line:
            lines.append(inside + line)
    return "\n".join(lines) + "\n"


def check_by_pytorch(title, program, wanted):
    """Asserts that PyTorch prints `wanted`, or what TD219 says of the program."""
    from separate import copied, separate

    def output(code):
        printed, names = io.StringIO(), {"copied": copied}
        exec(NAMES, names)  # pylint: disable=exec-used
        with contextlib.redirect_stdout(printed):
            exec(code, names)  # pylint: disable=exec-used
        return printed.getvalue().strip()

    text = python_of(program)
    if not wanted.startswith("TD"):
        assert output(text) == wanted, (title, text, output(text))
    elif wanted.startswith("TD219") and title not in SILENT:
        assert output(text) != output(separate(text)), (title, text, output(text))


def check(title, program, wanted):
    """Asserts that tdc prints `wanted`, or reports these errors and no others."""
    status, output, errors = run(program)
    found = re.findall(r"^error\[(\w+)\].*\n  --> program.tdsl:(\d+):", errors, re.MULTILINE)
    if wanted.startswith("TD"):
        code, *lines = wanted.split()
        assert status == 1 and found == [(code, line) for line in lines], (title, output, errors)
        assert errors.count("error[") == len(found), (title, errors)
    else:
        assert status == 0 and output == wanted, (title, output, errors)


def main():
    by_pytorch = sys.argv[1:] == ["--torch"]
    if by_pytorch:
        sys.path.append(str(Path(__file__).parents[1] / "Random"))
    for row in PROGRAMS:
        (check_by_pytorch if by_pytorch else check)(*row)
    print(f"{len(PROGRAMS)} programs")


if __name__ == "__main__":
    main()
