"""The device of each free op of a program, by the rule of docs/Placement.md.

This shares no code with td-resolve, and works in the other direction: it follows the
results of each op until they reach a device. `places(text)` takes a module in MLIR's
generic form, from --phase=grad, and returns (name, place) of its compute ops in order;
of a module from --phase=resolved it returns the places that the types have.
"""

import re

CONSTRUCTORS = {"td.constant", "td.fill", "td.iota", "td.random"}
NOT_COMPUTED = {*CONSTRUCTORS, "td.to_device", "td.read", "td.load"}
REGIONS = {"scf.for", "scf.while", "scf.if"}

OPERATION = re.compile(r'(?:(%[\w#]+)(?::(\d+))? = )?"([\w.]+)"\(([^)]*)\)'
                       r'(?: <\{(.*)\}>)?( \(\{$)?')
VALUE = re.compile(r"%[\w#]+")
PLACE = re.compile(r"#td\.dev<(cpu|cuda, \d+)>")
TENSOR = re.compile(r"tensor<[^<>]*(?:<[^<>]*>)?>")


class Op:
    def __init__(self, name, operands, attributes):
        self.name, self.operands, self.attributes = name, operands, attributes
        self.results, self.types = [], []  # of the results
        self.regions = [[]]
        self.arguments = [[]]  # of each region: (value, type)

    def yields(self, region):
        return self.regions[region][-1].operands


class Value:
    """Gives each value an object; other regions reuse the names."""


def parse(text):
    """Returns the functions of a module, and its attributes."""
    known, stack, functions, attributes = {}, [], [], ""

    def define(name):
        known[name] = Value()
        return known[name]

    def finish(op, types):
        op.types = split(types.partition(" -> ")[2].strip("()"))

    for line in text.splitlines():
        line = line.strip()
        if line.startswith("^bb"):
            stack[-1].arguments[-1] = [
                (define(name), kind) for name, kind in
                re.findall(r"(%\w+): (i1|i64|f64|tensor<[^<>]*(?:<[^<>]*>)?>|[!\w.]+)",
                           line)]
        elif line.startswith("}, {"):
            stack[-1].regions.append([])
            stack[-1].arguments.append([])
        elif line.startswith("})"):
            op = stack.pop()
            finish(op, line)
            if not stack:
                attributes = line
            elif op.name == "func.func":
                functions.append(op)
        elif match := OPERATION.match(line):
            result, count, name, operands, attribute, opens = match.groups()
            op = Op(name, [known[v] for v in VALUE.findall(operands)],
                    attribute or "")
            if result and count:
                op.results = [define(f"{result}#{i}") for i in range(int(count))]
            elif result:
                op.results = [define(result)]
            if stack:
                stack[-1].regions[-1].append(op)
            if opens:
                stack.append(op)
            else:
                finish(op, line[match.end():])
    return functions, attributes


def split(types):
    return re.findall(r"tensor<[^<>]*(?:<[^<>]*>)?>|[!\w.]+(?:<[^<>]*>)?", types)


def place_of(kind):
    """Returns the device in a type, "" for a free tensor, None for any other type."""
    if not kind.startswith("tensor"):
        return None
    found = PLACE.search(kind)
    return found.group(1) if found else ""


def walk(ops):
    for op in ops:
        yield op
        for region in op.regions:
            yield from walk(region)


