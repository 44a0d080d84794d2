"""Runs stored samples of PyTorch's operators: stored.py TDC FILE [OPTIONS OF tdc run …]"""

import sys
import tempfile

import programs


def main():
    tdc, file, *options = sys.argv[1:]
    every = programs.load(file)
    with tempfile.TemporaryDirectory() as folder:
        runner = programs.Runner(tdc, folder, options)
        runner.run_all(every)
    wrong = [outcome for outcome in runner.outcomes if outcome[1] != "equal"]
    for line, kind, text in wrong:
        print(f"{kind}: {text}: {line.sample.call.replace('{}', '')}")
    operators = {sample.operator for sample in every}
    print(f"{len(operators)} operators, {len(every)} samples, {len(runner.outcomes)} programs, "
          f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
