"""The table of what kernels take of a GPU and do to its memories.

    kernels.py [--save] [--only NAME,NAME] TABLE

Registers, bytes spilled, shared memory and occupancy are those of ptxas for each kernel
of a program of full size, for sm_80 and sm_90. A simulated GPU counts the rest at a size
at which products have the same tiles: bank conflicts, bytes of the GPU's memory that
warps move (by sectors, whatever caches keep) and the fewest that the op needs, and
the part of the products' multiply-adds that tensor cores do. Kernels that make initial
values are left out.

TABLE is the table as it was: `--save` writes it; else a line of another table is an error,
and so is a spill, a bank conflict, and a product of f16 or bf16 that is not on tensor
cores. Another ptxas chooses other registers: then those are not compared.
"""

import argparse
import dataclasses
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import ptxas  # noqa: E402

CHIPS = {"sm_80": 164 << 10, "sm_90": 228 << 10}  # shared memory of a multiprocessor
# Of a multiprocessor of either (CUDA C++ Programming Guide, "Technical Specifications per
# Compute Capability"); each block takes 1 KiB of shared memory in addition to its own.
REGISTERS, WARPS, BLOCKS, RESERVED = 65536, 64, 32, 1 << 10
# Registers are given to warps in units (CUDA Occupancy Calculator).
REGISTER_UNIT = 256
# Registers of a multiprocessor are in quarters, among which a block's warps are dealt out.
QUARTERS = 4
SHARED_UNIT = 128


@dataclasses.dataclass
class Program:
    """A function of arrays, given as their types, in a program with `sizes`, those of `full`
    or of `small`. `least` has the bytes that it must read and write, `products` the
    multiply-adds that must be on tensor cores."""
    inputs: dict
    body: str
    full: dict
    small: dict
    least: callable
    products: callable = None
    before: str = ""
    options: tuple = ()

    def write(self, path, sizes):
        named = [f"let {name} = {size}" for name, size in sizes.items()]
        inputs = ", ".join(f"{name}: {type}" for name, type in self.inputs.items())
        path.write_text("\n".join([*named, self.before,
                                   f"export fn op({inputs}) {{\n    {self.body}\n}}"]) + "\n")

    def make_inputs(self, folder):
        """Options of `tdc run` that give the function random values."""
        random = numpy.random.default_rng(1)
        for name, type in self.inputs.items():
            dtype, shape = re.fullmatch(r"(\w+)\[(.*)\]", type).groups()
            shape = [self.small.get(size) or int(size) for size in shape.split(", ")]
            values = (random.integers(0, self.small[CLASSES], shape) if dtype == "i64" else
                      random.standard_normal(shape).astype("f4"))
            numpy.save(folder / f"{name}.npy", values)
            yield f"--in={name}={folder}/{name}.npy"


CLASSES = "classes"  # below which integers are


def product(dtype, on_tensor_cores=True, **options):
    size = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}[dtype]
    return Program({"a": "f32[n, k]", "b": "f32[k, n]"},
                   f"return a.to({dtype}).to(cuda) @ b.to({dtype}).to(cuda)",
                   {"n": 4096, "k": 4096}, {"n": 1280, "k": 64},
                   lambda n, k: size * (2 * n * k + n * n),
                   products=(lambda n, k: n * n * k) if on_tensor_cores else None, **options)


def array(expression, full, small, values):
    """An op of x [n, classes], w and b [classes] and y [n], which numbers classes; `values`
    counts those of four bytes that it reads and writes."""
    inputs = {name: type for name, type in
              {"x": "f32[n, classes]", "w": "f32[classes]", "b": "f32[classes]",
               "y": "i64[n]"}.items() if re.search(rf"\b{name}\b", expression)}
    places = "".join(f"let {name} = {name}.to(cuda)\n    " for name in inputs)
    return Program(inputs, f"{places}return {expression}", dict(zip(("n", "classes"), full)),
                   dict(zip(("n", "classes"), small)), lambda n, classes: 4 * values(n, classes))


