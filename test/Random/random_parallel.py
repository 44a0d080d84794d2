#!/usr/bin/env python3
"""Random models train on two and three simulated GPUs as they do on one.

usage: random_parallel.py [--seed N] [--count N] [--show]
  --seed    the first seed; one seed is one program, for ever
  --count   how many programs
  --show    print the programs and run nothing

A program trains a DataParallel model of f64 for some steps and prints its losses, its results in
evaluation mode and its parameters. There are no batch statistics, which depend on the number of
GPUs. Where the rows are an argument the program is built, so that the compiler does not know how
many they are, and runs with several numbers of rows, also with fewer than there are GPUs.
test/DataParallel compares such programs with PyTorch.
The last line is "parallel: N passed, N failed".
"""

import math
import os
import random
import subprocess
import sys

from workers import run_each

TOLERANCE = 1e-8  # rounding in f64, after a few steps
ACTIVATIONS = ("relu", "tanh", "gelu", "sigmoid", "silu")
OPTIMIZERS = (
    "SGD(PARAMETERS, lr=0.05)", "SGD(PARAMETERS, lr=0.05, momentum=0.9)",
    "SGD(PARAMETERS, lr=0.05, momentum=0.8, nesterov=true, weight_decay=0.01)",
    "Adam(PARAMETERS, lr=0.01)", "AdamW(PARAMETERS, lr=0.01, weight_decay=0.1)",
    "Adam(PARAMETERS, lr=0.01, amsgrad=true)", "RMSprop(PARAMETERS, lr=0.005, momentum=0.5)",
    # A smaller eps makes steps of gradients that are rounding errors.
    "Adagrad(PARAMETERS, lr=0.05, eps=1e-6)", "Adamax(PARAMETERS, lr=0.01)",
    "NAdam(PARAMETERS, lr=0.01)",
)