class Flow:
    """The uses of free values. `ways` maps a value or slot to pairs (a value that it becomes
    or is an operand of, the number of ops between, 0 or 1); `ends` maps it to the devices
    that need it directly."""

    def __init__(self, functions):
        self.ways, self.ends = {}, {}
        self.made_from = {}  # the value's own device: constructors pin nothing
        self.freed = {}  # and the device that pins it: a home does not
        self.loaded = set()  # what loaders take
        self.place = {}
        self.constructed = set()
        ops = [op for function in functions for op in walk([function])]
        self.returned = {v for op in ops if op.name == "func.return"
                         for v in op.operands}
        self.readers = {}
        for op in ops:
            for v in op.operands:
                self.readers.setdefault(v, []).append(op)
        for op in ops:
            for region in op.arguments:
                for value, kind in region:
                    self.place[value] = place_of(kind)
            for value, kind in zip(op.results, op.types):
                self.place[value] = place_of(kind)
        self.moved = {slot(op) for op in ops
                      if op.name == "td.move" and "implied" not in op.attributes}
        for op in ops:
            self.add(op)

    def is_free(self, value):
        return self.place[value] == ""

    def way(self, source, target, cost):
        self.ways.setdefault(source, []).append((target, cost))
        self.made_from.setdefault(target, []).append(source)

    def end(self, value, place):
        self.ends.setdefault(value, set()).add(place)

    def add(self, op):
        if op.name == "td.to_device":
            self.add_transfer(op)
        elif op.name == "td.write":
            self.add_access(op, op.operands[0], written=True)
        elif op.name == "td.read":
            self.add_access(op, op.results[0], written=False)
        elif op.name == "td.move":
            if slot(op) not in self.moved:
                self.end(slot(op), PLACE.search(op.attributes).group(1))
        elif op.name in ("scf.for", "scf.while"):
            first = 3 if op.name == "scf.for" else 0
            arguments = [a for a, _ in op.arguments[-1]][first // 3:]
            lists = [op.operands[first:], op.yields(-1)]
            for i, (argument, result) in enumerate(zip(arguments, op.results)):
                for values in lists:
                    self.way(values[i], argument, 0)
                self.way(argument, result, 0)
                # A value has one place in the loop and after it.
                self.way(result, argument, 0)
        elif op.name == "scf.if":
            for i, result in enumerate(op.results):
                for region in range(2):
                    self.way(op.yields(region)[i], result, 0)
        elif op.name == "arith.select" and self.is_free(op.results[0]):
            for value in op.operands[1:]:
                self.way(value, op.results[0], 0)
        elif op.results and op.name.startswith("td.") and \
                self.is_free(op.results[0]):
            if op.name in CONSTRUCTORS:
                self.constructed.add(op.results[0])
            for value in op.operands:
                if self.place[value] is not None:
                    self.way(value, op.results[0], 1)

    def add_transfer(self, op):
        value, result = op.operands[0], op.results[0]
        at_home = "home" in op.attributes
        if self.is_free(result):
            self.way(value, result, 0)
            if not self.is_free(value):
                self.freed[result] = set() if at_home else {self.place[value]}
        elif self.is_free(value) and "implied" in op.attributes:
            if not at_home:
                self.end(value, self.place[result])
            elif any(r.name != "func.return" for r in self.readers[result]):
                self.loaded.add(value)

    def add_access(self, op, value, written):
        if self.is_free(value):
            self.way(*((value, slot(op)) if written else (slot(op), value)), 0)
        elif slot(op) not in self.moved:
            self.end(slot(op), self.place[value])

    def nearest(self, value):
        """Returns the nearest devices that the results of an op reach."""
        seen, level = set(), {value}
        while level:
            further, found = set(), set()
            work = list(level)
            while work:
                one = work.pop()
                if one in seen:
                    continue
                seen.add(one)
                found |= self.ends.get(one, set())
                for target, cost in self.ways.get(one, []):
                    if not isinstance(target, str) and not self.is_free(target):
                        continue
                    (further.add if cost else work.append)(target)
            if found:
                return found
            level = further - seen
        return set()

    def is_for_loader(self, value):
        seen, work = set(), [value]
        while work:
            one = work.pop()
            if one in self.loaded:
                return True
            if one not in seen:
                seen.add(one)
                work += [t for t, _ in self.ways.get(one, [])
                         if not isinstance(t, str)]
        return False

    def pins(self):
        """Returns the pinned device of each free value."""
        free = [v for v, place in self.place.items() if place == ""]
        free += {t for ways in self.ways.values() for t, _ in ways
                 if isinstance(t, str)}
        reached = {v: self.nearest(v) for v in free}
        pins = {v: self.freed.get(v, r if len(r) == 1 else set())
                for v, r in reached.items()}
        changes = True
        while changes:
            changes = False
            for v in free:
                if v in self.freed or len(reached[v]) == 1:
                    continue
                new = set(pins[v])
                for source in self.made_from.get(v, []):
                    if source not in self.constructed:
                        new |= pins.get(source, set())
                changes |= new != pins[v]
                pins[v] = new
        return pins


def slot(op):
    return re.search(r'@[^\s,>]+', op.attributes).group()


def places(text):
    functions, attributes = parse(text)
    standard = re.search(r"td\.default_device = #td\.dev<(.*?)>", attributes)
    standard = standard.group(1) if standard else "cpu"
    flow = Flow(functions)
    pins = flow.pins()
    rows = []
    for op in (op for function in functions for op in walk([function])):
        if not op.results or not op.name.startswith("td.") or \
                op.name in NOT_COMPUTED or flow.place[op.results[0]] is None:
            continue
        value = op.results[0]
        place = flow.place[value]
        if place == "":
            here = pins[value]
            place = (next(iter(here)) if len(here) == 1 else
                     "cpu" if flow.is_for_loader(value) else standard)
        rows.append((op.name, place))
    return rows
