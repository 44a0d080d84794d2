"""Random programs of td IR, placed and run: the output must be the same as without
placement, and the number of copies and their bytes must be K0, the minimum that the
ops of this run need to read their operands.

    random_programs.py --seed S --count N [--devices 2|3] [--keep DIR]
                       [--mutate | --memory | --optimize | --compiled]

Programs have loops (some without an iteration), branches, while loops, slots, values
that loops and branches pass on, and ops on two or three devices chosen at random.
A program that fails is shrunk as long as it fails, and written to the folder.
--mutate: the verifier and the interpreter both detect every transfer that is removed
from a placed program or moved to another device (tdc-mutate). --memory: with less
memory on a device than the placed program took, it still runs and prints the same,
mostly within that memory: a single op may need more. --optimize: costs choose the
devices of all ops (two devices), and K0 is computed for these devices. --compiled: the
placed program does the same as machine code and on simulated GPUs (runs.py). Needs
tdc-opt, tdc-interpret, tdc-mutate and tdc-call in PATH.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import runs

TENSOR, ELEMENT = "tensor<2xf32, #{}>", "tensor<1xf32, #{}>"
PASSES = ["--td-normalize", "--td-choose-devices", "--td-place",
          "--td-fit-memory", "--td-verify-placement"]
TENSOR_BYTES = 8
OPS = [["fill"], ["sin"], ["add", "add", "update"]]  # by the number of inputs


class Program:
    """A tree of statements, each a tuple: its kind and its parts."""

    def __init__(self, rng, devices, keeps_all):
        self.rng = rng
        self.places = ["cpu", "g0", "g1"][:devices]
        self.slots = [(f"s{i}", rng.choice(self.places))
                      for i in range(rng.randint(0, 3))]
        self.mode = rng.choice(["", "td.no_t_ops"])
        self.memory = None
        self.keeps_all = keeps_all
        self.names = 0
        self.body = self.block([], depth=3, length=rng.randint(3, 7))

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def block(self, scope, depth, length):
        outside, scope = set(scope), list(scope)
        statements = []
        for _ in range(length):
            statement = self.statement(scope, depth)
            if statement:
                statements.append(statement)
        if self.keeps_all:
            statements += self.uses([n for n in scope if n not in outside])
        return statements

    def uses(self, names):
        """Reads values once more, at random places, in random order."""
        statements = []
        for name in self.rng.sample(names, len(names)):
            ins = [name, self.rng.choice(names)]
            result = self.name()
            statements += [self.op(result, self.rng.choice(self.places), ins),
                           ("print", result)]
        return statements

    def op(self, name, place, ins):
        return ("op", name, self.rng.choice(OPS[len(ins)]), place, ins)

    def statement(self, scope, depth):
        rng = self.rng
        kind = rng.random()
        place = rng.choice(self.places)
        if kind < 0.4 or not scope:
            ins = rng.sample(scope, min(len(scope), rng.randint(0, 2)))
            name = self.name()
            scope.append(name)
            return self.op(name, place, ins)
        if kind < 0.5:
            return ("print", rng.choice(scope))
        if kind < 0.6 and self.slots:
            return ("write", rng.choice(self.slots)[0], rng.choice(scope))
        if kind < 0.7 and self.slots:
            name = self.name()
            slot = rng.choice(self.slots)[0]
            scope.append(name)
            return ("read", name, slot)
        if depth == 0:
            return None
        if kind < 0.9:
            carried = [(self.name(), rng.choice(scope), self.name(),
                        rng.choice(self.places))
                       for _ in range(rng.randint(0, 2))]
            inner = scope + [c[0] for c in carried]
            body = self.block(inner, depth - 1, rng.randint(1, 4))
            yields = [self.pick(inner, body) for _ in carried]
            scope += [c[2] for c in carried]
            form = rng.choice(["for", "for", "for?", "while"])
            return ("loop", form, rng.randint(0 if form != "for" else 1, 4),
                    carried, yields, body)
        sides = [self.block(scope, depth - 1, rng.randint(0, 3))
                 for _ in range(2)]
        results = [(self.name(), rng.choice(self.places),
                    [self.pick(scope, side) for side in sides])
                   for _ in range(rng.randint(0, 2))]
        scope += [r[0] for r in results]
        return ("if", rng.randint(1, 3), results, sides)

    def pick(self, scope, body):
        made = [s[1] for s in body if s[0] in ("op", "read")]
        return self.rng.choice(scope + 2 * made)


class Printer:
    """Returns the text of a program, with a transfer wherever types would differ."""

    def __init__(self, program):
        self.program = program
        self.lines = []
        self.depth = 1
        self.fresh = 0
        self.place = {}
        self.slot_place = dict(program.slots)
        self.index = None

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def temp(self):
        self.fresh += 1
        return f"%t{self.fresh}"

    def type(self, place):
        return TENSOR.format(place)

    def at(self, name, place):
        """Returns a value on a device, copied there if it is on another."""
        own = self.place[name]
        if own == place:
            return f"%{name}"
        moved = self.temp()
        self.emit(f"{moved} = td.to_device %{name} : {self.type(own)} to "
                  f"{self.type(place)}")
        return moved

    def text(self):
        head = ["#cpu = #td.dev<cpu>", "#g0 = #td.dev<cuda, 0>",
                "#g1 = #td.dev<cuda, 1>",
                f"module{self.attributes()} {{"]
        for slot, place in self.program.slots:
            head.append(f'td.slot @{slot} buffer "{slot}" of "m" : '
                        f"{self.type(place)}")
        head.append("func.func @main() {")
        for i in range(5):
            self.emit(f"%c{i} = arith.constant {i} : i64")
        self.emit("%f = arith.constant 1.5 : f64")
        self.emit("%yes = arith.constant true")
        self.emit("%n = td.constant dense<[0, 1, 2, 3, 4]> : "
                  "tensor<5xi64, #cpu>")
        self.block(self.program.body)
        self.emit("return")
        return "\n".join(head + self.lines + ["}", "}", ""])

    def attributes(self):
        rows = [self.program.mode] if self.program.mode else []
        if self.program.memory is not None:
            rows.append('td.working_set = {"cuda:0" = '
                        f"{self.program.memory} : i64}}")
        return f" attributes {{{', '.join(rows)}}}" if rows else ""

    def block(self, statements):
        for statement in statements:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def do_op(self, name, op, place, ins):
        kind = self.type(place)
        self.place[name] = place
        if op == "update":
            self.update(name, place, *ins)
        elif op == "fill":
            self.emit(f"%{name} = td.fill %f : f64 -> {kind}")
        else:
            values = ", ".join([self.at(i, place) for i in ins])
            self.emit(f"%{name} = td.{op} {values} : {kind}")

    def update(self, name, place, whole, other):
        """Returns one element of a value, broadcast, on its own device."""
        own, value = self.place[other], self.at(whole, place)
        part, moved = self.temp(), self.temp()
        kind = ELEMENT.format(place)
        self.emit(f"{part} = td.slice %{other}[%c1] dim 0 step 1 : "
                  f"{self.type(own)} to {ELEMENT.format(own)}")
        self.emit(f"{moved} = td.to_device {part} : {ELEMENT.format(own)} to "
                  f"{kind}")
        self.emit(f"%{name} = td.update_slice {value}, {moved}[%c0] dim 0 "
                  f"step 1 : {self.type(place)}, {kind}")

    def do_print(self, name):
        value, text = self.at(name, "cpu"), self.temp()
        self.emit(f'{text} = td.format "{name} {{}}\\0A"({value}) : '
                  f"{self.type('cpu')}")
        self.emit(f"td.print {text}")

    def do_write(self, slot, name):
        place = self.slot_place[slot]
        value = self.at(name, place)
        self.emit(f"td.write {value}, @{slot} : {self.type(place)}")

    def do_read(self, name, slot):
        place = self.place[name] = self.slot_place[slot]
        self.emit(f"%{name} = td.read @{slot} : {self.type(place)}")

    def number(self, value):
        """Returns a number that is known only at run time."""
        one, item = self.temp(), self.temp()
        kind = "tensor<1xi64, #cpu>"
        self.emit(f"{one} = td.slice %n[%c{value}] dim 0 step 1 : "
                  f"tensor<5xi64, #cpu> to {kind}")
        self.emit(f"{item} = td.item {one} : {kind} -> i64")
        return item

    def do_loop(self, form, iterations, carried, yields, body):
        inits = [self.at(init, place) for _, init, _, place in carried]
        types = [self.type(place) for *_, place in carried]
        for inner, _, _, place in carried:
            self.place[inner] = place
        bound = self.number(iterations) if form != "for" else f"%c{iterations}"
        index = self.temp()
        results = ", ".join(f"%{c[2]}" for c in carried)
        names = [f"%{c[0]}" for c in carried]
        if form == "while":
            self.begin_while(index, bound, results, names, inits, types)
        else:
            pairs = ", ".join(f"{n} = {i}" for n, i in zip(names, inits))
            passed = (f" iter_args({pairs}) -> ({', '.join(types)})"
                      if carried else "")
            self.emit((results + " = " if carried else "") +
                      f"scf.for {index} = %c0 to {bound} step %c1{passed} "
                      ": i64 {")
        self.depth += 1
        outer, self.index = self.index, index
        self.block(body)
        self.index = outer
        values = [self.at(y, place)
                  for y, (*_, place) in zip(yields, carried)]
        if form == "while":
            next_index, again = self.temp(), self.temp()
            self.emit(f"{next_index} = arith.addi {index}, %c1 : i64")
            self.emit(f"{again} = arith.cmpi slt, {next_index}, {bound} : i64")
            values, types = [again, next_index] + values, ["i1", "i64"] + types
        if values:
            self.emit(f"scf.yield {', '.join(values)} : {', '.join(types)}")
        self.depth -= 1
        self.emit("}")
        for _, _, result, place in carried:
            self.place[result] = place

    def begin_while(self, index, bound, results, names, inits, types):
        runs, unused = self.temp(), [self.temp(), self.temp()]
        self.emit(f"{runs} = arith.cmpi slt, %c0, {bound} : i64")
        inits, types = [runs, "%c0"] + inits, ["i1", "i64"] + types
        before = [self.temp() for _ in inits]
        pairs = ", ".join(f"{n} = {i}" for n, i in zip(before, inits))
        all_results = ", ".join(unused + ([results] if results else []))
        listed = ", ".join(types)
        self.emit(f"{all_results} = scf.while ({pairs}) : ({listed}) -> "
                  f"({listed}) {{")
        self.emit(f"  scf.condition({before[0]}) {', '.join(before)} : "
                  f"{listed}")
        arguments = ", ".join(
            f"{n}: {t}" for n, t in zip([self.temp(), index] + names, types))
        self.emit("} do {")
        self.emit(f"^bb0({arguments}):")

    def do_if(self, modulus, results, sides):
        rest, taken = self.temp(), self.temp()
        counter = self.index or self.number(modulus)
        self.emit(f"{rest} = arith.remsi {counter}, %c{modulus} : i64")
        self.emit(f"{taken} = arith.cmpi eq, {rest}, %c0 : i64")
        types = ", ".join(self.type(place) for _, place, _ in results)
        names = ", ".join(f"%{r[0]}" for r in results)
        self.emit((names + " = " if results else "") + f"scf.if {taken}" +
                  (f" -> ({types})" if results else "") + " {")
        for i, side in enumerate(sides):
            if i:
                self.emit("} else {")
            self.depth += 1
            self.block(side)
            values = [self.at(value[i], place) for _, place, value in results]
            if values:
                self.emit(f"scf.yield {', '.join(values)} : {types}")
            self.depth -= 1
        self.emit("}")
        for name, place, _ in results:
            self.place[name] = place


def interpret(path):
    """Returns the output, (copies, bytes), K0 in the same form, and peaks by device."""
    counts = path.with_suffix(".json")
    run = subprocess.run(["tdc-interpret", path, "--transfers", counts],
                         capture_output=True, text=True)
    if run.returncode:
        return run.stderr, None, None, None
    transfers = json.loads(counts.read_text())
    copies = transfers["copies"]
    least = transfers["k0"]
    return (run.stdout, (sum(c["logical"] for c in copies),
                         sum(c["bytes"] for c in copies)),
            (least["copies"], least["bytes"]), transfers["peak"])


MUTATE = False
MUTANTS = re.compile(r"(\d+) mutants, (\d+) found .*, (\d+) by")
mutants = 0


def mutate(placed):
    """Returns a failure of the mutants, or None."""
    global mutants
    run = subprocess.run(["tdc-mutate", placed], capture_output=True,
                         text=True)
    counts = MUTANTS.findall(run.stdout)
    if run.returncode or not counts:
        return "mutants live: " + run.stderr
    mutants += int(counts[-1][0])
    return None


def check(program, folder):
    """What is wrong, or None."""
    written, placed = folder / "written.mlir", folder / "placed.mlir"
    written.write_text(Printer(program).text())
    run = subprocess.run(["tdc-opt", written, *PASSES, "-o", placed],
                         capture_output=True, text=True)
    if run.returncode:
        return "the passes fail: " + run.stderr[:2000]
    output, eager, least, _ = interpret(written)
    if eager is None:
        return None  # no program any more: shrinking removed too much
    result, copies, after, peaks = interpret(placed)
    if copies is None:
        return "the placed program fails: " + result
    if result != output:
        return "the outputs differ"
    # Ops without an effect are removed, so K0 may be smaller.
    # With T-ops a constructor may run on the device that needs its result.
    # Costs may prefer to compute elsewhere, and copy more.
    is_more = after[1] > least[1] and program.mode != "td.optimize"
    if copies != after or is_more:
        return (f"copies {copies}, K0 {after}, "
                f"K0 as written {least}, copies as written {eager}")
    if MEMORY:
        return fit(program, output, peaks.get("cuda:0", 0), folder)
    if COMPILED:
        return execute(placed)
    return mutate(placed) if MUTATE else None


COMPILED = False


def execute(placed):
    """Returns a difference of the compiled program's run, or None."""
    return runs.compare(
        runs.interpret_placed(placed),
        runs.execute(["env", "TDC_SIM_CUDA=2", "tdc-call", placed, "--main"]))