class Program:
    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.fields, self.steps = [], []
        self.kind = self.pick.choice(("rows", "rows", "images", "words"))
        self.batch = self.pick.randint(1, 9)
        self.classes = self.pick.randint(2, 4)
        self.width = 0  # of a row of `x`
        self.placement = self.pick.choice(("insert", "insert", "strict", "warn", "off"))
        self.make_model()
        self.make_training()

    def field(self, value):
        name = f"f{len(self.fields)}"
        self.fields.append(f"{name} = {value}")
        return f"self.{name}"

    def param(self, *sizes):
        name = f"f{len(self.fields)}"
        self.fields.append(f"param {name}: f32[{', '.join(map(str, sizes))}] = init.uniform(0.5)")
        return f"self.{name}"

    def step(self, value):
        self.steps.append(f"let x = {value}")

    # The model ---------------------------------------------------------------

    def make_model(self):
        pick = self.pick
        self.start = {"rows": self.start_rows, "images": self.start_images,
                      "words": self.start_words}[self.kind]()
        for _ in range(pick.randint(1, 4)):
            pick.choice((self.linear, self.linear, self.norm, self.dropout, self.scale,
                         self.reshaped, self.residual, self.noise, self.centered, self.twice))()
        out = self.field(f"Linear({self.width}, {self.classes})")
        self.has_two = pick.random() < 0.25
        self.result = f"{out}(x), x.mean(1)" if self.has_two else f"{out}(x)"

    def start_rows(self):
        self.width = self.pick.randint(2, 7)
        return f"wave([ROWS, {self.width}], 0.3)"

    def start_images(self):
        channels, size, filters = self.pick.randint(1, 2), self.pick.randint(5, 7), \
            self.pick.randint(1, 3)
        padding = self.pick.choice((0, 1))
        self.step(f"{self.field(f'Conv2d({channels}, {filters}, 3, padding={padding})')}(x)")
        side = size - 2 + 2 * padding
        if self.pick.random() < 0.5:
            self.step("max_pool2d(relu(x), 2)")
            side //= 2
        self.step("x.flatten(1)")
        self.width = filters * side * side
        return f"wave([ROWS, {channels}, {size}, {size}], 0.3)"

    def start_words(self):
        words, self.width = self.pick.randint(3, 9), self.pick.choice((4, 6))
        length = self.pick.randint(2, 5)
        table = self.field(f"Embedding({words}, {self.width})")
        self.step(f"{table}(x) + {self.param(length, self.width)}")
        if self.pick.random() < 0.5:
            qkv = self.field(f"Linear({self.width}, {3 * self.width})")
            self.steps.append(f"let qkv = {qkv}(x).reshape(x.shape[0], x.shape[1], 3, 2, "
                              f"{self.width // 2}).permute(2, 0, 3, 1, 4)")
            causal = self.pick.choice(("true", "false"))
            self.step("scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], "
                      f"is_causal={causal}).transpose(1, 2).flatten(2)")
        self.step(self.pick.choice(("x.mean(1)", "x.sum(1)", "x[:, -1]", "x.amax(1)")))
        return f"(arange(ROWS * {length}) * 5 % {words}).reshape(ROWS, {length})"

    def linear(self):
        width = self.pick.randint(2, 8)
        layer = self.field(f"Linear({self.width}, {width})")
        self.step(f"{self.pick.choice(ACTIVATIONS)}({layer}(x))")
        self.width = width

    def norm(self):
        self.step(f"{self.field(f'LayerNorm({self.width})')}(x)")

    def dropout(self):
        self.step(f"{self.field(f'Dropout({self.pick.choice((0.2, 0.5))})')}(x)")

    def scale(self):
        self.step(f"x * {self.param(self.width)}")

    def reshaped(self):
        if self.width % 2 == 0:
            half = self.width // 2
            layer = self.field(f"Linear({half}, {half})")
            self.step(f"tanh({layer}(x.reshape(-1, {half}))).reshape(-1, {self.width})")

    def residual(self):
        self.step(f"x + tanh({self.field(f'Linear({self.width}, {self.width})')}(x))")

    def noise(self):
        self.step(f"x + 0.1 * {self.pick.choice(('randn_like(x)', 'rand_like(x)'))}")

    def centered(self):
        self.step("x - x.mean(1, keepdim=true)")

    def twice(self):
        layer = self.field(f"Linear({self.width}, {self.width})")
        self.step(f"tanh({layer}(tanh({layer}(x))))")

    # The training ------------------------------------------------------------

    def make_training(self):
        pick = self.pick
        self.loss = pick.choice((
            "cross_entropy(scores, y)", "mse_loss(scores, one_hot(y, CLASSES).double())",
            "nll_loss(scores.log_softmax(1), y)", "(scores * scores).mean() + scores.sum() / 7.0"))
        if self.has_two:
            self.loss += " + 0.1 * (second * second).mean()"
        if pick.random() < 0.2:
            self.loss += " + 0.01 * sum([(p * p).sum() for p in net.parameters()])"
        self.optimizer = pick.choice(OPTIMIZERS)
        self.clips = pick.random() < 0.25
        self.uses_grad = pick.random() < 0.25 and not self.clips
        self.accumulates = pick.random() < 0.2 and not self.uses_grad
        self.rows = self.batch * pick.randint(1, 2) + pick.choice((0, 0, 1, 2))
        self.run_time = pick.random() < 0.25
        self.freezes = pick.random() < 0.15 and any("Linear" in f for f in self.fields[:-1])

    def source(self):
        says = self.placement in ("strict", "off")
        fields = "\n    ".join(self.fields)
        steps = "\n        ".join(self.steps)
        lines = [
            f"# tdc run --placement={self.placement}",
            "fn wave(size, shift: float) {", "    var count = 1",
            "    for n in size { count *= n }",
            "    return sin(0.7 * arange(count).double() + shift).reshape(size)", "}",
            "model Net {", f"    {fields}", "    fn forward(x) {", f"        {steps}",
            f"        return {self.result}", "    }", "}",
            f"arg rows: int = {self.rows}" if self.run_time else f"let rows = {self.rows}",
            "let net = Net().double().to(cuda:0)",
        ]
        if self.freezes:
            first = next(f.split(" =")[0] for f in self.fields[:-1] if "Linear" in f)
            lines.append(f"net.{first}.freeze()")
        lines += [
            "let parallel = DataParallel(net)",
            f"let opt = {self.optimizer.replace('PARAMETERS', 'net.parameters()')}",
            f"let data = {self.start.replace('ROWS', 'rows')}",
            f"let labels = arange(rows) % {self.classes}",
            f"let loader = DataLoader(data, labels, batch_size={self.batch})",
            "for epoch in range(2) {", "    for i, (x, y) in enumerate(loader) {",
        ]
        if says or self.pick.random() < 0.5:
            lines.append("        let x, y = x.to(cuda:0), y.to(cuda:0)")
        names = "scores, second" if self.has_two else "scores"
        loss = self.loss.replace("CLASSES", str(self.classes))
        body = [f"let {names} = parallel(x)", f"let loss = {loss}"]
        if self.uses_grad:
            body.append("opt.step(grad(loss, net))")
        else:
            body += ["loss.backward()"] if self.accumulates else ["opt.zero_grad()",
                                                                "loss.backward()"]
            if self.clips:
                body.append("clip_grad_norm_(net.parameters(), 0.5)")
            body += ["if i % 2 == 1 {", "    opt.step()", "    opt.zero_grad()", "}"] \
                if self.accumulates else ["opt.step()"]
        body.append("print(loss.item())")
        lines += ["        " + line for line in body] + ["    }", "}"]
        data = "data.to(cuda:0)" if says else "data"
        results = "parallel.eval()(" + data + ")"
        lines += [f"let {names} = {results}", "print(scores.abs().sum().item())",
                  "for p in net.parameters() { print(p.abs().sum().item(), p.sum().item()) }"]
        return "\n".join(lines) + "\n"


