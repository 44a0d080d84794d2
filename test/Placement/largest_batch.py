"""The message for a program that does not fit names a batch size that does: with that
size the program runs, and with one row more it does not fit.

    largest_batch.py FOLDER

The programs of FOLDER are compiled for a simulated GPU with the memory that their
first line gives.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import runs

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

HINT = re.compile(r"the largest batch that fits: `(?:--(?P<argument>\w+) |batch_size=)?"
                  r"(?P<size>\d+)`(?: instead of `(?P<literal>\d+)` \(line (?P<line>\d+)\))?")


def run(program, text, words, memory):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / program.name
        path.write_text(text)
        return subprocess.run(["tdc", "run", "--sim-cuda=1", path, *words],
                              capture_output=True, text=True, cwd=folder,
                              env=runs.environment(memory))


def check(program):
    text = program.read_text()
    memory = re.match(r"# memory (\d+)", text).group(1)
    refused = run(program, text, [], memory)
    hint = HINT.search(refused.stderr)
    if "error[TD512]" not in refused.stderr or not hint or refused.stdout:
        return f"not refused with a batch that fits: {refused}"

    def run_with(size):
        if argument := hint["argument"]:
            return run(program, text, [f"--{argument}", str(size)], memory)
        lines = text.splitlines()
        if hint["line"]:
            line = int(hint["line"]) - 1
            lines[line] = re.sub(rf"\b{hint['literal']}\b", str(size), lines[line])
        else:
            lines = [re.sub(r"batch_size=\d+", f"batch_size={size}", line) for line in lines]
        return run(program, "\n".join(lines), [], memory)

    size = int(hint["size"])
    fits, fails = run_with(size), run_with(size + 1)
    if fits.returncode:
        return f"{size} does not fit: {fits.stderr}"
    if fails.returncode != 1 or "error[TD512]" not in fails.stderr:
        return f"{size + 1} fits as well: {fails}"
    return None


def main():
    programs = sample.choose(sorted(pathlib.Path(sys.argv[1]).glob("*.tdsl")), 6)
    problems = {program.name: check(program) for program in programs}
    failed = {name: problem for name, problem in problems.items() if problem}
    for name, problem in failed.items():
        print(f"{name}: {problem}")
    print(f"{len(programs)} programs, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
