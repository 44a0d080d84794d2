"""A program that does not fit says which batch would: it runs with that one, and
with one row more it does not fit.

    largest_batch.py FOLDER

The programs of FOLDER on a simulated GPU with the memory that their first line
says.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import runs

HINT = re.compile(r"the largest batch that fits: `(--(\w+) |batch_size=)(\d+)`")


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
        if hint.group(2):
            return run(program, text, [f"--{hint.group(2)}", str(size)], memory)
        changed = re.sub(r"batch_size=\d+", f"batch_size={size}", text)
        return run(program, changed, [], memory)

    size = int(hint.group(3))
    fits, fails = run_with(size), run_with(size + 1)
    if fits.returncode:
        return f"{size} does not fit: {fits.stderr}"
    if fails.returncode != 1 or "error[TD512]" not in fails.stderr:
        return f"{size + 1} fits as well: {fails}"
    return None


def main():
    programs = sorted(pathlib.Path(sys.argv[1]).glob("*.tdsl"))
    problems = {program.name: check(program) for program in programs}
    failed = {name: problem for name, problem in problems.items() if problem}
    for name, problem in failed.items():
        print(f"{name}: {problem}")
    print(f"{len(programs)} programs, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
