"""How much of the copies kernels hide, by the clock of the simulated driver.

    timeline.py FOLDER

Runs each program of FOLDER with a network that takes less time than its batches
take to be copied (25 GB/s), and with one that takes more. In the turns of the loop
after the first ones

  hidden  is the time in which copies and kernels run at once, as a part of the
          shorter of both: at least 90 %;
  step    is the time from turn to turn, as a multiple of the longer of both: at
          most 1.05;
  stalls  is the time in which the host waits and the GPU has nothing to do: none.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

BATCH_BYTES = 256 * 784 * 4
FIRST = 2  # the turns before fill the pipeline
HIDDEN = ["256", "768"]


def run(program, hidden):
    """The events of a run."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run(["tdc", "run", "--sim-cuda=1", program, "--hidden", hidden], check=True,
                       stdout=subprocess.DEVNULL,
                       env={**os.environ, "TDC_SIM_TRACE": str(trace)})
        return [event for event in json.loads(trace.read_text())["traceEvents"] if "dur" in event]


def union(spans):
    """Spans of time that do not overlap, in order."""
    joined = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((begin, end))
    return joined


def length(spans):
    return sum(end - begin for begin, end in spans)


def common(a, b):
    """How long both are."""
    return length(a) + length(b) - length(union(a + b))


def measure(events):
    device = [event for event in events if event["pid"] == 1]
    starts = [event["ts"] for event in device
              if event["name"] == f"copy of {BATCH_BYTES} bytes from the host to device 0"]
    begin, end = starts[FIRST], starts[-1]

    def within(chosen):
        spans = [(event["ts"], event["ts"] + event["dur"]) for event in chosen]
        return union((max(begin, first), min(end, last)) for first, last in spans
                     if last > begin and first < end)

    copies = within(event for event in device if event["name"].startswith("copy "))
    kernels = within(event for event in device if "kernel" in event["args"])
    waits = within(event for event in events
                   if event["pid"] == 0 and event["name"].endswith("Synchronize"))
    hidden = common(copies, kernels) / min(length(copies), length(kernels))
    step = (end - begin) / max(length(copies), length(kernels))
    stalls = length(waits) - common(waits, union(copies + kernels))
    return length(copies) > length(kernels), hidden, step, stalls / (end - begin)


def main():
    failed = 0
    bounds = set()
    for program in sorted(pathlib.Path(sys.argv[1]).glob("*.tdsl")):
        for hidden in HIDDEN:
            is_copy_bound, overlap, step, stalls = measure(run(program, hidden))
            bounds.add((program, is_copy_bound))
            failed += overlap < 0.9 or step > 1.05 or stalls > 1e-6
            print(f"{program.name}: bound by {'copies' if is_copy_bound else 'kernels'}: "
                  f"{overlap:.3f} hidden, step {step:.3f}, stalls {stalls:.3f}")
    print(f"{len(bounds)} cases, {failed} failed")


if __name__ == "__main__":
    main()
