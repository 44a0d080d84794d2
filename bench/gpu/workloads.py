"""The timed loops of programs/, the most informative first."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    """A loop of a program. `work` of an iteration divided by its seconds is its rate in
    `unit`; `peak` names the rate of peaks.py that bounds it. The program's arguments default
    to small sizes, for the simulated driver; `sizes` are the sizes for a GPU."""
    name: str
    program: str
    sizes: dict
    work: float
    unit: str
    peak: str = ""
    op: str = ""
    dtype: str = ""
    tf32: bool = False

    @property
    def arguments(self):
        """Arguments of the program other than its sizes."""
        return {name: value for name, value in (("op", self.op), ("dtype", self.dtype)) if value}

    @property
    def file(self):
        return self.name.replace(" ", "-").replace(",", "")

    @property
    def options(self):
        return ["--tf32"] * self.tf32


PEAKS = {"f32": "f32 multiply-adds", "tf32": "tf32 mma.sync", "f16": "f16 mma.sync",
         "bf16": "bf16 mma.sync"}


def computing(name, program, flops, kind="f32", **options):
    """A compute-bound loop; `kind` is a dtype or tf32."""
    return Workload(f"{name}, {kind}", program, work=flops * 1e-12, unit="TFLOP/s",
                    peak=PEAKS[kind], tf32=kind == "tf32", **options)


def moving(name, program, values, **options):
    """A memory-bound loop: it must read and write `values` values of 4 bytes."""
    return Workload(name, program, work=4e-9 * values, unit="GB/s", peak="copy on the device",
                    **options)


def mlp(n, kind="f32"):
    """Three layers: three products forward, three for weights, two for gradients between layers."""
    return computing(f"step of MLP, {n} features", "mlp", 8 * 2 * n**3, kind, op="mlp",
                     sizes={"n": n})


def transformer(op, kind, batch, tokens, width, heads, layers, vocabulary):
    """Products forward, and twice as many backward; causal attention counts half."""
    rows = batch * tokens
    attention = 4 * rows * tokens * width * (0.5 if op == "gpt" else 1)
    head = 2 * rows * width * (vocabulary if op == "gpt" else width)
    flops = 3 * (layers * (24 * rows * width**2 + attention) + head)
    sizes = {"batch": batch, "tokens": tokens, "width": width, "heads": heads, "layers": layers,
             "vocabulary": vocabulary}
    return computing(f"step of {op}", "transformer", flops, kind, op=op, sizes=sizes)


def linear(kind):
    n = 8192 if kind in ("f16", "bf16") else 4096
    return computing("linear", "layers", 2 * n**3, kind, op="linear",
                     sizes={"n": n, "width": n, "heads": 1},
                     dtype="f32" if kind == "tf32" else kind)


def attention(kind, op="attention"):
    """16 sentences of 1,024 tokens, 16 heads of 64."""
    flops = 4 * 16 * 16 * 1024**2 * 64 * (0.5 if op == "causal attention" else 1)
    return computing(op, "layers", flops, kind, op=op, dtype=kind,
                     sizes={"n": 1024, "width": 1024, "heads": 16})


def array(op, n, width, arrays):
    """An op that reads and writes `arrays` arrays of n x width."""
    return moving(op, "layers", arrays * n * width, op=op, dtype="f32",
                  sizes={"n": n, "width": width, "heads": 1})


def table(op, n, width=768, vocabulary=50257):
    """Rows are read and added to an array, or read and updated with another one."""
    return moving(op, "tables", 3 * n * width, op=op,
                  sizes={"n": n, "width": width, "vocabulary": vocabulary})


GPT = dict(batch=16, tokens=256, width=256, heads=8, layers=4, vocabulary=65)
MINILM = dict(batch=32, tokens=128, width=384, heads=12, layers=6, vocabulary=30522)
WORKLOADS = [
    Workload("step of SimpleModel", "mlp", {}, 1, "steps/s", op="simple model"),
    transformer("gpt", "f32", **GPT), transformer("minilm", "f32", **MINILM),
    mlp(64), mlp(2048),
    transformer("gpt", "tf32", **GPT), transformer("minilm", "tf32", **MINILM), mlp(2048, "tf32"),
    *map(linear, ("f32", "bf16", "f16", "tf32")),
    *map(attention, ("f32", "bf16", "f16")), attention("bf16", "causal attention"),
    array("layer_norm", 65536, 1024, 2), array("softmax", 65536, 1024, 2),
    array("cross_entropy", 8192, 32000, 2),
    table("embedding", 65536), table("embedding gradient", 8192),
    moving("adam, 24 parameters", "adam", 7 * 24 * 1024**2, sizes={"n": 1024}),
    array("gelu", 8192, 8192, 3), array("sum", 10000, 10000, 1),
    array("sum of rows", 8192, 8192, 1), array("sum of columns", 8192, 8192, 1),
    array("transpose", 8192, 8192, 3),
]
