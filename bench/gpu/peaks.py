"""Measures the peaks of this GPU: copies, multiply-adds, tensor cores.

usage: peaks.py device | peaks.py NAME LEAST

`device` describes the GPU. NAME, one of COPIES and PEAKS, is measured in a loop of at
least LEAST seconds. Prints a JSON object: {"rate": TFLOP/s or GB/s, "unit": …,
"iterations": …, "seconds": …}. A copy on the device counts the bytes that it reads and
those that it writes. A kernel is run once with ones, so that its sums are known: any
other result is an error, exit code 1.
"""

import ctypes
import json
import struct
import sys

import loops
from driver import POINTER, Driver

THREADS = 256
CHAINS = 8  # independent sums of a thread, which hide each other's latency
COPIES = ["copy on the device", "copy to the device", "copy from the device"]


class Instruction:
    """A multiply-add, with `sums` registers of sums and `factors` for each side."""

    def __init__(self, text, sums, factors, terms, flops, one, varied, unrolled):
        self.text, self.sums, self.factors = text, sums, factors
        self.unrolled = unrolled  # often enough that the loop's own instructions are negligible
        self.terms = terms    # products that one execution adds to each sum
        self.flops = flops    # of one execution in one thread
        self.one = one        # the bits of 1.0 in a register of factors
        self.varied = varied  # bits of the mantissa in which factors differ when timed

    def lines(self, chain):
        def registers(name, first, count):
            names = ", ".join(f"%{name}{first + i}" for i in range(count))
            return names if count == 1 else f"{{{names}}}"
        sums = registers("s", chain * self.sums, self.sums)
        left, right = registers("a", 0, self.factors[0]), registers("b", 0, self.factors[1])
        return f"{self.text} {sums}, {left}, {right}, {sums};"


def mma(depth, dtype, one, varied):
    return Instruction(f"mma.sync.aligned.m16n8k{depth}.row.col.f32.{dtype}.{dtype}.f32",
                       4, (4, 2), depth, 2 * 16 * 8 * depth / 32, one, varied, 8)


PEAKS = {
    "f32 multiply-adds": Instruction("fma.rn.f32", 1, (1, 1), 1, 2, 0x3f800000, 0x007fffff, 64),
    "tf32 mma.sync": mma(8, "tf32", 0x3f800000, 0x007fe000),
    "f16 mma.sync": mma(16, "f16", 0x3c003c00, 0x03ff03ff),
    "bf16 mma.sync": mma(16, "bf16", 0x3f803f80, 0x007f007f),
}


def make_kernel(instruction):
    """PTX: a number of iterations of all chains, then stores their sum to `out`. Factors are
    1.0 except for the bits in `mask`, which differ between threads; their signs alternate
    with the iterations, so that sums stay small."""
    sums = [f"%s{i}" for i in range(CHAINS * instruction.sums)]
    factors = [f"%{side}{i}" for side, count in zip("ab", instruction.factors)
               for i in range(count)]
    body = [instruction.lines(chain) for chain in range(CHAINS)] * instruction.unrolled
    lines = [
        "mov.u32 %t, %tid.x;", "mov.u32 %block, %ctaid.x;", "mov.u32 %width, %ntid.x;",
        "mad.lo.u32 %t, %block, %width, %t;",
        "ld.param.u64 %out, [peak_out];", "cvta.to.global.u64 %out, %out;",
        "ld.param.u32 %left, [peak_iterations];", "ld.param.u32 %mask, [peak_mask];",
        "ld.param.u32 %sign, [peak_sign];",
        *[f"mov.b32 {register}, 0;" for register in sums],
        *[line for number, register in enumerate(factors) for line in (
            f"mad.lo.u32 {register}, %t, {0x9e3779b1 + 2 * number}, {0x85ebca77 * number % 2**32};",
            f"and.b32 {register}, {register}, %mask;",
            f"xor.b32 {register}, {register}, {instruction.one};")],
        "loop:", *body,
        *[f"xor.b32 {register}, {register}, %sign;" for register in factors
          if register.startswith("%a")],
        "sub.u32 %left, %left, 1;", "setp.ne.u32 %more, %left, 0;", "@%more bra loop;",
        *[f"add.rn.f32 %s0, %s0, {register};" for register in sums[1:]],
        "mul.wide.u32 %offset, %t, 4;", "add.u64 %out, %out, %offset;",
        "st.global.b32 [%out], %s0;", "ret;"]
    return "\n".join([
        ".version 7.0", ".target sm_80", ".address_size 64",
        ".visible .entry peak(.param .u64 peak_out, .param .u32 peak_iterations,",
        "                     .param .u32 peak_mask, .param .u32 peak_sign)", "{",
        f".reg .b32 %s<{len(sums)}>, %a<{instruction.factors[0]}>, %b<{instruction.factors[1]}>;",
        ".reg .b32 %t, %block, %width, %left, %mask, %sign;", ".reg .b64 %out, %offset;",
        ".reg .pred %more;", *lines, "}", ""])


