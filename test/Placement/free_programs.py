"""Random programs with loops and branches that are known only at run time: free ops run
on the devices that the rule gives, with as few copies as that allows.

    free_programs.py --seed S --count N [--keep DIR]

Programs have `while` loops, `for` loops and branches that an argument or a file
decides, tensors that are loaded, made by constructors and by loaders, a model that
is moved or not, and tensors on devices that the program names, or none, with
`--device cuda` or without. Each is placed without knowing its argument and run with
the values 0, 1, 2, 5 and 50. It must print the same in all modes. In `insert` and
`warn` its free ops must run on the devices given by free_rule.py (an independent
oracle), and it must make K0 copies; in `optimize` the K0 of the devices chosen there.
The mode `off` rejects a program without its `.to`s, so this script writes them and
counts their copies. Needs tdc, tdc-opt and tdc-interpret in PATH.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
from array import array

import free_rule
import runs

RUNS = (0, 1, 2, 5, 50)
BYTES = 64  # of f32[4, 4]
ROWS, BATCHES = 12, 3
FLAGS = [1, 0, 0, 1, 1, 0, 1, 0]
SPLIT = "// -----\n"
UNARY = ["sin", "cos", "tanh"]
CUDA, CPU, FREE = "cuda", "cpu", "free"

MODEL = """model Net {
    fc = Linear(4, 4)
    buffer kept: f32[4, 4] = zeros(4, 4)
    fn forward(x) = tanh(self.fc(x))
}
"""


class Break(Exception):
    pass


#===--- Programs ------------------------------------------------------------===#

class Program:
    """A tree of statements, each a tuple: its kind and its parts. A tensor is on
    the device that the program gives it, or free; so is the model."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.place = {"a": FREE, "b": FREE}
        self.options = rng.choice([[], ["--device=cuda"], ["--device=cuda"]])
        # A third of the programs name no place.
        self.places = rng.choice([[FREE], [FREE, FREE, CUDA, CPU],
                                  [FREE, FREE, FREE, CUDA]])
        self.model = rng.choice([None, FREE, rng.choice(self.places)])
        if self.model == CPU:
            self.model = FREE
        self.trains = self.model and rng.random() < 0.4
        self.loader = rng.choice([None, "rows", "sin(rows)", "randn(12, 4)"])
        self.body = self.block(["a", "b"], [], depth=2, length=rng.randint(4, 8))

    def name(self, place):
        self.names += 1
        name = f"v{self.names}"
        self.place[name] = place
        return name

    def block(self, scope, indices, depth, length):
        outside, scope = len(scope), list(scope)
        statements = [self.statement(scope, indices, depth)
                      for _ in range(length)]
        made = scope[outside:]
        return statements + [self.print(made or scope)]

    def print(self, scope):
        """Returns an expression with a unique factor: equal tensors would be copied once."""
        self.names += 1
        return ("print", self.rng.choice(scope), self.names)

    def statement(self, scope, indices, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return self.print(scope)
        if kind < 0.2:
            place = rng.choice(self.places)
            return self.let(scope, place, ("make", place))
        if kind < 0.28 and self.model:
            return self.use_model(scope)
        if kind < 0.5 and depth:
            return self.loop(scope, indices, depth)
        if kind < 0.62 and depth:
            return self.branch(scope, indices, depth)
        place, value = self.expression(scope)
        return self.let(scope, place, value)

    def let(self, scope, place, value):
        name = self.name(place)
        scope.append(name)
        return ("let", name, value)

    def expression(self, scope, place=None):
        """Returns (place, expression) of the values in scope; with a `place`, of those there."""
        rng = self.rng
        if place == FREE:
            scope = [n for n in scope if self.place[n] == FREE]
        moved = rng.random() < 0.15 and self.places != [FREE]
        if moved and place != FREE:
            to = place or rng.choice([CUDA, CPU])
            return to, ("to", rng.choice(scope), to)
        names = rng.sample(scope, min(len(scope), rng.randint(1, 2)))
        at = {self.place[n] for n in names} - {FREE}
        here = at.pop() if len(at) == 1 else rng.choice([CUDA, CPU])
        if not at and here and all(self.place[n] == FREE for n in names):
            here = FREE
        if place not in (None, here):
            return place, ("to", names[0], place)
        form = rng.choice(UNARY) if len(names) == 1 else rng.choice("+*@")
        return here, ("op", form, here, names)

    def use_model(self, scope):
        if self.rng.random() < 0.3:
            value = self.rng.choice(scope)
            return ("keep", value)
        if self.trains and self.rng.random() < 0.5:
            # On a value that does not depend on the model: else the error would be TD611.
            return ("train", self.rng.choice("ab"))
        x = self.rng.choice(scope)
        form = self.rng.choice(["net", "net", "kept"])
        place = self.model
        if form == "net" and self.model == FREE and self.place[x] == CPU:
            place = CPU
        if form == "net" and self.model == FREE and self.place[x] == CUDA:
            x = next(n for n in scope if self.place[n] == FREE)
        return self.let(scope, place, (form, x))

    def condition(self, indices):
        rng = self.rng
        if indices and rng.random() < 0.7:
            return rng.choice([("mod", rng.choice(indices), rng.randint(2, 3)),
                               ("flag", rng.choice(indices))])
        return ("arg", rng.choice([0, 1, 3, 9]))

    def variables(self, scope, count):
        """Results of loops and branches, which keep their places."""
        rows = []
        for _ in range(count):
            first = self.rng.choice(scope)
            rows.append((self.name(self.place[first]), first))
        return rows

    def loop(self, scope, indices, depth):
        rng = self.rng
        variables = self.variables(scope, rng.randint(0, 2))
        inner = scope + [name for name, _ in variables]
        self.names += 1
        index = f"i{self.names}"
        form = rng.choice(["while", "while", "while", "for", "batches"])
        if form == "batches" and not self.loader:
            form = "while"
        if form == "batches":
            inner.append(self.name(FREE))
            batch = inner[-1]
        else:
            batch = None
        iterations = rng.choice(["n", "n", "n // 2", "(n + 1) % 4"])
        if depth == 1 and form != "batches":
            iterations = rng.choice(["(n + 1) % 4", "n // 8"])
        now = indices + [index] if form != "batches" else indices
        body = self.block(inner, now, depth - 1, rng.randint(1, 4))
        made = inner + [s[1] for s in body if s[0] == "let"]
        body += [("set", name, self.expression(made, self.place[name]))
                 for name, _ in variables]
        if form != "batches" and rng.random() < 0.2:
            body.append(("if", self.condition(now), [], [("break",)], []))
        scope += [name for name, _ in variables]
        return ("loop", form, index, iterations, batch, variables, body)

    def branch(self, scope, indices, depth):
        variables = self.variables(scope, self.rng.randint(0, 2))
        inner = scope + [name for name, _ in variables]
        sides = []
        for _ in range(2):
            body = self.block(inner, indices, depth - 1, self.rng.randint(0, 2))
            made = inner + [s[1] for s in body if s[0] == "let"]
            body += [("set", name, self.expression(made, self.place[name]))
                     for name, _ in variables if self.rng.random() < 0.7]
            sides.append(body)
        scope += [name for name, _ in variables]
        return ("if", self.condition(indices), variables, *sides)


#===--- Their text ----------------------------------------------------------===#

class Printer:
    """Prints the program; if `written`, with a `.to` wherever PyTorch needs one."""

    def __init__(self, program, written):
        self.program, self.written = program, written
        self.lines = []
        self.depth = 0

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def text(self):
        program = self.program
        self.emit("arg n: int = 5")
        for name in ("a", "b"):
            self.emit(f'let {name}: f32[4, 4] = load("{name}.npy")')
        self.emit('let rows: f32[12, 4] = load("rows.npy")')
        self.emit('let flags: i64[8] = load("flags.npy")')
        if program.model:
            self.lines += MODEL.splitlines()
            moved = ".to(cuda)" if program.model == CUDA else ""
            self.emit(f"let net = Net(){moved}")
            self.emit("let opt = SGD(net, lr=0.01)")
        if program.loader:
            self.emit(f"let loader = DataLoader({program.loader}, batch_size=4)")
        self.block(program.body)
        return "\n".join(self.lines) + "\n"

    def block(self, statements):
        for statement in statements:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def body(self, statements):
        self.depth += 1
        self.block(statements)
        self.depth -= 1

    def at(self, name, place):
        """A value as the operand of an op at a place."""
        own = self.program.place[name]
        if own != place and (own != FREE or self.written and place == CUDA):
            return f"{name}.to({CPU if place == FREE else place})"
        return name

    def value(self, value):
        form, *parts = value
        if form == "make":
            return MAKERS[parts[0]]
        if form == "to":
            return f"{parts[0]}.to({parts[1]})"
        if form == "net":
            return f"net({self.at(parts[0], self.program.model)})" \
                if self.program.model == CUDA else f"net({parts[0]})"
        if form == "kept":
            return "sin(net.kept)"
        op, here, names = parts
        operands = [self.at(name, here) for name in names]
        return f"{op}({operands[0]})" if len(names) == 1 else f" {op} ".join(operands)

    def do_let(self, name, value):
        self.emit(f"let {name} = {self.value(value)}")

    def do_set(self, name, value):
        self.emit(f"{name} = tanh({self.value(value[1])})")

    def do_print(self, name, number):
        self.emit(f"print({name}.sum() * {number})")

    def do_keep(self, name):
        model, own = self.program.model, self.program.place[name]
        if model == CUDA:
            name = self.at(name, CUDA)
        elif own == CUDA and self.written:
            name = f"{name}.to(cpu)"
        self.emit(f"net.kept = {name}")

    def do_train(self, name):
        model = self.program.model
        x = self.at(name, CUDA) if model == CUDA else (
            f"{name}.to(cpu)" if self.program.place[name] == CUDA else name)
        self.emit(f"opt.step(grad(net({x}).sum(), net))")

    def do_loop(self, form, index, iterations, batch, variables, body):
        self.variables(variables)
        if form == "while":
            self.emit(f"var {index} = 0")
            self.emit(f"while {index} < {iterations} {{")
            self.depth += 1
            # First, so that it is done before a `break`.
            self.emit(f"{index} += 1")
            self.depth -= 1
        elif form == "for":
            self.emit(f"for {index} in range({iterations}) {{")
        else:
            self.emit(f"for {index} in loader {{")
            self.emit(f"    let {batch} = {index}[0]")
        self.body(body)
        self.emit("}")

    def variables(self, variables):
        for name, first in variables:
            self.emit(f"var {name} = {first}")

    def condition(self, condition):
        form, *parts = condition
        if form == "mod":
            return f"{parts[0]} % {parts[1]} == 0"
        if form == "flag":
            return f"flags[{parts[0]} % 8].item() > 0"
        return f"n > {parts[0]}"

    def do_if(self, condition, variables, then, other):
        self.variables(variables)
        self.emit(f"if {self.condition(condition)} {{")
        self.body(then)
        if other:
            self.emit("} else {")
            self.body(other)
        self.emit("}")

    def do_break(self):
        self.emit("break")


MAKERS = {FREE: "randn(4, 4)", CUDA: "randn(4, 4, device=cuda)",
          CPU: "randn(4, 4, device=cpu)"}


#===--- What is copied as it is written -------------------------------------===#

class Written:
    """Follows a program with its `.to`s as a run does, and counts the copies."""

    def __init__(self, program, n):
        self.program, self.n = program, n
        self.copies = self.bytes = 0
        self.numbers = {}
        if program.model == CUDA:
            self.copy(BYTES)
            self.copy(16)  # the bias; the buffer is zeros, made anywhere
        self.block(program.body)

    def copy(self, size):
        self.copies += 1
        self.bytes += size

    def is_on_gpu(self, name):
        return self.program.place[name] == CUDA

    def bring(self, name, place):
        if self.is_on_gpu(name) != (place == CUDA):
            self.copy(BYTES)

    def block(self, statements):
        for kind, *parts in statements:
            getattr(self, "do_" + kind)(*parts)

    def do_let(self, _, value):
        form, *parts = value
        if form == "to":
            self.bring(parts[0], parts[1])
        elif form == "net":
            self.bring(parts[0], self.program.model)
        elif form == "op":
            for name in parts[2]:
                self.bring(name, parts[1])

    def do_set(self, name, value):
        self.do_let(name, value[1])

    def do_print(self, name, _):
        if self.is_on_gpu(name):
            self.copy(4)

    def do_keep(self, name):
        self.bring(name, self.program.model)

    do_train = do_keep

    def do_loop(self, form, index, iterations, _, __, body):
        count = BATCHES if form == "batches" else eval(iterations, {"n": self.n})
        try:
            for i in range(count):
                self.numbers[index] = i + 1 if form == "while" else i
                self.block(body)
        except Break:
            pass

    def do_if(self, condition, _, then, other):
        self.block(then if self.holds(condition) else other)

    def holds(self, condition):
        form, *parts = condition
        if form == "mod":
            return self.numbers[parts[0]] % parts[1] == 0
        if form == "flag":
            return FLAGS[self.numbers[parts[0]] % 8] > 0
        return self.n > parts[0]

    def do_break(self):
        raise Break


#===--- Checking ------------------------------------------------------------===#

class Failure(Exception):
    pass


def tdc(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise Failure(" ".join(map(str, arguments)) + ":\n" + done.stderr)
    return done.stdout


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.outputs = None
        self.known = {}  # results of run(), by module
        for written in (False, True):
            path = self.path(written)
            path.write_text(Printer(program, written).text())

    def path(self, written):
        return self.folder / ("written.tdsl" if written else "program.tdsl")

    def emit(self, phase, mode, written, *options):
        return tdc("tdc", "emit", f"--phase={phase}", "--sim-cuda=1",
                   f"--placement={mode}", *self.program.options, *options,
                   self.path(written))

    def run(self, module, what):
        """Returns (copies and bytes, their K0) of each run; all runs must print the same."""
        if module in self.known:
            return self.known[module]
        path = self.folder / "module.mlir"
        path.write_text(module)
        outputs, rows = [], []
        for n in RUNS:
            output, counts = runs.interpret_placed(path, ["--n", str(n)],
                                                   self.folder)
            if counts is None:
                raise Failure(f"{what}, n = {n}: {output}")
            outputs.append(output[0])
            rows.append(((sum(c["logical"] for c in counts["copies"]),
                          sum(c["bytes"] for c in counts["copies"])),
                         (counts["k0"]["copies"], counts["k0"]["bytes"])))
        self.outputs = self.outputs or outputs
        if outputs != self.outputs:
            raise Failure(f"{what}: another output\n" + "\n--\n".join(outputs) +
                          "\n== and before\n" + "\n--\n".join(self.outputs))
        self.known[module] = rows
        return rows

    def places(self, *modules):
        path = self.folder / "generic.mlir"
        path.write_text(SPLIT.join(modules))
        generic = tdc("tdc-opt", "--split-input-file", "--mlir-print-op-generic",
                      "--mlir-print-local-scope", path)
        return map(free_rule.places, generic.split(SPLIT))

    def check_rule(self):
        """Checks that ops run on the rule's devices, with the K0 of these devices."""
        resolved = self.emit("resolved", "insert", False)
        wanted, places = self.places(self.emit("grad", "insert", False), resolved)
        if places != wanted:
            wrong = [(i, *both) for i, both in enumerate(zip(wanted, places))
                     if both[0] != both[1]]
            raise Failure(f"ops by the rule and as resolved: {wrong}")
        return [least for _, least in self.run(resolved, "resolved")]

    def check_minimal(self, what, mode, written, *options):
        """Returns the module; its runs must copy the K0 of their ops."""
        module = self.emit("placed", mode, written, *options)
        rows = self.run(module, what)
        for n, (copies, least) in zip(RUNS, rows):
            if copies != least:
                raise Failure(f"{what}, n = {n}: {copies}, K0 {least}")
        return module, [copies for copies, _ in rows]

    def check_as_written(self):
        rows = self.run(self.emit("placed", "off", True), "off")
        for n, (copies, _) in zip(RUNS, rows):
            written = Written(self.program, n)
            if copies != (written.copies, written.bytes):
                raise Failure(f"off, n = {n}: {copies}, written are "
                              f"{written.copies, written.bytes}")

    def check(self):
        self.check_as_written()
        least = self.check_rule()
        _, fixed = self.check_minimal("insert --no-t-ops", "insert", False,
                                      "--no-t-ops")
        if fixed != least:
            raise Failure(f"insert --no-t-ops: {fixed}, K0 of the rule {least}")
        # T-ops next to a copy may run where fewer bytes cross.
        module, moved = self.check_minimal("insert", "insert", False)
        if any(made[1] > wanted[1] for made, wanted in zip(moved, least)):
            raise Failure(f"insert: {moved}, K0 of the rule {least}")
        if self.emit("placed", "warn", False) != module:
            raise Failure("warn: another program than insert")
        self.check_minimal("insert as written", "insert", True)
        self.check_minimal("optimize", "optimize", False)


def check(program, folder):
    """Returns a description of the failure, or None."""
    try:
        Checker(program, folder).check()
    except Failure as failure:
        return str(failure)
    return None


#===--- Making them smaller -------------------------------------------------===#

def blocks(body):
    yield body
    for statement in body:
        for part in statement:
            if isinstance(part, list) and part and isinstance(part[0], tuple) \
                    and part[0][0] in KINDS:
                yield from blocks(part)


KINDS = {"let", "set", "print", "keep", "train", "loop", "if", "break"}


def shrink(program, folder):
    """Drops statements as long as the rest is a program and fails."""
    kind = check(program, folder).split(":")[0]
    smaller = True
    while smaller:
        smaller = False
        for body in list(blocks(program.body)):
            for i in reversed(range(len(body))):
                saved = body.pop(i)
                problem = check(program, folder)
                if problem and problem.split(":")[0] == kind and \
                        "error[" not in problem:
                    smaller = True
                else:
                    body.insert(i, saved)


#===--- Files ---------------------------------------------------------------===#

def save(path, code, shape, values):
    """An .npy file."""
    header = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {shape}, }}"
    header = header.ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") +
                     header.encode() + values.tobytes())


def write_files(folder):
    rng = random.Random(0)
    for name, rows in (("a", 4), ("b", 4), ("rows", ROWS)):
        save(folder / f"{name}.npy", "<f4", (rows, 4),
             array("f", [rng.uniform(-1, 1) for _ in range(4 * rows)]))
    save(folder / "flags.npy", "<i8", (8,), array("q", FLAGS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        write_files(folder)
        for seed in range(options.seed, options.seed + options.count):
            program = Program(random.Random(seed))
            problem = check(program, folder)
            if not problem:
                continue
            failed += 1
            shrink(program, folder)
            print(f"seed {seed}: {check(program, folder)}\n{program.options}\n"
                  f"{Printer(program, False).text()}", flush=True)
    print(f"{options.count} programs from seed {options.seed}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
