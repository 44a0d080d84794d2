"""More memory never makes a program fail, and a program that runs keeps to its budget.

    budgets.py PROGRAM

PROGRAM, which has a loop and no loader, runs on a simulated GPU: first with unlimited
memory, which gives its plan; then with exactly that much, and with less and less, until
it is refused. With each of these budgets it prints the same and takes at most the
budget; the message for a budget that is too small says how much is needed, which is no
more than the least budget that worked.
"""

import json
import re
import subprocess
import sys
import tempfile
import pathlib

STEPS = 10
OWN = 160  # the runtime's own memory on a GPU: TDRT_GPU_BYTES


def run(program, budget=None):
    """Exit code, output, messages, and bytes of the GPU."""
    with tempfile.TemporaryDirectory() as folder:
        stats = pathlib.Path(folder) / "stats.json"
        words = ["--memory-budget", str(budget)] if budget else []
        done = subprocess.run(
            ["env", f"TDC_STATS_JSON={stats}", "tdc", "run", "--sim-cuda=1", *words, program],
            capture_output=True, text=True)
        peak = json.loads(stats.read_text())["peak"]["cuda:0"] if stats.exists() else None
        return done.returncode, done.stdout, done.stderr, peak


def main():
    program = sys.argv[1]
    _, expected, _, most = run(program)
    worked, refused, problems, peaks = None, None, [], set()
    for step in range(STEPS):
        budget = (most + OWN) * (STEPS - step) // STEPS
        code, output, messages, peak = run(program, budget)
        if code:
            needed = re.search(r"error\[TD512\].*: (\d+) bytes are needed", messages)
            if not needed or not budget < int(needed[1]) <= worked:
                problems.append(f"{budget}: {messages}")
            refused = refused or budget
            continue
        if refused:
            problems.append(f"{budget} is enough, and {refused} is not")
        if output != expected or peak + OWN > budget:
            problems.append(f"{budget}: takes {peak}, prints {output}")
        worked = budget
        peaks.add(peak)
    print("\n".join(problems))
    print(f"{len(peaks)} sizes, {'refused' if refused else 'never refused'}, "
          f"{len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
