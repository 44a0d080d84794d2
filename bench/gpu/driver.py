"""NVIDIA's driver API through ctypes: the part that peaks.py needs. The simulated driver
replaces it where TDC_SIM_CUDA is set."""

import ctypes
import os

HANDLE = ctypes.c_void_p
POINTER = ctypes.c_uint64
SIZE = ctypes.c_size_t
# Types of parameters; a result is written to the address in the first parameter.
PARAMETERS = {
    "cuInit": [ctypes.c_uint],
    "cuDriverGetVersion": [HANDLE],
    "cuGetErrorName": [ctypes.c_int, HANDLE],
    "cuDeviceGetCount": [HANDLE],
    "cuDeviceGet": [HANDLE, ctypes.c_int],
    "cuDeviceGetName": [HANDLE, ctypes.c_int, ctypes.c_int],
    "cuDeviceGetPCIBusId": [HANDLE, ctypes.c_int, ctypes.c_int],
    "cuDeviceGetUuid": [HANDLE, ctypes.c_int],
    "cuDeviceTotalMem_v2": [HANDLE, ctypes.c_int],
    "cuDeviceGetAttribute": [HANDLE, ctypes.c_int, ctypes.c_int],
    "cuDevicePrimaryCtxRetain": [HANDLE, ctypes.c_int],
    "cuCtxSetCurrent": [HANDLE],
    "cuMemAlloc_v2": [HANDLE, SIZE],
    "cuMemHostAlloc": [HANDLE, SIZE, ctypes.c_uint],
    "cuMemsetD8Async": [POINTER, ctypes.c_ubyte, SIZE, HANDLE],
    "cuMemcpyHtoDAsync_v2": [POINTER, HANDLE, SIZE, HANDLE],
    "cuMemcpyDtoHAsync_v2": [HANDLE, POINTER, SIZE, HANDLE],
    "cuMemcpyDtoDAsync_v2": [POINTER, POINTER, SIZE, HANDLE],
    "cuStreamCreate": [HANDLE, ctypes.c_uint],
    "cuStreamSynchronize": [HANDLE],
    "cuModuleLoadDataEx": [HANDLE, ctypes.c_char_p, ctypes.c_uint, HANDLE, HANDLE],
    "cuModuleGetFunction": [HANDLE, HANDLE, ctypes.c_char_p],
    "cuLaunchKernel": [HANDLE, *[ctypes.c_uint] * 7, HANDLE, HANDLE, HANDLE],
}
NON_BLOCKING = 1
# CUdevice_attribute
ATTRIBUTES = {"clock_khz": 13, "multiprocessors": 16, "memory_clock_khz": 36,
              "memory_bus_bits": 37, "l2_bytes": 38, "major": 75, "minor": 76}


class Driver:
    """The first device, with a stream. Raises OSError without a driver, and RuntimeError
    with CUDA's name of the error if a call fails."""

    def __init__(self):
        self.is_simulated = "TDC_SIM_CUDA" in os.environ
        self.library = ctypes.CDLL(os.environ["TDC_SIM_CUDA_LIBRARY"] if self.is_simulated
                                   else "libcuda.so.1")
        self.call("cuInit", 0)
        self.device = self.get("cuDeviceGet", ctypes.c_int, 0)
        self.call("cuCtxSetCurrent", self.get("cuDevicePrimaryCtxRetain", HANDLE, self.device))
        self.stream = self.get("cuStreamCreate", HANDLE, NON_BLOCKING)

    def call(self, name, *arguments):
        function = getattr(self.library, name)
        function.argtypes = PARAMETERS[name]
        if status := function(*arguments):
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()}")

    def get(self, name, kind, *arguments):
        """The value that a function writes to the address in its first parameter."""
        result = kind()
        self.call(name, ctypes.byref(result), *arguments)
        return result.value

    def describe(self):
        """The device, for the row of the machine. Clocks are in kHz."""
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), self.device)
        facts = {"gpu": name.value.decode(),
                 "gpus": self.get("cuDeviceGetCount", ctypes.c_int),
                 "cuda": self.get("cuDriverGetVersion", ctypes.c_int),
                 "memory_bytes": self.get("cuDeviceTotalMem_v2", SIZE, self.device)}
        for fact, number in ATTRIBUTES.items():
            try:
                facts[fact] = self.get("cuDeviceGetAttribute", ctypes.c_int, number, self.device)
            except RuntimeError as problem:  # newer drivers may drop one
                facts[fact] = str(problem)
        if not self.is_simulated:
            bus, uuid = ctypes.create_string_buffer(32), ctypes.create_string_buffer(16)
            self.call("cuDeviceGetPCIBusId", bus, len(bus), self.device)
            self.call("cuDeviceGetUuid", uuid, self.device)
            facts.update(bus=bus.value.decode(), uuid=uuid.raw.hex())
        return facts

    def allocate(self, size):
        """Device memory that holds ones in each byte."""
        pointer = self.get("cuMemAlloc_v2", POINTER, size)
        self.call("cuMemsetD8Async", pointer, 1, size, self.stream)
        return pointer

    def allocate_pinned(self, size):
        """Pinned memory of the host, which the device accesses directly."""
        pointer = self.get("cuMemHostAlloc", HANDLE, size, 0)
        ctypes.memset(pointer, 1, size)
        return pointer

    def load(self, ptx, name):
        module = self.get("cuModuleLoadDataEx", HANDLE, ptx.encode(), 0, None, None)
        return self.get("cuModuleGetFunction", HANDLE, module, name.encode())

    def launch(self, function, blocks, threads, values):
        """`values` are the kernel's arguments as objects of ctypes."""
        addresses = (HANDLE * len(values))(*[ctypes.addressof(value) for value in values])
        self.call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, self.stream,
                  addresses, None)

    def read(self, pointer, size):
        """Reads bytes of device memory."""
        to = self.allocate_pinned(size)
        self.call("cuMemcpyDtoHAsync_v2", to, pointer, size, self.stream)
        self.synchronize()
        return ctypes.string_at(to, size)

    def synchronize(self):
        self.call("cuStreamSynchronize", self.stream)
