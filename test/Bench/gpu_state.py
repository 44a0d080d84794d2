"""Reads the state of a GPU from a library that has the functions of NVIDIA's, with the
prototypes of nvml.h.

usage: gpu_state.py FOLDER   where the library is built
"""

import os
import subprocess
import sys
import time
from pathlib import Path

GPU = Path(__file__).resolve().parent.parent.parent / "bench/gpu"
LIBRARY = """
#include <string.h>
typedef struct device *nvmlDevice_t;
typedef struct { unsigned long long total, free, used; } nvmlMemory_t;
static int right(nvmlDevice_t device) { return device == (nvmlDevice_t)0x1234567890abcdef; }
const char *nvmlErrorString(int result) { return result == 3 ? "Not Supported" : "Not Found"; }
int nvmlInit_v2(void) { return 0; }
int nvmlSystemGetDriverVersion(char *text, unsigned length) {
  return strncpy(text, "580.159.04", length), 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device) {
  *device = (nvmlDevice_t)0x1234567890abcdef;
  return strcmp(bus, "0000:1B:00.0") ? 6 : 0;
}
int nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned *mhz) {
  *mhz = type == 1 ? 1980 : 2619;
  return right(device) ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned *milliwatts) {
  *milliwatts = 123500;
  return right(device) ? 0 : 2;
}
int nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned *celsius) {
  *celsius = 45 + sensor;
  return right(device) ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
  return 3;
}
int nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  *memory = (nvmlMemory_t){80ull << 30, 79ull << 30, 1ull << 30};
  return right(device) ? 0 : 2;
}
"""


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", folder / "libnvidia-ml.so.1"],
                   input=LIBRARY, text=True, check=True)
    # The loader reads its path when a process starts.
    subprocess.run([sys.executable, __file__], check=True, env={
        **os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(GPU)})


def read():
    import nvml
    device = nvml.Nvml("0000:1B:00.0")
    print("driver", device.driver_version())
    print(device.read())
    with nvml.Watch(device) as watch:
        time.sleep(3 * nvml.SECONDS)
    print("within: most", watch.state["most"]["sm_mhz"])
    try:
        nvml.Nvml("0000:00:00.0")
    except RuntimeError as problem:
        print(problem)


if __name__ == "__main__":
    main(Path(sys.argv[1])) if len(sys.argv) > 1 else read()
