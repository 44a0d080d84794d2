"""Writes docs/Operators.md from what scoreboard.py and train_compare.py counted.

    python page.py TDC COUNTS.json… > docs/Operators.md

COUNTS.json are files of `scoreboard.py --json`; of an operator that is in several the last one
counts. The samples of CI are counted in Inputs/stored.npz, and the table of trained models is
made of Inputs/training.json, a file of `train_compare.py --spread 5 --json`. What a user sees of
an operator or a feature that the language does not have comes from TDC itself. Needs no PyTorch.
"""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import programs

HERE = pathlib.Path(__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
# Features that PyTorch has and the language has not: why, and the least program.
FEATURES = [
    ("recurrent layers: a loop over time is written", "let n = LSTM(3, 4)"),
    ("", "let n = GRU(3, 4)"),
    ("", "let n = RNN(3, 4)"),
    ("autocast: the dtype of each part is written", "with autocast { print(ones(2)) }"),
    ("complex numbers", "print(view_as_complex(ones(3, 2)))"),
    ("", "print(complex(ones(2), ones(2)))"),
    ("sparse tensors", "print(ones(2, 2).to_sparse())"),
    ("quantized tensors", "print(quantize_per_tensor(ones(2), 0.1, 0, 8))"),
    ("decompositions and solvers", "print(svd(ones(2, 2)))"),
    ("", "print(torch.linalg.inv(ones(2, 2)))"),
    ("Fourier transforms", "print(torch.fft.fft(ones(4)))"),
    ("sizes that depend on values", "print(nonzero(ones(3)))"),
    ("", "let x = ones(3)\nprint(x[x > 0.0])"),
    ("", "print(unique(ones(3)))"),
    ("in-place changes by a view that is no name and no part: `x[…] = …`",
     "var x = ones(3, 2)\nx.T.add_(1.0)"),
    ("results written to an argument", "print(add(ones(2), ones(2), out=ones(2)))"),
    ("strides: the compiler chooses how elements are stored",
     "print(as_strided(ones(4), (2, 2), (1, 1)))"),
    ("mixed dtypes: the program says each conversion", "print(tensor([1, 2]) * 0.5)"),
    ("optimizers with a closure or sparse gradients",
     "let n = Linear(2, 1)\nlet o = LBFGS(n.parameters(), lr=0.1)"),
]
# The runs of train_compare.py, as the page names them.
RUNS = {"lenet sgd": "LeNet, SGD", "resnet18 sgd": "ResNet-18 with batch norm, SGD",
        "unet sgd": "U-Net, SGD", "vae sgd": "VAE, SGD", "vae adam": "VAE, Adam",
        "transformer sgd": "transformer encoder, SGD",
        "transformer adam": "transformer encoder, Adam"}
# What the names of grammar and attributes are in the language's own words.
GRAMMAR = "operators, indexing and attributes"


def sections():
    """The section of docs/Reference.md that lists each function."""
    found = {}
    title = ""
    for line in (ROOT / "docs/Reference.md").read_text().splitlines():
        if line.startswith("##"):
            title = line.strip("# ")
        elif line.startswith("| `"):
            for name in re.findall(r"`(?:x\.)?(\w+)\(", line.split("|")[1]):
                found.setdefault(name, title)
    return found


def error_of(tdc, text):
    """The code and the text of the first error of a program; "" if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.tdsl"
        program.write_text(text + "\n")
        done = subprocess.run([tdc, "check", "--message-format", "json", program],
                              capture_output=True, text=True, cwd=folder)
    for line in done.stderr.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if report["severity"] == "error":
            title = report["title"]
            if report["code"] == "TD102":  # the title is that of all of Python
                title = report["primary"]["label"]
            return report["code"], title
    return "", ""


def state_of(entry):
    return programs.state_of(entry["inside"])


def short(name):
    """The name without its module."""
    return re.sub(r"^(nn\.functional|linalg|special)\.", "", name)


def shown(name, table):
    """The short name, or with its module where another operator has the same short name."""
    alone = sum(short(other) == short(name) for other in table) == 1
    return short(name) if alone else called(name)


def called(name):
    return name.replace("nn.functional.", "F.")


def escaped(text):
    return text.replace("|", "\\|")


def counts_of(entries):
    total = collections.Counter()
    for entry in entries:
        total["operators"] += 1
        total[state_of(entry)] += 1
        total.update(entry["samples"])
        total["samples"] += sum(entry["samples"].values())
    return total


def percent(total):
    run = sum(total[kind] for kind in (*programs.GOOD, "wrong"))
    return f"{100 * run / total['samples']:.1f} %" if total["samples"] else "-"


def families(table):
    """A row of figures for each section of the reference."""
    where = sections()
    by_family = collections.defaultdict(dict)
    for name, entry in table.items():
        if state_of(entry) != "outside":
            family = where.get(short(name), GRAMMAR)
            if state_of(entry) == "missing":
                family = "not in the language"
            by_family[family][name] = entry
    yield ("| family | operators | complete | in part | missing | samples | run | equal | nearer "
           "| rounded | wrong |")
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    order = list(dict.fromkeys(where.values()))
    rows = sorted(by_family.items(),
                  key=lambda row: order.index(row[0]) if row[0] in order else len(order))
    for family, entries in [*rows, ("**all**", {
            name: entry for row in by_family.values() for name, entry in row.items()})]:
        total = counts_of(entries.values())
        figures = [total[key] for key in ("operators", "complete", "partial", "missing",
                                          "samples")]
        figures += [percent(total)] + [total[kind] for kind in (*programs.GOOD, "wrong")]
        yield f"| {family} | " + " | ".join(map(str, figures)) + " |"
    yield ""
    for family, entries in rows:
        names = sorted(shown(name, table) for name in entries
                       if state_of(entries[name]) == "complete")
        if names:
            yield f"- **{family}**: " + ", ".join(f"`{name}`" for name in names)


def reasons(entry):
    """The errors of an operator's samples, the most frequent first, without shapes."""
    found = collections.Counter()
    for text, cases in entry["examples"].items():
        if text.startswith("broken: "):
            text = "stopped: " + ": ".join(re.findall(r'"(?:code|title)":"([^"]*)', text)[:2])
        kind, _, what = text.partition(": ")
        what = re.sub(r"\b[fiub]+\d+\[[^\]]*\]", "the tensor", what)
        if kind == "wrong":
            what = "the values differ"
        what = re.sub(r"dim \d+ of size \d+ is too small for padding of \d+",
                      "a dim of size 0 is too small for padding", what)
        found[what] += len(cases)
    return "; ".join(f"{escaped(what)} ({n})" for what, n in found.most_common(4))


def trained():
    """The table of train_compare.py's runs."""
    with open(HERE / "Inputs/training.json") as text:
        table = json.load(text)
    yield "| | f64: worst part of the bound | f32: runs within the bound | PyTorch's within it |"
    yield "|---|--:|--:|--:|"
    for name, title in RUNS.items():
        rows = table[name].values()
        ours = [row["f32"] <= 1 for row in rows]
        theirs = [ratio <= 1 for row in rows for ratio in row["spread"]]
        worst = f"{max(row['f64'] for row in rows):.1e}".replace("e-0", "e-")
        yield (f"| {title} | {worst} | {sum(ours)} of {len(ours)} "
               f"| {sum(theirs)} of {len(theirs)} |")


def main():
    tdc, *files = sys.argv[1:]
    tdc = pathlib.Path(shutil.which(tdc) or tdc).absolute()
    table = {}
    for file in files:
        with open(file) as text:
            table.update(json.load(text))
    table = dict(sorted(table.items()))
    inside = {name: entry for name, entry in table.items() if state_of(entry) != "outside"}
    total = counts_of(inside.values())
    with open(HERE / "page.md") as text:
        page = text.read()
    stored = programs.load(HERE / "Inputs/stored.npz")
    parts = {
        "summary": [
            f"Of {total['operators']} operators in scope {total['complete']} are complete, "
            f"{total['partial']} in part and {total['missing']} not in the language. Of "
            f"{total['samples']} samples in scope {percent(total)} run: {total['equal']} are "
            f"within OpInfo's tolerance, {total['nearer']} nearer to f64 than PyTorch's own, "
            f"{total['rounded']} rounded as above, and {total['wrong']} wrong."],
        "families": families(table),
        "training": trained(),
        "stored": [f"{len(stored)} samples of {len({one.operator for one in stored})} complete "
                   "operators"],
        "partial": ["| operator | samples equal | refused: error (lines of values or gradients) |",
                    "|---|--:|---|"] + [
            f"| `{called(name)}` | "
            f"{sum(entry['samples'].get(kind, 0) for kind in programs.GOOD)} of "
            f"{sum(entry['samples'].values())} | {reasons(entry)} |"
            for name, entry in inside.items() if state_of(entry) == "partial"],
        "missing": ["| operator | error |", "|---|---|"] + [
            f"| `{called(name)}` | {reasons(entry)} |"
            for name, entry in inside.items() if state_of(entry) == "missing"],
    }
    outside = collections.defaultdict(lambda: collections.defaultdict(list))
    for name, entry in table.items():
        if state_of(entry) == "outside" and not name.startswith(("torch.", "_")):
            why = max(entry["outside"], key=entry["outside"].get, default="no samples")
            why = "results or arguments that are no tensors" if why.startswith("no text") else why
            call = f"let x = ones(2, 2)\nprint({called(name)}(x))"
            outside[why][error_of(tdc, call)[0]].append(name)
    parts["outside"] = []
    for why, codes in sorted(outside.items()):
        names = [f"{', '.join(f'`{called(name)}`' for name in names)}"
                 f"{f' ({code})' if code in ('TD102', 'TD201', 'TD202', 'TD900') else ''}"
                 for code, names in sorted(codes.items())]
        parts["outside"].append(f"- **{why}**: " + "; ".join(names))
    parts["features"] = ["| not in the language | program | error |", "|---|---|---|"]
    last = ""
    for why, text in FEATURES:
        code, title = error_of(tdc, text)
        line = text.splitlines()[-1]
        parts["features"].append(
            f"| {why or last} | `{escaped(line)}` | {code}: {escaped(title)} |")
        last = why or last
    for part, lines in parts.items():
        page = page.replace(f"@{part}@", "\n".join(lines))
    sys.stdout.write(page)


if __name__ == "__main__":
    main()
