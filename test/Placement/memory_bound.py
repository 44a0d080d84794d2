"""The least memory that a program can run in: the most that is live at one time.

Reads the module after the phase `nvvm` as text in MLIR's generic form and follows
its values backwards, block by block. Slots and literals of GPUs are always live. A
value that a loop carries, that a kernel may overwrite or that is written to a slot is
counted at most once, so no plan of buffers with fixed addresses can need less. All sizes
are rounded as addresses are. Values of run-time size are not counted.
"""

import collections
import re

ALIGNMENT = 64
BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i16": 2,
         "i8": 1, "ui8": 1, "i1": 1}
MAPPED = 64 << 20  # a file of so many bytes is viewed where it is
TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+), #td\.dev<(\w+)(?:, (\d+))?>>$")
NAME = re.compile(r"%[\w#]+")


class Op:
    def __init__(self, name, operands, text):
        self.name, self.operands, self.text = name, operands, text
        self.results, self.regions = [], []

    def numbers(self, attribute):
        found = re.search(rf"\b{attribute} = array<i\d+(?:: ([\d, ]*))?>", self.text)
        return [int(n) for n in (found.group(1) or "").split(",")] if (
            found and found.group(1)) else []

    def slot(self):
        return re.search(r'slot = @("[^"]*"|[\w.$]+)', self.text).group(1)


class Block:
    def __init__(self):
        self.arguments, self.ops = [], []


def split(text):
    """Splits a text at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


class Reader:
    """Returns the ops of the module's functions; `types` gets the types of all values."""

    def __init__(self, text):
        self.lines = iter(text.splitlines())
        self.types = {}
        self.slots, self.functions = [], []
        next(line for line in self.lines if line.startswith('"builtin.module"'))
        for op in self.read_block().ops:
            if op.name == "td.slot":
                self.slots.append(op)
            elif op.name == "func.func":
                self.functions.append(op)

    def read_block(self):
        block = Block()
        for line in self.lines:
            line = line.strip()
            if line.startswith("^bb"):
                inside = line[line.index("(") + 1:line.rindex(")")] if "(" in line else ""
                for argument in split(inside):
                    name, kind = argument.split(": ", 1)
                    self.types[name] = kind
                    block.arguments.append(name)
            elif line.startswith("}"):
                self.end = line
                return block
            elif match := re.match(r'(?:(%\w+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)',
                                   line):
                block.ops.append(self.read_op(line, *match.groups()))
        return block

    def read_op(self, line, result, count, name, operands):
        op = Op(name, NAME.findall(operands), line)
        if line.endswith("({"):
            # Values inside kernels are not the host's.
            skips = name in ("llvm.func", "builtin.module", "llvm.mlir.global")
            if skips:
                self.skip()
                return op
            while True:
                op.regions.append(self.read_block())
                if not self.end.startswith("}, {"):
                    break
            op.text += self.end
        if result:
            kinds = op.text.rsplit(" -> ", 1)[-1].strip()
            kinds = split(kinds[1:-1]) if kinds.startswith("(") else [kinds]
            op.results = ([result] if not count else
                          [f"{result}#{i}" for i in range(int(count))])
            self.types.update(zip(op.results, kinds))
        return op

    def skip(self):
        depth = 1
        for line in self.lines:
            line = line.strip()
            depth -= line.startswith("}")
            depth += line.endswith("{") and (line.endswith("({") or line == "}, {")
            if depth == 0:
                self.end = line
                return


