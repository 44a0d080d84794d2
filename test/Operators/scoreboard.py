"""Prints which of PyTorch's operators the language has, and whether they are equal.

    python scoreboard.py TDC [--only REGEX] [--details] [--library FILE] [OPTIONS OF tdc run …]

Needs PyTorch, expecttest and about twenty minutes, so it runs outside of CI; stored.test
runs a part of it from stored arrays. An operator is complete if every sample in scope is
equal, values and gradients: in f64 and f32, in every dtype if it only moves elements, and in
all integers if it has no floats.

Equal means within the tolerance of OpInfo. In f32 a result is equal, too, if it is at least as
near to PyTorch's result in f64, from the same numbers, as PyTorch's own result in f32 is:
`nearer` counts these. `rounded` counts those that are up to twice as far from it as PyTorch's:
sums of large terms in another order, of which the tolerance of the sum knows nothing.
"""

import argparse
import collections
import json
import multiprocessing
import random
import re
import tempfile

import programs
import samples
import scope

MOST_STORED = 12  # samples of an operator
MOST_ELEMENTS = 400  # of all arrays of a sample that is stored


def judge(job):
    """What an operator's samples gave: an entry of the table, and samples to store."""
    name, tdc, options, library, most, stores = job
    entry = {"inside": collections.Counter(), "samples": collections.Counter(),
             "outside": collections.Counter(), "examples": collections.defaultdict(list)}
    family = scope.family(name)
    if family:
        entry["outside"][family] += 1
        return name, entry, []
    equal = []
    for op in samples.operators():
        if op.name != name:
            continue
        for dtype in samples.dtypes_of(op):
            try:
                every = list(samples.samples_of(op, dtype, entry["outside"]))
            except Exception as error:  # the samples of PyTorch may need a library
                entry["outside"][f"PyTorch: {type(error).__name__}: {error}"] += 1
                continue
            if most:
                every = every[::-(-len(every) // most) or 1]
            with tempfile.TemporaryDirectory() as folder:
                runner = programs.Runner(tdc, folder, options, library)
                runner.run_all(every)
            equal += count(runner.outcomes, every, entry)
    if not stores or programs.state_of(entry["inside"]) != "complete":
        equal = []
    return name, entry, drawn(equal)


def count(outcomes, every, entry):
    """Adds outcomes to an operator's entry; returns the samples of `every` that are equal."""
    of_samples = collections.defaultdict(set)
    for line, kind, text in outcomes:
        of = "gradients" if line.of_gradients else "values"
        entry["inside"][f"{kind} {of}"] += 1
        of_samples[id(line.sample)].add(kind)
        if kind not in programs.GOOD:
            call = line.sample.call.replace("{}", "")
            types = {name: programs.type_of(array) for name, array in line.sample.inputs.items()}
            entry["examples"][f"{kind}: {text}"].append(f"{of} {call} {types}")
    for sample in every:
        sample.exact = None  # a function does not go back to the first process
    for kinds in of_samples.values():
        entry["samples"][max(kinds, key=programs.KINDS.index)] += 1
    return [sample for sample in every if of_samples[id(sample)] == {"equal"}]


def drawn(every):
    """Samples of an operator to store, the same in each run: a tenth of the small ones, from 1
    to MOST_STORED. A tenth of all would take a minute in CI."""
    small = [sample for sample in every if size_of(sample) <= MOST_ELEMENTS]
    if not small:
        return []
    count = min(max(1, len(small) // 10), MOST_STORED)
    return random.Random(every[0].operator).sample(small, count)


def size_of(sample):
    """The number of elements of all arrays of a sample."""
    arrays = [*sample.inputs.values(), *sample.results, *sample.gradients.values(),
              *sample.weights.values()]
    return sum(array.size for array in arrays)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tdc")
    parser.add_argument("--only", default="", help="a regular expression for the names")
    parser.add_argument("--details", action="store_true", help="list what is not equal")
    parser.add_argument("--store", help="a file for some of the equal samples of complete "
                        "operators, which stored.test runs")
    parser.add_argument("--json", help="a file for the counts")
    parser.add_argument("--library", help="a .tdsl file whose functions are tried in place "
                        "of the compiler's own")
    parser.add_argument("--most", type=int, help="how many samples of an operator and a dtype "
                        "to run at most, evenly spaced; max pools have thousands")
    parser.add_argument("--jobs", type=int, default=2)
    arguments, options = parser.parse_known_args()
    names = sorted({op.name for op in samples.operators()
                    if re.fullmatch(arguments.only or ".*", op.name)})
    totals = collections.Counter()
    table = {}
    with multiprocessing.Pool(arguments.jobs, maxtasksperchild=8) as pool:
        jobs = [(name, arguments.tdc, options, arguments.library, arguments.most,
                 bool(arguments.store)) for name in names]
        stored = []
        for name, entry, some in pool.imap(judge, jobs):
            stored += some
            table[name] = entry
            kinds, outside = entry["inside"], entry["outside"]
            if arguments.json:  # after each operator: a run that is ended keeps what it has
                with open(arguments.json, "w") as file:
                    json.dump(table, file, indent=1)
            state = programs.state_of(kinds)
            totals[f"operators {state}"] += 1
            totals.update(kinds)
            totals.update({f"samples {kind}": n for kind, n in entry["samples"].items()})
            counts = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
            print(f"{state:9} {name:40} {counts}"
                  f"{f'; {sum(outside.values())} outside' if outside else ''}", flush=True)
            if arguments.details:
                for text, cases in entry["examples"].items():
                    print(f"          {len(cases)} x {text}\n            {cases[0]}")
                for why, n in outside.items():
                    print(f"          {n} outside: {why}")
    print("\n" + "\n".join(f"{n:7} {kind}" for kind, n in sorted(totals.items())))
    if arguments.store:
        programs.store(arguments.store, stored)


if __name__ == "__main__":
    main()