def convolution(result, reads, writes):
    """A convolution of x [n, c, s, s] with w [c, c, 3, 3], or one of its gradients: of that
    of its result, d."""
    inputs = {"x": "f32[n, c, s, s]", "w": "f32[c, c, 3, 3]", "d": "f32[n, c, s, s]"}
    places = "".join(f"let {name} = {name}.to(f16).to(cuda)\n    " for name in inputs)
    values = {"x": lambda n, c, s: n * c * s * s, "w": lambda n, c, s: 9 * c * c}
    values["y"] = values["d"] = values["x"]
    return Program(inputs, f"{places}let y = conv2d(x, w, none, 1, 1)\n    return {result}",
                   {"n": 64, "c": 512, "s": 14}, {"n": 32, "c": 128, "s": 16},
                   lambda n, c, s: 2 * sum(values[name](n, c, s) for name in reads + writes),
                   products=lambda n, c, s: n * c * s * s * 9 * c)


TABLE = "let table = Embedding(classes, 768).to(cuda)"
PROGRAMS = {
    "f32 @": product("f32", on_tensor_cores=False),
    "f64 @": product("f64", on_tensor_cores=False),
    "TF32 @": product("f32", options=("--tf32",)),
    "TF32 transposed @": Program(
        {"a": "f32[k, n]", "b": "f32[n, k]"}, "return a.to(cuda).T @ b.to(cuda).T",
        {"n": 4096, "k": 4096}, {"n": 1280, "k": 64}, lambda n, k: 4 * (2 * n * k + n * n),
        products=lambda n, k: n * n * k, options=("--tf32",)),
    "f16 @": product("f16"),
    "bf16 @": product("bf16"),
    "bf16 Linear": Program(
        {"a": "f32[n, k]"}, "return layer(a.to(bf16).to(cuda))", {"n": 4096, "k": 4096},
        {"n": 1280, "k": 64}, lambda n, k: 2 * (2 * n * k + n * n + n),
        products=lambda n, k: n * n * k,
        before="let layer = Linear(k, n, dtype=bf16).to(cuda)"),
    "bf16 attention": Program(
        {name: "f32[heads, n, 64]" for name in "qkv"},
        "return scaled_dot_product_attention(q.to(bf16).to(cuda), k.to(bf16).to(cuda), "
        "v.to(bf16).to(cuda))",
        {"n": 1024, "heads": 256}, {"n": 256, "heads": 24},
        lambda n, heads: 4 * 2 * heads * n * 64, lambda n, heads: 2 * heads * n * n * 64),
    "training of bf16 Linear": Program(
        {"a": "f32[n, k]"},
        "let loss = layer(a.to(bf16).to(cuda)).float().square().sum()\n"
        "    sgd.zero_grad()\n    loss.backward()\n    sgd.step()\n    return loss",
        {"n": 4096, "k": 4096}, {"n": 1280, "k": 1280},
        lambda n, k: 2 * (2 * n * k + n * n) + 2 * (n * n + 2 * n * k),
        products=lambda n, k: 2 * n * n * k,
        before="let layer = Linear(k, n, dtype=bf16).to(cuda)\nlet sgd = SGD(layer, lr=0.1)"),
    "gradients of bf16 attention": Program(
        {name: "f32[heads, n, 64]" for name in "abcd"},
        "let q, k, v = a.to(bf16).to(cuda), b.to(bf16).to(cuda), c.to(bf16).to(cuda)\n"
        "    let y = scaled_dot_product_attention(q, k, v)\n"
        "    let g = grad((y.float() * d.to(cuda)).sum(), [q, k, v])\n"
        "    return (g[0], g[1], g[2])",
        {"n": 1024, "heads": 256}, {"n": 256, "heads": 24},
        lambda n, heads: (3 * 2 + 4 + 3 * 2) * heads * n * 64,
        lambda n, heads: 5 * heads * n * n * 64),
    "f16 conv2d": convolution("y", "xw", "y"),
    "gradient of f16 conv2d for x": convolution(
        "grad((y.float() * d.float()).sum(), x)", "dw", "x"),
    "gradient of f16 conv2d for w": convolution(
        "grad((y.float() * d.float()).sum(), w)", "xd", "w"),
    "softmax": array("softmax(x, dim=1)", (65536, 1024), (64, 1024), lambda n, w: 2 * n * w),
    "layer_norm": array("layer_norm(x, [classes], w, b)", (65536, 1024), (64, 1024),
                        lambda n, w: 2 * n * w + 2 * w),
    "gelu(x * w + b)": array("gelu(x * w + b)", (8192, 8192), (64, 8192),
                             lambda n, w: 2 * n * w + 2 * w),
    "cross_entropy": array("cross_entropy(x, y)", (8192, 32000), (32, 32000),
                           lambda n, w: n * w + 2 * n + 1),
    "gradient of cross_entropy": array(
        "grad(cross_entropy(x, y), x)", (8192, 32000), (32, 32000),
        lambda n, w: 2 * n * w + 2 * n),
    "embedding": Program(
        {"i": "i64[n]"}, "return table(i.to(cuda))", {"classes": 50257, "n": 8192},
        {"classes": 5000, "n": 1024}, lambda classes, n: 4 * 2 * n * 768 + 8 * n, before=TABLE),
    "gradient of embedding and SGD": Program(
        {"i": "i64[n]", "g": "f32[n, 768]"},
        "let loss = (table(i.to(cuda)) * g.to(cuda)).sum()\n    sgd.zero_grad()\n"
        "    loss.backward()\n    sgd.step()\n    return loss",
        {"classes": 50257, "n": 8192}, {"classes": 5000, "n": 1024},
        lambda classes, n: 4 * 4 * n * 768 + 8 * n,
        before=TABLE + "\nlet sgd = SGD(table, lr=0.1)"),
    "Adam of 24 parameters": Program(
        {"g": "f32[24, n, n]"}, "let on = g.to(cuda)\n    adam.step([on[i] for i in range(24)])\n"
        "    return stack([part.w[0, 0] for part in m]).sum()",
        {"n": 1024}, {"n": 64}, lambda n: 4 * 7 * 24 * n * n,
        before="model Weight {\n    param w: f32[n, n]\n}\n"
               "let m = ModuleList([Weight() for _ in range(24)]).to(cuda)\n"
               "let adam = Adam(m, lr=0.001)"),
    "sum": array("x.sum()", (10000, 10000), (400, 10000), lambda n, w: n * w + 1),
    "cumsum": array("x.cumsum(1)", (8192, 8192), (64, 4096), lambda n, w: 2 * n * w),
    "cumsum over dim 0": array("x.cumsum(0)", (8192, 8192), (64, 8192), lambda n, w: 2 * n * w),
    "sum over dim 0": array("x.sum(0)", (8192, 8192), (1024, 1024), lambda n, w: n * w + w),
}