def rounded(size):
    return -(-size // ALIGNMENT) * ALIGNMENT


def measure(kind):
    """Returns (device, bytes) of a tensor of static size, else None."""
    match = TENSOR.match(kind)
    if not match:
        return None
    size = BYTES[match.group(2)]
    for dim in match.group(1).split("x")[:-1]:
        size *= int(dim)
    device = match.group(3) + (f":{match.group(4)}" if match.group(4) else "")
    return device, size


def walk_ops(block):
    for op in block.ops:
        yield block, op
        for region in op.regions:
            yield from walk_ops(region)


def carried(op):
    """Returns (initial, argument, next, result) of each carried value of a loop."""
    body = op.regions[-1]
    initial = op.operands if op.name == "scf.while" else op.operands[3:]
    arguments = body.arguments[len(body.arguments) - len(initial):]
    return zip(initial, arguments, body.ops[-1].operands, op.results)


class Bound:
    """Computes `most`, the largest number of live bytes by device."""

    def __init__(self, text):
        reader = Reader(text)
        self.types = reader.types
        self.names = {}  # of values that alias others
        self.free = set()  # takes no memory of its own
        self.rings = set()  # has two buffers for as long as its loop runs
        self.always = collections.Counter()
        for slot in reader.slots:
            kind = re.search(r"type = (.*?)}>", slot.text).group(1)
            device, size = measure(kind) or ("cpu", 8)  # a pointer
            self.always[device] += rounded(size)
        self.most = collections.Counter(self.always)
        bodies = [function.regions[0] for function in reader.functions]
        ops = [op for body in bodies for _, op in walk_ops(body)]
        others = {value for op in ops if op.name != "td.copy_start" for value in op.operands}
        for op in ops:
            self.classify(op, others)
        uses = collections.Counter(value for op in ops for value in op.operands)
        made_by = {result: op.name for op in ops for result in op.results}
        for op in ops:
            self.draw_in_slots(op, uses, made_by)
        self.add_literals(ops)
        while any([self.join_rings(op) for op in ops]):
            pass
        self.rings = {self.find(value) for value in self.rings}
        for body in bodies:
            self.free |= {value for value in body.arguments
                          if self.types[value].endswith("<cpu>>")}
            self.walk(body, set(), set())

    #===--- Names and sizes of values ---===#

    def find(self, value):
        while value in self.names:
            value = self.names[value]
        return value

    def classify(self, op, others):
        if op.name == "td.reshape":
            self.names[op.results[0]] = op.operands[0]
        elif op.name in ("td.read", "td.replica_get", "td.constant", "ub.poison"):
            self.free |= set(op.results)
        elif op.name == "td.write":
            self.free.add(self.find(op.operands[0]))
        elif op.name == "td.load":
            size = measure(self.types[op.results[0]])
            self.free |= set(op.results if size and size[1] >= MAPPED else [])
        elif op.name == "td.copy_start":
            pinned = [op.results[0]]
            if op.numbers("operandSegmentSizes")[-1]:  # an iteration
                self.rings.add(op.results[0])
                pinned += [op.operands[0]] if op.operands[0] not in others else []
            self.free |= {value for value in pinned
                          if self.types[value].endswith("<cpu>>")}

    def draw_in_slots(self, op, uses, made_by):
        """Random numbers take the memory of the slot if the only kernel that reads them may
        overwrite them and its result is written there."""
        pairs = op.numbers("in_place")
        for i, j in zip(pairs[::2], pairs[1::2]):
            operand = op.operands[i]
            if (self.find(op.results[j]) in self.free and uses[operand] == 1
                    and made_by.get(operand) == "td.random"):
                self.free.add(operand)

    def add_literals(self, ops):
        known = set()
        for op in ops:
            if op.name == "td.constant":
                device, size = measure(self.types[op.results[0]])
                literal = device, re.search(r"value = (.*?)}> :", op.text).group(1)
                if device != "cpu" and literal not in known:
                    known.add(literal)
                    self.always[device] += rounded(size)

    def join_rings(self, op):
        """Gives the values that a loop or branch passes on the same name; returns whether a
        name changed."""
        if op.name in ("scf.for", "scf.while"):
            groups = list(carried(op))
        elif op.name == "scf.if" and op.results:
            groups = list(zip(op.results, *(region.ops[-1].operands
                                            for region in op.regions)))
        else:
            return False
        joined = False
        for group in groups:
            rings = {self.find(ring) for ring in self.rings}
            names = {self.find(value) for value in group} - (self.free - rings)
            if len(names) > 1 and names & rings:
                first, *others = sorted(names)
                self.names.update(dict.fromkeys(others, first))
                self.free |= {first} if names & self.free else set()
                joined = True
        return joined

    #===--- Liveness ---===#

    def used(self, block):
        return {self.find(v) for _, op in walk_ops(block) for v in op.operands}

    def walk(self, block, after, rings):
        """Walks a block backwards from its end, where `after` is live, inside loops that keep
        `rings` live."""
        alive = set(after)
        for op in reversed(block.ops):
            operands = {self.find(value) for value in op.operands}
            results = {self.find(value) for value in op.results}
            if op.name in ("scf.for", "scf.while"):
                kept = {self.find(group[1]) for group in carried(op)} & self.rings
                alive = (alive - results) | self.used_from_outside(op)
                self.walk(op.regions[-1], alive, rings | kept)
                alive |= operands
            elif op.name == "scf.if":
                alive -= results
                for region in op.regions:
                    self.walk(region, alive, rings)
                alive |= self.used_from_outside(op) | operands
            elif op.name != "td.reshape":
                self.look(op, alive, alive | operands | results | rings)
                alive = (alive - results) | operands

    def used_from_outside(self, op):
        made = {self.find(value) for region in op.regions
                for block, inner in walk_ops(region)
                for value in (*inner.results, *block.arguments)}
        return set().union(*map(self.used, op.regions)) - made

    def look(self, op, after, alive):
        """Counts `alive`, the values that are live while an op runs, of which `after`
        are live after it; an operand that it may overwrite and its result count once."""
        sizes = collections.Counter(self.always)
        for value in alive - self.free:
            if found := measure(self.types[value]):
                sizes[found[0]] += rounded(found[1]) * (1 + (value in self.rings))
        spared = set()
        pairs = op.numbers("in_place")
        for i, j in zip(pairs[::2], pairs[1::2]):
            pair = {self.find(op.operands[i]), self.find(op.results[j])}
            found = measure(self.types[op.results[j]])
            if found and not pair & (self.free | spared) and (
                    self.find(op.operands[i]) not in after):
                spared |= pair
                sizes[found[0]] -= rounded(found[1])
        self.most |= sizes
