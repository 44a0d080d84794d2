"""How much of the copies' time kernels hide, by the clock of the simulated driver.

    timeline.py FOLDER

Runs each program of FOLDER with a network that takes less time than its batches
take to be copied (25 GB/s), and with one that takes more. In the iterations of the loop
after the first ones

  hidden  is the time in which copies and kernels run at once, as a part of the
          shorter of both: at least 90 %;
  step    is the time from iteration to iteration, as a multiple of the longer of both: at
          most 1.05;
  stalls  is the time in which the host waits and the GPU has nothing to do: none.

Each program of FOLDER/peers runs on two GPUs. Of its copies from the first to the
second, kernels of the second have to hide 90 %, and a step may take 1.05 times what
these kernels take.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

BATCH_BYTES = 256 * 784 * 4
FIRST = 2  # the iterations before fill the pipeline
HIDDEN = ["256", "768"]


def run(program, gpus, *arguments):
    """The events of a run."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        subprocess.run(["tdc", "run", f"--sim-cuda={gpus}", program, *arguments], check=True,
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
    """Returns the total length of both."""
    return length(a) + length(b) - length(union(a + b))


def spans_of(events, begin, end):
    """Returns the spans, clipped to `begin` and `end`."""
    spans = [(event["ts"], event["ts"] + event["dur"]) for event in events]
    return union((max(begin, first), min(end, last)) for first, last in spans
                 if last > begin and first < end)


def find_iterations(copies):
    """Returns the start and end of the measured iterations, found by the copies of each."""
    starts = [event["ts"] for event in copies]
    return starts[FIRST], starts[-1]


def measure(events):
    device = [event for event in events if event["pid"] == 1]
    iterations = find_iterations(
        event for event in device
        if event["name"] == f"copy of {BATCH_BYTES} bytes from the host to device 0")
    copies = spans_of((event for event in device if event["name"].startswith("copy ")), *iterations)
    kernels = spans_of((event for event in device if "kernel" in event["args"]), *iterations)
    waits = spans_of((event for event in events
                      if event["pid"] == 0 and event["name"].endswith("Synchronize")), *iterations)
    time = iterations[1] - iterations[0]
    hidden = common(copies, kernels) / min(length(copies), length(kernels))
    step = time / max(length(copies), length(kernels))
    stalls = length(waits) - common(waits, union(copies + kernels))
    return length(copies) > length(kernels), hidden, step, stalls / time


def measure_peers(events):
    between = [event for event in events
               if event["name"].endswith(" from device 0 to device 1")]
    iterations = find_iterations(between)
    copies = spans_of(between, *iterations)
    kernels = spans_of((event for event in events
                        if event["pid"] == 2 and "kernel" in event["args"]), *iterations)
    return (common(copies, kernels) / length(copies),
            (iterations[1] - iterations[0]) / length(kernels))


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    bounds = set()
    programs = sample.choose(sorted(folder.glob("**/*.tdsl")), 3)
    for program in (one for one in programs if one.parent.name != "peers"):
        for hidden in HIDDEN:
            is_copy_bound, overlap, step, stalls = measure(run(program, 1, "--hidden", hidden))
            bounds.add((program, is_copy_bound))
            failed += overlap < 0.9 or step > 1.05 or stalls > 1e-6
            print(f"{program.name}: bound by {'copies' if is_copy_bound else 'kernels'}: "
                  f"{overlap:.3f} hidden, step {step:.3f}, stalls {stalls:.3f}")
        failed += not {(program, False), (program, True)} <= bounds
    for program in (one for one in programs if one.parent.name == "peers"):
        overlap, step = measure_peers(run(program, 2))
        bounds.add(program)
        failed += overlap < 0.9 or step > 1.05
        print(f"{program.name}: between GPUs: {overlap:.3f} hidden, step {step:.3f}")
    print(f"{len(bounds)} cases, {failed} failed")


if __name__ == "__main__":
    main()
