"""Clocks, power, memory and temperature of the GPU, from NVIDIA's management library, which
is part of the driver."""

import ctypes
import threading

LIBRARY = "libnvidia-ml.so.1"
HANDLE = ctypes.c_void_p
SECONDS = 0.2  # from sample to sample


class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong),
                ("used", ctypes.c_ulonglong)]


# field: (function, arguments after the device, type of the result, its unit in the field's unit)
FIELDS = {
    "sm_mhz": ("nvmlDeviceGetClockInfo", [ctypes.c_uint(1)], ctypes.c_uint, 1),
    "memory_mhz": ("nvmlDeviceGetClockInfo", [ctypes.c_uint(2)], ctypes.c_uint, 1),
    "watts": ("nvmlDeviceGetPowerUsage", [], ctypes.c_uint, 1e-3),
    "celsius": ("nvmlDeviceGetTemperature", [ctypes.c_uint(0)], ctypes.c_uint, 1),
    "throttled": ("nvmlDeviceGetCurrentClocksThrottleReasons", [], ctypes.c_ulonglong, 1),
}


class Nvml:
    """A device, given by its PCI bus. Raises OSError without the library, and RuntimeError if
    the library does not know the device."""

    def __init__(self, bus):
        self.library = ctypes.CDLL(LIBRARY)
        self.library.nvmlErrorString.restype = ctypes.c_char_p
        self.device = HANDLE()
        self.check(self.library.nvmlInit_v2())
        self.check(self.library.nvmlDeviceGetHandleByPciBusId_v2(
            bus.encode(), ctypes.byref(self.device)))

    def check(self, status):
        if status:
            raise RuntimeError(f"{LIBRARY}: {self.library.nvmlErrorString(status).decode()}")

    def ask(self, function, result, *arguments):
        self.check(getattr(self.library, function)(self.device, *arguments, ctypes.byref(result)))
        return result

    def driver_version(self):
        text = ctypes.create_string_buffer(96)
        self.check(self.library.nvmlSystemGetDriverVersion(text, ctypes.c_uint(len(text))))
        return text.value.decode()

    def read(self):
        """The fields and `memory_mib` in use; an error text for values that are not available."""
        def attempt(read):
            try:
                return read()
            except (RuntimeError, AttributeError) as problem:
                return str(problem)
        state = {field: attempt(lambda: self.ask(function, kind(), *arguments).value * unit)
                 for field, (function, arguments, kind, unit) in FIELDS.items()}
        state["memory_mib"] = attempt(
            lambda: self.ask("nvmlDeviceGetMemoryInfo", Memory()).used / 2**20)
        return state


class Watch:
    """The state before and after a measurement, and every SECONDS during it: `least` and `most`
    of each field. `nvml` is None on the simulated driver, and an error text without the
    library."""

    def __init__(self, nvml):
        self.nvml = nvml
        self.samples = []
        self.ends = threading.Event()

    def __enter__(self):
        if isinstance(self.nvml, Nvml):
            self.before = self.nvml.read()
            self.thread = threading.Thread(target=self.sample)
            self.thread.start()
        return self

    def sample(self):
        while not self.ends.wait(SECONDS):
            self.samples.append(self.nvml.read())

    def __exit__(self, *_):
        self.state = self.nvml
        if isinstance(self.nvml, Nvml):
            self.ends.set()
            self.thread.join()
            self.state = {"before": self.before, "after": self.nvml.read(),
                          "least": self.extreme(min), "most": self.extreme(max)}

    def extreme(self, choose):
        numbers = {field: [sample[field] for sample in self.samples
                           if not isinstance(sample[field], str)] for field in self.before}
        return {field: choose(values) for field, values in numbers.items() if values}
