#!/usr/bin/env python3
"""How the time and the memory of `tdc` grow with the size of a program.

    growth.py [--tdc PATH] [--only KIND,KIND] [--verb check|run|build]

Each kind of program is made with n, 2n, 4n and 8n parts, and is checked and run (and
built, with --verb build), each in a process of its own. A row has the processor time of all
threads (median of three rounds), the peak memory of the process, and the factors by which they
grow from 2n on. A figure over its limit is followed by `!`, and the exit code is 1 then.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

FACTOR = 2.2
CHECK_SECONDS, RUN_SECONDS, MEGABYTES = 2, 20, 1024
# Limits for programs that end with TD215: they must do so quickly.
REFUSED_SECONDS, REFUSED_MEGABYTES = 1, 200
# A process is ended beyond these: seconds of the processor, and of the clock.
MOST_SECONDS, MOST_WAIT, MOST_MEGABYTES = 60, 900, 6000
ROUNDS = 3
# A factor between times shorter than this reflects only the machine.
SHORT = 0.05


def lines(count, line, before="", after=""):
    """`line` for each number below `count`, between `before` and `after`."""
    return "\n".join([before, *(line(i) for i in range(count)), after])


def tuples(n):
    return lines(n, lambda i: f"let t{i + 1} = (t{i}, t{i})", "let t0 = (1, 2)", "print(1)")


def f_strings(n):
    return lines(n, lambda i: f'let s{i + 1} = f"{{s{i}}}{{s{i}}}"', 'let s0 = "ab"', "print(1)")


def nested_models(depth):
    return lines(depth, lambda i: f"model M{i + 1} {{\n    a = M{i}()\n    b = M{i}()\n"
                 "    fn forward(x) = self.b(self.a(x))\n}",
                 "model M0 {\n    l = Linear(1, 1)\n    fn forward(x) = self.l(x)\n}",
                 f"let m = M{depth}()\nprint(m(rand(1, 1)))")


def whiles(n):
    return lines(n, lambda i: f"while i < {i} {{ i += 1 }}", "var i = 0", "print(i)")


TRAIN = """let m = M()
let o = Adam(m)
let l = m(rand(2, 3)).sum()
l.backward()
o.step()
print(l)"""


def layer_fields(n):
    fields = lines(n, lambda i: f"    l{i} = Linear(3, 3)")
    calls = lines(n, lambda i: f"        h = self.l{i}(h)")
    return (f"model M {{\n{fields}\n    fn forward(x) {{\n        var h = x\n{calls}\n"
            f"        return h\n    }}\n}}\n{TRAIN}")


def layer_list(n):
    return (f"model M {{\n    ls = [Linear(3, 3) for i in range({n})]\n"
            "    fn forward(x) {\n        var h = x\n"
            "        for l in self.ls { h = relu(l(h)) }\n        return h\n    }\n}\n" + TRAIN)


RESIDUAL_BLOCKS = 160


def residual_blocks(n):
    """Training of blocks that all have another width. Wider blocks have more code, so the widths
    of any n blocks are spread evenly over the range."""
    fields = lines(n, lambda i: f"    b{i} = Block({8 + i * 99 % RESIDUAL_BLOCKS}, "
                                f"{3 + 2 * (i % 2)})")
    calls = lines(n, lambda i: f"        h = self.b{i}(h)")
    return f"""model Block(width: int, kernel: int) {{
    conv1 = Conv2d(8, width, kernel, padding=kernel // 2, bias=false)
    bn1 = BatchNorm2d(width)
    conv2 = Conv2d(width, 8, kernel, padding=kernel // 2, bias=false)
    bn2 = BatchNorm2d(8)
    fn forward(x) = relu(x + self.bn2(self.conv2(relu(self.bn1(self.conv1(x))))))
}}
model M {{
{fields}
    fn forward(x) {{
        var h = x
{calls}
        return h
    }}
}}
{TRAIN.replace("rand(2, 3)", "rand(2, 8, 8, 8)")}"""


def prints(n):
    return lines(n, lambda i: f'print("a", {i}, x)', "let x = rand(4)", "")


def sines(n):
    return lines(n, lambda i: f"let x{i + 1} = sin(x{i}) + {i}.5", "let x0 = rand(4)",
                 f"print(x{n})")


def sums(n):
    return "let x = rand(2)\nprint(" + " + ".join(["x"] * n) + ")"


def matmuls(n):
    return lines(n, lambda i: "x = x @ x", "var x = rand(4, 4)", "print(x)")


def ifs(n):
    return lines(n, lambda i: f"if y.sum().item() > {i}.0 {{ y = y + 1.0 }}",
                 "var y = rand(2)", "print(y)")


def fors(n):
    return lines(n, lambda i: f"for k in range({i % 3 + 1}) {{ y = y + 1.0 }}",
                 "var y = rand(2)", "print(y)")


def tensor_whiles(n):
    """Loops that start with the same values."""
    return lines(n, lambda i: f"var k{i} = 0\nvar y{i} = x\nwhile k{i} < 3 {{\n"
                 f"    y{i} = sin(y{i}) + {i}.0\n    k{i} += 1\n}}\nprint(y{i})",
                 "let x = rand(4)", "")


def host_ifs(n):
    return lines(n, lambda i: f"if i > {i} {{ i += 2 }}", "var i = int(rand(1).sum().item())",
                 "print(i)")


def calls(n):
    return lines(n, lambda i: f"y = f(y, {i}.0)", "fn f(x, c) = x * 0.5 + c\nvar y = rand(3)",
                 "print(y)")


def functions(n):
    """Each is called by the program, not by the next function."""
    return lines(n, lambda i: f"fn f{i}(x) = x + {i}.0\nprint(f{i}(rand(3)))")


def exported(n):
    return lines(n, lambda i: f"export fn f{i}(x: f32[3]) -> f32[3] = x + {i}.0", "", "print(1)")


def numbers(n):
    return lines(n, lambda i: f"let c{i} = {i} * 2\nprint(c{i} + 1)")


def parameters(n):
    return lines(n, lambda i: f"    param p{i}: f32[3] = init.uniform(1.0)", "model M {",
                 "    fn forward(x) = x * self.p0\n}\nlet m = M()\nprint(m(rand(3)))\n"
                 'm.save("m.safetensors")\nm.load("m.safetensors")')


def loads(n):
    return lines(n, lambda i: f'let x{i}: f32[3] = load("x.npy")\nprint(x{i}.sum())',
                 'save("x.npy", rand(3))')


def asserts(n):
    return lines(n, lambda i: f'assert i < {i + 10}, f"{{i}} is too large"',
                 "let i = int(rand(1).sum().item())", "")


def variables(n):
    """Changed in a loop that runs at run time."""
    declared = lines(n, lambda i: f"var v{i} = {i}.0")
    changed = lines(n, lambda i: f"    v{i} += t")
    return (f"{declared}\nfor k in range(3) {{\n    let t = rand(1).sum().item()\n{changed}\n}}\n"
            f"print(v0, v{n - 1})")


def loop_body(n):
    return lines(n, lambda i: f"    y = y - y.sum() * 0.1 + {i}.0",
                 "var y = rand(3)\nfor k in range(3) {", "}\nprint(y)")


def items(n):
    return "let x = tensor([" + ", ".join(f"{i}.5" for i in range(n)) + "])\nprint(x.sum())"


def comprehensions(n):
    return f"let xs = [i * 2 for i in range({n})]\nprint(sum(xs))"


def appended(n):
    return f"var xs = [0]\nfor i in range({n}) {{ xs += [i] }}\nprint(sum(xs))"


def added_text(n):
    return lines(n, lambda i: f's = s + "{i}"', 'var s = "a"', "print(len(s))")


def models(n):
    return lines(n, lambda i: f"let m{i} = Linear(2, 2)\nprint(m{i}(rand(1, 2)))")


def optimizers(n):
    return lines(n, lambda i: f"let m{i} = Linear(2, 2)\nlet o{i} = SGD(m{i}, momentum=0.9)\n"
                 f"let l{i} = m{i}(rand(1, 2)).sum()\nl{i}.backward()\no{i}.step()")


def else_ifs(n):
    return lines(n, lambda i: ("else " if i else "") + f"if i == {i} {{ y = {i} }}",
                 "let i = int(rand(1).sum().item())\nvar y = 0",
                 "print(y)").replace("}\nelse", "} else")


def slices(n):
    return lines(n, lambda i: f"x[{i % 1000}] = {i}.0", "var x = zeros(1000)", "print(x.sum())")


def cats(n):
    return lines(n, lambda i: f"let x{i} = rand(3)", "",
                 "print(cat([" + ", ".join(f"x{i}" for i in range(n)) + "]).sum())")


def arguments(n):
    return lines(n, lambda i: f"arg a{i}: int = {i}\nprint(a{i})")


def mistakes(n):
    return lines(n, lambda i: f"let x{i} = y{i} + rand(2)")


def comments(n):
    return lines(n, lambda i: f"# {i}", "", "print(1)")


def doubling(most):
    return [most // 8, most // 4, most // 2, most]


# The ways in which `tdc` ends.
OK, REFUSED, WRONG = "", "TD215", "TD201"
KINDS = {
    tuples: ([20, 40, 80, 160], REFUSED),
    f_strings: ([20, 40, 80, 160], REFUSED),
    nested_models: ([6, 7, 8, 9], OK),
    whiles: (doubling(3200), OK),
    layer_fields: (doubling(3200), OK),
    layer_list: (doubling(3200), OK),
    residual_blocks: (doubling(RESIDUAL_BLOCKS), OK),
    prints: (doubling(10000), OK),
    sines: (doubling(800), OK),
}
MORE = {
    sums: doubling(400), matmuls: doubling(3200), ifs: doubling(3200), fors: doubling(3200),
    tensor_whiles: doubling(800),
    host_ifs: doubling(3200), calls: doubling(3200), functions: doubling(3200),
    exported: doubling(3200), numbers: doubling(10000), parameters: doubling(10000),
    loads: doubling(3200), asserts: doubling(3200), variables: doubling(3200),
    loop_body: doubling(1600), items: doubling(10000), comprehensions: doubling(10000),
    appended: doubling(10000), added_text: doubling(10000), models: doubling(3200),
    optimizers: doubling(1600), else_ifs: doubling(200), slices: doubling(3200),
    cats: doubling(3200), arguments: doubling(3200), comments: doubling(10000),
}
KINDS |= {kind: (sizes, OK) for kind, sizes in MORE.items()}
KINDS[mistakes] = (doubling(10000), WRONG)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEGABYTES << 20,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS,) * 2)


def measure(tdc, verb, path):
    """Seconds, megabytes, and how it ended: "", a code or another reason."""
    with (path.parent / "errors.txt").open("w+b") as errors:
        output = ["-o", path.stem] if verb == "build" else []
        process = subprocess.Popen(
            [tdc, verb, path.name, *output], cwd=path.parent, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=limit)
        timer = threading.Timer(MOST_WAIT, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        said = errors.read(10000).decode(errors="replace")
    ended = ""
    if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        ended = "too long"
    elif process.returncode:
        found = re.search(r"error\[(\w+)\]", said)
        ended = found[1] if found else f"exit {process.returncode}"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, ended


def summarize(runs):
    """Combines runs: the median time, the most memory, and all ways in which runs ended."""
    seconds, megabytes, ends = zip(*runs)
    return sorted(seconds)[len(runs) // 2], max(megabytes), " / ".join(sorted(set(ends)))


def measure_all(tdc, verb, programs):
    """A row for each program; the rounds of the programs are interleaved."""
    rounds = [[] for _ in programs]
    for _ in range(ROUNDS):
        for path, runs in zip(programs, rounds):
            runs.append(measure(tdc, verb, path))
            if runs[-1][2] == "too long":
                return [summarize(runs) for runs in rounds if runs]
    return [summarize(runs) for runs in rounds]


class Table:
    """Cells, with a `!` where a limit is exceeded."""

    def __init__(self):
        self.missed = False

    def cell(self, text, good):
        self.missed |= not good
        return text if good else text + " !"

    def factors(self, values, least):
        """The growth factors from 2n on."""
        steps = [(after / max(before, least)) for before, after in zip(values[1:], values[2:])]
        return " ".join(self.cell(f"{step:.1f}", step <= FACTOR) for step in steps)

    def row(self, kind, verb, runs, expected):
        seconds, megabytes, ends = zip(*runs)
        most_seconds, most_megabytes = (
            (REFUSED_SECONDS, REFUSED_MEGABYTES) if expected == REFUSED else
            (CHECK_SECONDS if verb == "check" else RUN_SECONDS, MEGABYTES))
        cells = [kind.__name__, verb, " ".join(f"{s:.2f}" for s in seconds[:-1]) + " " +
                 self.cell(f"{seconds[-1]:.2f}", seconds[-1] <= most_seconds),
                 self.factors(seconds, SHORT),
                 " ".join(f"{m:.0f}" for m in megabytes[:-1]) + " " +
                 self.cell(f"{megabytes[-1]:.0f}", megabytes[-1] <= most_megabytes),
                 self.factors(megabytes, 1),
                 self.cell(ends[-1] or "ok", set(ends) == {expected})]
        print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tdc", default="tdc")
    parser.add_argument("--only", default="")
    parser.add_argument("--verb", choices=["check", "run", "build"])
    options = parser.parse_args()
    found = shutil.which(options.tdc) or parser.error(f"there is no {options.tdc}")
    tdc = pathlib.Path(found).resolve()  # programs run in a folder of their own
    kinds = {kind: row for kind, row in KINDS.items()
             if not options.only or kind.__name__ in options.only.split(",")}
    table = Table()
    print("| program | verb | seconds | grew | MB | grew | ends |\n"
          "| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for kind, (sizes, expected) in kinds.items():
            programs = [pathlib.Path(folder) / f"program{size}.tdsl" for size in sizes]
            for path, size in zip(programs, sizes):
                path.write_text(kind(size))
            for verb in [options.verb] if options.verb else ["check", "run"]:
                table.row(kind, verb, measure_all(tdc, verb, programs), expected)
    return table.missed


if __name__ == "__main__":
    sys.exit(main())