def measure_kernel(driver, instruction, least):
    function = driver.load(make_kernel(instruction), "peak")
    blocks = 1 if driver.is_simulated else \
        8 * driver.get("cuDeviceGetAttribute", ctypes.c_int, 16, driver.device)
    out = driver.allocate(blocks * THREADS * 4)

    def launch(count, iterations, mask, sign):
        for _ in range(count):
            driver.launch(function, blocks, THREADS, [
                POINTER(out), *map(ctypes.c_uint32, (iterations, mask, sign))])
        driver.synchronize()

    launch(1, 3, 0, 0)
    sums = CHAINS * instruction.sums
    wanted = 3 * instruction.unrolled * instruction.terms * sums
    got = struct.unpack(f"{blocks * THREADS}f", driver.read(out, blocks * THREADS * 4))
    if set(got) != {float(wanted)}:
        raise RuntimeError(f"a sum of ones is {min(got)} to {max(got)}, not {wanted}")
    iterations = 1 if driver.is_simulated else 1000
    signs = 0x80008000 if instruction.terms == 16 else 0x80000000
    count, seconds = loops.time_loop(
        lambda count: launch(count, iterations, instruction.varied, signs), least)
    flops = blocks * THREADS * iterations * CHAINS * instruction.unrolled * instruction.flops
    return count, seconds, count * flops * 1e-12, "TFLOP/s"


def measure_copy(driver, name, least):
    size = 1 << 16 if driver.is_simulated else 1 << 29
    to, source = driver.allocate(size), driver.allocate(size)
    pinned = driver.allocate_pinned(size)
    entry, *ends = {"copy on the device": ("cuMemcpyDtoDAsync_v2", to, source),
                    "copy to the device": ("cuMemcpyHtoDAsync_v2", to, pinned),
                    "copy from the device": ("cuMemcpyDtoHAsync_v2", pinned, source)}[name]

    def run(count):
        for _ in range(count):
            driver.call(entry, *ends, size, driver.stream)
        driver.synchronize()

    count, seconds = loops.time_loop(run, least)
    moved = size * (2 if name == "copy on the device" else 1)
    return count, seconds, count * moved * 1e-9, "GB/s"


def main():
    driver = Driver()
    if sys.argv[1:] == ["device"]:
        print(json.dumps(driver.describe()))
        return
    name, least = sys.argv[1], float(sys.argv[2])
    if name in PEAKS:
        count, seconds, work, unit = measure_kernel(driver, PEAKS[name], least)
    else:
        count, seconds, work, unit = measure_copy(driver, name, least)
    print(json.dumps({"rate": work / seconds, "unit": unit, "iterations": count,
                      "seconds": seconds}))


if __name__ == "__main__":
    try:
        main()
    except (OSError, RuntimeError, loops.Failed) as problem:
        sys.exit(f"peaks.py: {problem}")