# That of build/venv first, whose version is pinned.
PATH = os.pathsep.join([*reversed(ptxas.FOLDERS), os.environ["PATH"]])


def run(*command, **environment):
    done = subprocess.run(command, capture_output=True, text=True,
                          env={**os.environ, "PATH": PATH, **environment})
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


def is_initial(kernel):
    return kernel.startswith("random")


def occupancy(registers, shared, threads, capacity):
    """Of a multiprocessor's warps, those that kernels of such blocks fill, in percent: the
    formula of NVIDIA's cuda_occupancy.h."""
    warps = -(-threads // 32)
    per_warp = -(-registers * 32 // REGISTER_UNIT) * REGISTER_UNIT
    by_registers = REGISTERS // QUARTERS // per_warp * QUARTERS // warps
    by_shared = capacity // -(-(shared + RESERVED) // SHARED_UNIT) // SHARED_UNIT
    return 100 * min(BLOCKS, WARPS // warps, by_registers, by_shared) * warps / WARPS


def get_threads(program, path):
    """Threads of a block, by the kernels' names. Of a matrix product they tell its tiles."""
    ptx, _ = run("tdc", "emit", "--phase=ptx", "--sim-cuda=1", *program.options, path)
    return {kernel: threads for kernel, threads in re.findall(
        r"\.entry (\w+)\((?:.*\n)*?.*\.maxntid (\d+)", ptx) if not is_initial(kernel)}


def assemble(folder, name, program):
    """Rows of the kernels, and what is wrong with them."""
    path = folder / "program.tdsl"
    program.write(path, program.full)
    threads = get_threads(program, path)
    _, told = run("tdc", "emit", "--phase=obj", "--sim-cuda=1", "--cubin=" + ",".join(CHIPS),
                  "--verbose", *program.options, path, "-o", folder / "program.o")
    rows, wrong, chip = [], [], None
    for line in told.splitlines():
        if head := re.match(r"\s*(sm_\d+) +line", line):
            chip = head[1]
        elif row := re.match(r"\s*(\w+) +\d+ +(\d+) +(\d+) B +(\d+) B$", line):
            kernel, (registers, spilled, shared) = row[1], map(int, row.groups()[1:])
            if is_initial(kernel):
                continue
            part = occupancy(registers, shared, int(threads[kernel]), CHIPS[chip])
            rows.append((name, kernel, chip, threads[kernel], registers, spilled, shared,
                         f"{part:.0f} %"))
            if spilled:
                wrong.append(f"{name}: {kernel} spills {spilled} bytes on {chip}")
    if len(rows) != len(CHIPS) * len(threads):
        wrong.append(f"{name}: kernels of {path} are missing:\n{told}")
    program.write(path, program.small)
    small = get_threads(program, path)
    wrong += [f"{name}: the small program has another {kernel}" for kernel in threads
              if kernel.startswith("matmul") and small.get(kernel) != threads[kernel]]
    return rows, wrong


def simulate(folder, name, program):
    path, counts = folder / "program.tdsl", folder / "counts.json"
    program.write(path, program.small)
    run("tdc", "run", "--sim-cuda=1", *program.options, path, "--fn=op",
        *program.make_inputs(folder), TDC_SIM_STATS=str(counts), TDC_SIM_SEED="1")
    work = [kernel for kernel in json.loads(counts.read_text())["work"]
            if not is_initial(kernel["kernel"])]
    if not work:
        sys.exit(f"{name}: no kernel ran")
    total = {key: sum(kernel[key] for kernel in work) for key in work[0] if key != "kernel"}
    moved, least = total["bytesRead"] + total["bytesWritten"], program.least(**program.small)
    size = ", ".join(f"{key}={value}" for key, value in program.small.items())
    part = total["matrixOperations"] / (2 * program.products(**program.small)) \
        if program.products else None
    row = (name, size, total["launches"], total["conflicts"], moved, least,
           f"{moved / least:.2f}", "-" if part is None else f"{100 * part:.0f} %")
    wrong = []
    if total["conflicts"]:
        wrong.append(f"{name}: {total['conflicts']} bank conflicts")
    if part is not None and part != 1:
        wrong.append(f"{name}: {100 * part:.1f} % of its products are on tensor cores")
    return row, wrong


def write_table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(map(str, line))} |" for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", 1)[0])
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("table", type=pathlib.Path)
    options = parser.parse_args()
    if options.save and options.only:
        parser.error("a table is saved with all its rows")
    chosen = options.only.split(",") if options.only else list(PROGRAMS)
    version = re.search(r"V([\d.]+)", run("ptxas", "--version")[0])[1]
    kernels, traffic, wrong = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            rows, bad = assemble(pathlib.Path(folder), name, PROGRAMS[name])
            row, worse = simulate(pathlib.Path(folder), name, PROGRAMS[name])
            kernels += rows
            traffic.append(row)
            wrong += bad + worse
    first = write_table(["program", "kernel", "chip", "threads", "registers", "spilled",
                         "shared", "occupancy"], kernels)
    second = write_table(["program", "size", "launches", "conflicts",
                          "bytes moved", "least", "moved / least", "on tensor cores"], traffic)
    head = f"# Kernels\nBy `kernels.py`, with ptxas {version}.\n"
    if options.save:
        options.table.write_text("\n".join([head, *first, "", *second]) + "\n")
    else:
        before = options.table.read_text()
        same = second if f"ptxas {version}.\n" not in before else first + second
        if same is second:
            print(f"registers are not compared: {options.table} was made by another ptxas")
        old = [line for line in before.splitlines() if line.startswith("|")]
        if same is second:
            old = old[old.index(second[0]) if second[0] in old else 0:]
        if options.only:
            shown = {*chosen, "program", "---"}
            old = [line for line in old if line.split(" | ")[0][2:] in shown]
        wrong += list(difflib.unified_diff(old, same, str(options.table), "now", lineterm="", n=0))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
