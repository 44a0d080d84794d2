"""This machine: the compiler, a GPU and its state, and the time left for the run.
Uses only the standard library: nothing can be installed where a GPU is lent."""

import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import nvml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKED = ROOT / "build/gpu-bench"
TOOLS = {"tdc": "bin", "tdc-call": "bin", "libtdc_sim_cuda.so": "lib"}


class Unfit(Exception):
    """The reason why nothing can be measured here."""


class TimeIsUp(Exception):
    """The run must end before its present measurement is complete."""


class Machine:
    """`tools` are paths by name, `facts` the fields of the machine's row. `nvml` is as in
    nvml.Watch. `packed` is the output folder of pack.py, and `work` a folder for scratch
    files, outside of the copied folders."""

    def __init__(self, tools, simulated, packed, work, deadline):
        self.tools, self.simulated, self.packed, self.work = tools, simulated, packed, work
        self.deadline = deadline  # of time.monotonic()
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "bench"), os.environ.get("PYTHONPATH", "")]),
            # The driver's cache of compiled code: its default folder may not be writable.
            "CUDA_CACHE_PATH": str(work / "cuda-cache")}
        if simulated:  # the schedule with which results were packed
            self.environment.update(TDC_SIM_CUDA="1", TDC_SIM_SEED="0",
                                    TDC_SIM_CUDA_LIBRARY=str(tools["libtdc_sim_cuda.so"]))
        else:
            self.environment.pop("TDC_SIM_CUDA", None)
        self.facts = self.find_facts()
        self.nvml = None
        if not simulated:
            self.nvml = find_nvml(self.facts["bus"])
            if isinstance(self.nvml, nvml.Nvml):
                self.facts["driver"] = self.nvml.driver_version()
            self.facts["nvidia-smi"] = self.ask_nvidia_smi()
        self.unpacked = {}

    def left(self):
        """Seconds until the run must end."""
        return self.deadline - time.monotonic()

    def tdc(self, verb, *words, gpus=1):
        """A command line of the compiler for this machine's GPU, or for so many simulated ones."""
        return [self.tools["tdc"], verb, *[f"--sim-cuda={gpus}"] * self.simulated, *words]

    def start(self, *command, env=None, cwd=ROOT, **options):
        """Starts a process in this process group, so that it ends with the group."""
        return subprocess.Popen([str(word) for word in command], cwd=cwd,
                                env={**self.environment, **(env or {})}, **options)

    def run(self, *command, limit=120, **options):
        """(output, reason of failure or None). Raises TimeIsUp."""
        process = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, errors="replace", **options)
        try:
            printed, errors = process.communicate(timeout=max(0, min(limit, self.left())))
        except subprocess.TimeoutExpired:
            # Its own children may still hold the pipes: nothing waits for their end.
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
            self.check_time()
            return "", f"no end after {limit} s"
        if process.returncode:
            return printed, f"exit {process.returncode}: {first_lines(errors)}"
        return printed, None

    def check_time(self):
        if self.left() <= 0:
            raise TimeIsUp

    def find_facts(self):
        version, problem = self.run(self.tools["tdc"], "version")
        if problem:
            raise Unfit(f"tdc does not run here: {problem}")
        text, problem = self.run(sys.executable, HERE / "peaks.py", "device")
        if problem:
            raise Unfit(f"there is no GPU to use: {problem}")
        return {"tdc": version.splitlines()[0], **json.loads(text),
                "python": sys.version.split()[0], "cores": len(os.sched_getaffinity(0)),
                "simulated": self.simulated}

    def ask_nvidia_smi(self):
        """Its full output on the GPUs, or the reason why there is none."""
        if not (path := shutil.which("nvidia-smi")):
            return "not installed"
        printed, problem = self.run(path, "-q")
        return problem or printed

    def unpack(self, name):
        """Unpacks an archive, NAME.tar.xz, if needed; returns its folder."""
        if name not in self.unpacked:
            with tarfile.open(find_packed(self.packed, f"{name}.tar.xz")) as archive:
                archive.extractall(self.work)
            self.unpacked[name] = self.work / name
        return self.unpacked[name]


def first_lines(errors):
    """The first lines of an error message of a tdc program."""
    return " ".join(errors.strip().splitlines()[:6])[:600] or "no message"


def find_nvml(bus):
    try:
        return nvml.Nvml(bus)
    except (OSError, RuntimeError) as problem:
        return str(problem)


def find_packed(packed, name):
    if not (packed / name).exists():
        raise Unfit(f"there is no {packed / name}; bench/gpu/pack.py makes it on a machine "
                    "that builds tdc")
    return packed / name


def find_tools(folder, packed, work):
    """The tools of a build folder; without one, the tools packed by pack.py."""
    if folder:
        tools = {name: folder.resolve() / kind / name for name, kind in TOOLS.items()}
        if missing := [str(path) for path in tools.values() if not path.exists()]:
            raise Unfit(f"there is no {missing[0]}")
        return tools
    tools = {name: work / kind / name for name, kind in TOOLS.items()}
    for name, path in tools.items():
        path.parent.mkdir(exist_ok=True)
        with lzma.open(find_packed(packed, f"{name}.xz")) as source, path.open("wb") as file:
            shutil.copyfileobj(source, file)
        path.chmod(0o755)
    return tools
