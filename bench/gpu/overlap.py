"""The fraction of a training loop's copies that run while kernels do, from TDC_TRACE, on this
GPU and on the simulated one, which has estimated times.

The traces stay in the folder of results. `hidden` is the time in which copies and kernels
run concurrently, as a fraction of the shorter of both; times are in milliseconds.
"""

import json
import sys

import loops
from machine import HERE, ROOT
from rows import write_whole

sys.path.append(str(ROOT / "test/Placement"))
import timeline  # noqa: E402

PROGRAM = HERE / "programs/overlap.tdsl"
SIZES = ["--rows", "256", "--hidden", "64"]  # can be simulated within a second
LARGE = ["--rows", "8192", "--hidden", "2048"]


def measure(trace):
    """The compared fields. Kernels are on track 1 of a device, copies to it on track 2."""
    events = [event for event in trace["traceEvents"] if "dur" in event and event["pid"] == 1]
    kernels, copies = (timeline.union((event["ts"], event["ts"] + event["dur"])
                                      for event in events if event["tid"] == track)
                       for track in (1, 2))
    if not timeline.length(kernels) or not timeline.length(copies):
        raise loops.Failed("the trace has no kernels, or no copies")
    busy = timeline.union(kernels + copies)
    shorter = min(timeline.length(kernels), timeline.length(copies))
    return {"hidden": timeline.common(copies, kernels) / shorter,
            "copies_ms": timeline.length(copies) / 1e3,
            "kernels_ms": timeline.length(kernels) / 1e3,
            "all_ms": (busy[-1][1] - busy[0][0]) / 1e3}


def check(here, folder):
    """The fields of a row; each trace is written to the folder."""
    simulated = {"TDC_SIM_CUDA": "1",
                 "TDC_SIM_CUDA_LIBRARY": str(here.tools["libtdc_sim_cuda.so"])}
    runs = {"simulated": (["--sim-cuda=1"], SIZES, simulated)}
    if not here.simulated:
        runs.update({"gpu": ([], SIZES, {}), "gpu-large": ([], LARGE, {})})
    row = {"problem": None}
    for name, (options, sizes, environment) in runs.items():
        path = here.work / f"trace-{name}.json"
        _, problem = here.run(here.tools["tdc"], "run", *options, PROGRAM, "--", *sizes,
                              env={"TDC_TRACE": str(path), **environment})
        if problem:
            raise loops.Failed(f"{name}: {problem}")
        data = path.read_bytes()
        write_whole(folder / path.name, data)
        row[name] = measure(json.loads(data))
    return row