MEMORY = False
fitted = 0


def fit(program, output, peak, folder):
    """Returns a failure of the program with less memory, or None."""
    global fitted
    for room in range(TENSOR_BYTES, peak, TENSOR_BYTES):
        program.memory = room
        full, placed = folder / "full.mlir", folder / "full-placed.mlir"
        full.write_text(Printer(program).text())
        program.memory = None
        run = subprocess.run(
            ["timeout", "60", "tdc-opt", full, *PASSES, "-o", placed],
            capture_output=True, text=True)
        if run.returncode:
            return f"the passes fail in {room} bytes: " + run.stderr[:2000]
        result, copies, _, peaks = interpret(placed)
        if copies is None:
            return f"the program fails in {room} bytes: " + result
        if result != output:
            return f"the outputs differ in {room} bytes"
        # A single op needs more, or the slots do.
        fitted += peaks["cuda:0"] <= room
    return None


def shrink(program, folder):
    """Drops statements as long as the program fails."""
    def blocks(body):
        yield body
        for statement in body:
            if statement[0] == "loop":
                yield from blocks(statement[5])
            elif statement[0] == "if":
                for side in statement[3]:
                    yield from blocks(side)

    smaller = True
    while smaller:
        smaller = False
        for body in list(blocks(program.body)):
            for i in reversed(range(len(body))):
                saved = body.pop(i)
                try:
                    fails = check(program, folder)
                except KeyError:  # a name that was removed
                    fails = None
                if fails:
                    smaller = True
                else:
                    body.insert(i, saved)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--devices", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("--optimize", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--compiled", action="store_true")
    options = parser.parse_args()
    global MUTATE, MEMORY, COMPILED
    MUTATE, MEMORY = options.mutate, options.memory
    COMPILED = options.compiled
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = options.keep or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        for seed in range(options.seed, options.seed + options.count):
            rng = random.Random(seed)
            devices = 2 if options.optimize else rng.choice([2, 2, 3])
            program = Program(rng, options.devices or devices,
                              keeps_all=MEMORY)
            if options.optimize:
                program.mode = "td.optimize"
            problem = check(program, folder)
            if not problem:
                continue
            failed += 1
            shrink(program, folder)
            print(f"seed {seed}: {check(program, folder)}\n"
                  f"{Printer(program).text()}")
            if failed == 3:
                break
    if MUTATE:
        print(f"{mutants} mutants")
    if MEMORY:
        print(f"{fitted} made to fit")
    print(f"{options.count} programs from seed {options.seed}: "
          f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
