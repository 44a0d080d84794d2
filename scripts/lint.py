#!/usr/bin/env python3
"""Rules about the source that no compiler checks. Each rule is one test.

usage: lint.py [-f] [--no-tidy]
  -f          fix formatting and trailing space
  --no-tidy   skip clang-tidy, which takes most of the time
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = {".cpp", ".h", ".def", ".c", ".td", ".py", ".sh", ".tdsl"}
CXX = {".cpp", ".h", ".c"}
TEXT = CODE | {".md", ".txt", ".cmake", ".mlir", ".test", ".json", ".ebnf"}
MAX_LINES = 800
MAX_PATH = 75
MAX_COLUMNS = 100  # of Python; clang-format has the limit of C++
TIDY_SECONDS = 120


def git(*args):
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def source_files():
    """Tracked and new files, as paths relative to the root; without git, all files
    of the source archive."""
    names = git("ls-files", "--cached", "--others", "--exclude-standard")
    if not names:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")
                 if p.relative_to(ROOT).parts[0] not in ("build", ".git")]
    return sorted({n for n in names if (ROOT / n).is_file()})


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def with_suffix(files, suffixes):
    return [f for f in files if Path(f).suffix in suffixes]


# Each rule takes the file list and `fix`, and returns its complaints.


def clang_format(files, fix):
    tool = shutil.which("clang-format-22")
    if not tool:
        return ["clang-format-22 is not installed"]
    names = with_suffix(files, CXX)
    if not names:
        return []
    if fix:
        subprocess.run([tool, "-i", *names], cwd=ROOT, check=True)
    done = subprocess.run([tool, "--dry-run", *names], cwd=ROOT,
                          capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines()
                    if "[-Wclang-format-violations]" in line})
    return [f"{name}: not formatted; scripts/lint.py -f does it" for name in wrong]


def file_size(files, fix):
    sizes = {f: read(f).count("\n") for f in with_suffix(files, CODE)}
    return [f"{f}: {n} lines, at most {MAX_LINES} in one file"
            for f, n in sizes.items() if n > MAX_LINES]


def line_length(files, fix):
    """Tutorials of PyTorch are as they were written."""
    return [f"{f}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"
            for f in with_suffix(files, {".py"}) if not f.startswith("test/Tutorials/")
            for number, line in enumerate(read(f).splitlines(), 1) if len(line) > MAX_COLUMNS]


def path_length(files, fix):
    return [f"{f}: path of {len(f)} characters, at most {MAX_PATH}"
            for f in files if len(f) > MAX_PATH]


def is_fixed_text(name):
    """Inputs whose exact bytes a test depends on, and samples from outside."""
    parts = set(Path(name).parts)
    return bool({"Inputs", "samples", "corpus", "expected"} & parts) or \
        name.startswith("test/") and name.endswith(".tdsl")


def white_space(files, fix):
    complaints = []
    for f in with_suffix(files, TEXT):
        if is_fixed_text(f):
            continue
        text = read(f)
        if fix:
            tidy = "\n".join(line.rstrip() for line in text.split("\n"))
            if tidy != text:
                (ROOT / f).write_text(tidy, encoding="utf-8")
                text = tidy
        for number, line in enumerate(text.split("\n"), 1):
            if line != line.rstrip():
                complaints.append(f"{f}:{number}: space at the end of the line")
            elif "\t" in line and Path(f).suffix in CXX | {".td", ".py", ".tdsl"}:
                complaints.append(f"{f}:{number}: tab")
    return complaints


def do_not_submit(files, fix):
    mark = re.compile(r"\bdo[ _-]not[ _-]submit\b", re.IGNORECASE)
    return [f"{f}:{number}: marked as not to be submitted"
            for f in with_suffix(files, TEXT)
            if f != "scripts/lint.py" and not is_fixed_text(f)
            for number, line in enumerate(read(f).splitlines(), 1)
            if mark.search(line)]


def words(files, fix):
    """Words of scripts/words.txt, which a standard term replaces."""
    rows = [re.split(r" {2,}", row) for row in read("scripts/words.txt").splitlines()
            if not row.startswith("#")]
    instead = [(re.compile(rf"\b(?:{word})(?!\w)", re.IGNORECASE), write) for word, write in rows]
    return [f"{f}:{number}: \"{found[0].strip()}\"; write: {write}"
            for f in with_suffix(files, TEXT)
            if f not in ("scripts/words.txt", "CHANGELOG.md")
            and not {"corpus", "results"} & set(Path(f).parts)
            for number, line in enumerate(read(f).splitlines(), 1)
            for word, write in instead
            for found in [word.search(line)] if found]


def include_guards(files, fix):
    """The guard of a header is its path: TDC_DIALECT_TD_IR_TD_H of
    include/Dialect/TD/IR/TD.h, TDC_LIB_REPORT_WORDS_H of lib/Report/Words.h."""
    complaints = []
    for f in with_suffix(files, {".h"}):
        if not f.startswith(("include/", "lib/", "tools/")) or f.startswith("include/tdc/"):
            continue
        guard = "TDC_" + re.sub(r"[/.-]", "_", f.removeprefix("include/")).upper()
        if f"#ifndef {guard}\n#define {guard}\n" not in read(f):
            complaints.append(f"{f}: the include guard is not {guard}")
    return complaints


def cmake_lists(files, fix):
    """Every source is named in the CMakeLists.txt of its folder or of the
    nearest folder above that has one; otherwise it would never be compiled."""
    complaints = []
    lists = {f: read(f) for f in files if Path(f).name == "CMakeLists.txt"}
    for f in with_suffix(files, {".cpp"}):
        if is_fixed_text(f):
            continue
        for folder in Path(f).parents:
            owner = str(folder / "CMakeLists.txt")
            if owner in lists:
                inside = str(Path(f).relative_to(folder))
                if not re.search(rf"(?<![\w/]){re.escape(inside)}(?![\w.])", lists[owner]):
                    complaints.append(f"{f}: not named in {owner}")
                break
    return complaints


# Folders that are only reachable through others, and the folders of their tests.
TESTED_BY = {
    "Dialect/TD/Analysis/Kernels": "test/Dialect/TD/Transforms",
    "Dialect/TD/Analysis/Reporting": "test/Placement",
    "Dialect/TD/OpTable": "test/Dialect/TD/IR",
    "Dialect/TD/Transforms/Place": "test/Placement",
    "Frontend/AST": "test/Frontend/Parser",
    "Frontend/NullEmitter": "test/Driver",
    "Frontend/Source": "test/Unit/Frontend",
    "Graph": "test/Driver",
    "Markup": "test/Driver",
    "Report/Page": "test/Driver",
    "Target": "test/Pipelines",
}


def test_folders(files, fix):
    """test/ mirrors lib/: a folder with sources has the same folder under test/ or
    test/Unit/, or tests with its name in the parent folder (FormKernels:
    form-kernels.mlir, form-kernels-invalid.mlir)."""
    tests = [f for f in files if f.startswith("test/")]
    test_dirs = {str(parent) for f in tests for parent in Path(f).parents}

    def is_tested(folder):
        if f"test/{folder}" in test_dirs or f"test/Unit/{folder}" in test_dirs:
            return True
        if TESTED_BY.get(folder) in test_dirs:
            return True
        above, name = os.path.split(folder)
        kebab = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
        return any(f.startswith(f"test/{above}/{kebab}") for f in tests)

    folders = sorted({str(Path(f).parent)[4:] for f in files
                      if f.startswith("lib/") and f.endswith(".cpp")})
    return [f"lib/{folder}: has neither test/{folder} nor test/Unit/{folder}"
            for folder in folders if not is_tested(folder)]


def include_cycles(files, fix):
    """Folders must not include each other in a cycle, so that each can be read,
    tested and moved without the folders that include it. A header of include/X
    belongs to the folder of its source in lib/X or, without one, to lib/X."""
    names = with_suffix(files, CXX | {".def"})
    by_name = {}
    for f in names:
        by_name.setdefault(Path(f).name, []).append(f)

    def folder(f):
        parent = str(Path(f).parent)
        if not parent.startswith("include/"):
            return parent
        library = f"lib/{parent[8:]}"
        sources = [str(Path(g).parent) for g in by_name.get(f"{Path(f).stem}.cpp", ())
                   if g.startswith(f"{library}/")]
        return sources[0] if len(sources) == 1 else library

    def find(f, include):
        """The included file: in the folder of `f`, or the only one of that name."""
        found = [g for g in by_name.get(Path(include).name, ()) if f"/{g}".endswith(f"/{include}")]
        sibling = os.path.normpath(Path(f).parent / include)
        return sibling if sibling in names else found[0] if len(found) == 1 else None

    edges = {}
    for f in names:
        for include in re.findall(r'^#include "([^"]+)"', read(f), re.MULTILINE):
            included = find(f, include)
            if included and folder(f) != folder(included):
                edges.setdefault((folder(f), folder(included)), (f, included))
    def reaches(start, goal):
        seen, left = set(), [start]
        while left:
            at = left.pop()
            seen.add(at)
            left += [b for a, b in edges if a == at and b not in seen]
        return goal in seen

    return [f"{f}: includes {included}, and {b} includes {a} on some way"
            for (a, b), (f, included) in sorted(edges.items()) if reaches(b, a)]


def changed_files():
    """The files changed since this work branched off the main branch; on the main
    branch itself, those of the last commit and uncommitted changes."""
    head = git("rev-parse", "HEAD")
    base = []
    for branch in ("origin/HEAD", "origin/main", "main"):
        base = base or git("merge-base", "HEAD", branch)
    if base == head:
        base = git("rev-parse", "--verify", "-q", "HEAD~1")
    if not base:
        return source_files()
    return git("diff", "--name-only", "--diff-filter=d", base[0]) + \
        git("ls-files", "--others", "--exclude-standard")


def clang_tidy(files, fix):
    """clang-tidy on the changed sources, the smallest first, until the time is
    up. Skipped files are reported, but are no failure."""
    tool = shutil.which("clang-tidy-22")
    if not tool:
        return ["clang-tidy-22 is not installed"]
    database = ROOT / "build/dev/compile_commands.json"
    if not database.exists():
        print("lint: clang-tidy left out, there is no build/dev yet")
        return []
    known = database.read_text()
    changed = set(changed_files())
    names = [f for f in with_suffix(files, {".cpp"})
             if f in changed and f'"{ROOT / f}"' in known]
    names.sort(key=lambda f: (ROOT / f).stat().st_size)
    deadline = time.monotonic() + TIDY_SECONDS

    def check(name):
        left = deadline - time.monotonic()
        if left <= 0:
            return name, None
        command = [tool, "-quiet", "-p", str(database.parent), name]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True,
                                  text=True, timeout=left)
        except subprocess.TimeoutExpired:
            return name, None
        return name, (done.stdout if done.returncode else "")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, names))
    left_out = [name for name, output in results if output is None]
    if left_out:
        print(f"lint: clang-tidy: {TIDY_SECONDS} s are up, {len(left_out)} of "
              f"{len(names)} changed files not checked")
    return [line.replace(f"{ROOT}/", "") for _, output in results if output
            for line in output.splitlines() if re.search(r": (error|warning): ", line)]


OP_FAMILIES = ("lib/Dialect/TD/IR/", "lib/Dialect/TD/Expansions/",
               "lib/Dialect/TD/Gradients/", "lib/Interpreter/",
               "lib/CodeGen/Constructors.cpp",
               "lib/CodeGen/ElementOps.cpp")


def op_tests(files, fix):
    """Code that tests for a particular compute op needs a reason in the table."""
    ops = "|".join(op for f in with_suffix(files, (".td",))
                   if f.startswith("include/Dialect/TD/IR/")
                   for op, base in re.findall(r"^def TD_(\w+)Op : TD_(\w+)<", read(f), re.MULTILINE)
                   if base not in ("Op", "HostOp"))
    asks = re.compile(r"(?:isa\w*|dyn_cast\w*|getDefiningOp|getOnlyRoot|\.Case|getOps|IsaPred)"
                      r"<([^;(){}]*)>"
                      r"|(?:\.Case|walk)\(\s*\[[^\]]*\]\(([^)]*)\)")
    name = re.compile(rf"(?<!\w)(?<!arith::)(?<!scf::)(?<!math::)(?<!vector::)(?<!LLVM::)"
                      rf"(?:td::)?({ops})Op\b")
    found = {(f, op.group(1)) for f in with_suffix(files, CXX)
             if f.startswith(("include/", "lib/", "tools/")) and not f.startswith(OP_FAMILIES)
             for ask in asks.finditer(read(f))
             for op in name.finditer(ask.group(1) or ask.group(2) or "")}
    rows = {tuple(line.split()) for line in read("scripts/op_tests.txt").splitlines()
            if line and line[0] not in "# "}
    return ([f"{f}: asks for td::{op}Op; say it at the op, or why not in scripts/op_tests.txt"
             for f, op in sorted(found - rows)] +
            [f"scripts/op_tests.txt: {f} does not ask for td::{op}Op"
             for f, op in sorted(rows - found)])


RULES = [clang_format, file_size, line_length, path_length, white_space, do_not_submit, words,
         include_guards, cmake_lists, test_folders, include_cycles, op_tests, clang_tidy]


def main():
    unknown = set(sys.argv[1:]) - {"-f", "--no-tidy"}
    if unknown:
        print(__doc__, file=sys.stderr)
        return 2
    files = source_files()
    failures = 0
    rules = [r for r in RULES if not (r is clang_tidy and "--no-tidy" in sys.argv)]
    for rule in rules:
        complaints = rule(files, "-f" in sys.argv)
        for complaint in complaints[:20]:
            print(complaint)
        if len(complaints) > 20:
            print(f"... and {len(complaints) - 20} more of this kind")
        failures += bool(complaints)
        print(f"lint: {rule.__name__}: {'FAILED' if complaints else 'ok'}")
    print(f"lint: {len(rules) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