def run(path, program, gpus):
    """What each run printed, by its arguments, and the problem of one, or None."""
    options = ["--quiet", f"--sim-cuda={gpus}", f"--placement={program.placement}", path]
    if not program.run_time:
        printed, problem = execute(["tdc", "run", *options])
        return {"": printed}, problem
    built = path.with_suffix(f".{gpus}")
    _, problem = execute(["tdc", "build", "--device=cuda", *options, "-o", built])
    runs = {}
    for rows in sorted({1, program.batch + 1, program.rows}):
        if not problem:
            arguments = f"--rows={rows}"
            runs[arguments], problem = execute([built, arguments], TDC_SIM_CUDA=str(gpus))
            problem = problem and f"{arguments}: {problem}"
    return runs, problem


def execute(command, **env):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300,
                          env={**os.environ, **env})
    if done.returncode:
        return None, done.stdout[-300:] + done.stderr
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()], None


def find_difference(got, want):
    if [len(line) for line in got] != [len(line) for line in want]:
        return f"other lines: {got}, not {want}"
    for number, (ours, theirs) in enumerate(zip(got, want)):
        for a, b in zip(ours, theirs):
            if not (math.isfinite(a) and abs(a - b) <= TOLERANCE * (1 + abs(b))):
                return f"line {number + 1}: {a}, not {b}"
    return None


def check(seed, folder):
    """The problem of a seed's program, or None."""
    folder.mkdir()
    path = folder / "program.tdsl"
    program = Program(seed)
    path.write_text(program.source())
    want, problem = run(path, program, 1)
    if problem:
        return problem
    for gpus in (3,) if program.run_time else (2, 3):
        got, problem = run(path, program, gpus)
        for arguments in want:
            problem = problem or find_difference(got[arguments], want[arguments])
            if problem:
                return f"{gpus} GPUs {arguments}: {problem}"
    return None


def main():
    return run_each("parallel", __doc__, lambda seed: Program(seed).source(), check)


if __name__ == "__main__":
    sys.exit(main())
