"""Compares the TDC_TRACE of a run with the run's counters.

    trace.py PROGRAM [OPTION...] [, PROGRAM [OPTION...]]...

Each copy of the counters is in the trace, with its line and its bytes; no two spans of a
lane overlap; arrows lead from copies to the work that waits for them; the largest value
of a device's memory is its peak.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LANES = ("cpu", "compute", "h2d", "d2h")
ROUNDING = 0.002  # of two times in microseconds


def run(program, *options):
    with tempfile.TemporaryDirectory() as folder:
        trace, stats = (pathlib.Path(folder) / name for name in ("trace", "stats"))
        subprocess.run(["tdc", "run", *options, pathlib.Path(program).resolve()],
                       check=True, cwd=folder, stdout=subprocess.DEVNULL,
                       env={**os.environ, "TDC_TRACE": str(trace),
                            "TDC_STATS_JSON": str(stats)})
        return (json.loads(trace.read_text())["traceEvents"],
                json.loads(stats.read_text()))


def check(events, stats):
    problems = []
    devices = {event["pid"]: event["args"]["name"] for event in events
               if event["name"] == "process_name"}
    lanes = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["name"] == "thread_name"}
    arrows = [event for event in events if event["ph"] in "sf"]
    work = collections.defaultdict(list)
    copies, held = collections.Counter(), collections.Counter()
    for event in events:
        lane = event["pid"], event["tid"]
        if event["ph"] == "C":
            device = devices[event["pid"]]
            held[device] = max(held[device], event["args"]["bytes"])
        elif event["ph"] == "X":
            name = lanes[lane]
            work[lane].append(event)
            args = event["args"]
            if (name == "cpu") != (devices[event["pid"]] == "cpu"):
                problems.append(f"{name} of {devices[event['pid']]}")
            if name in ("h2d", "d2h") or name == f"p2p {args.get('from')}":
                site = args["line"], args["from"], args["to"]
                copies[site, "executed"] += 1
                copies[site, "bytes"] += args["bytes"]
                if not event["name"]:
                    problems.append(f"a copy at {site} has no name")
    problems += [f"{device} holds {held[device]} bytes, counted are {peak}"
                 for device, peak in stats["peak"].items() if held[device] != peak]
    problems += [f"a lane {name}" for name in lanes.values()
                 if name not in LANES and name.removeprefix("p2p ") not in devices.values()]
    for lane, events in work.items():
        free = 0
        for event in sorted(events, key=lambda one: one["ts"]):
            if event["ts"] < free - ROUNDING or event["dur"] < 0:
                problems.append(f"{event} overlaps what ends at {free}")
            free = event["ts"] + event["dur"]
    begins = {(event["pid"], event["tid"], event["ts"]) for lane in work.values()
              for event in lane}
    ids = {phase: {event["id"] for event in arrows if event["ph"] == phase}
           for phase in "sf"}
    problems += [f"nothing begins at {event}" for event in arrows
                 if (event["pid"], event["tid"], event["ts"]) not in begins]
    problems += [f"arrow {one} comes from nowhere" for one in ids["f"] - ids["s"]]
    counted = collections.Counter()
    for site in stats["sites"]:
        for field in ("executed", "bytes"):
            counted[(site["line"], site["src"], site["dst"]), field] += site[field]
    return problems + [f"{key}: {copies[key]}, counted are {counted[key]}"
                       for key in sorted({*copies, *counted})
                       if copies[key] != counted[key]]


def main():
    failed = copies = kernels = prints = arrows = 0
    for program in "\n".join(sys.argv[1:]).split("\n,\n"):
        events, stats = run(*program.split("\n"))
        problems = check(events, stats)
        for problem in problems[:5]:
            print(f"{program.split()[0]}: {problem}")
        failed += bool(problems)
        work = [event for event in events if event["ph"] == "X"]
        copies += sum("bytes" in event["args"] for event in work)
        kernels += sum(event["pid"] > 0 and "bytes" not in event["args"]
                       for event in work)
        prints += sum(event["name"] == "print" for event in work)
        arrows += sum(event["ph"] == "f" for event in events)
    print(f"{copies} copies, {kernels} kernels, {prints} prints, {arrows} arrows, "
          f"{failed} wrong")


if __name__ == "__main__":
    main()
