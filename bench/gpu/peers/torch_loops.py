"""The loops in PyTorch; training steps and gelu compiled, as its users would."""

import torch
from torch.nn import functional as F

from loops import serve


def make_step(n):
    model = torch.nn.Sequential(*[layer for _ in range(3) for layer in
                                  (torch.nn.Linear(n, n), torch.nn.ReLU())][:-1]).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    x, y = torch.randn(n, n, device="cuda"), torch.randn(n, n, device="cuda")
    loss_of = torch.compile(lambda x, y: F.mse_loss(model(x), y), mode="reduce-overhead")

    def run(turns):
        for _ in range(turns):
            optimizer.zero_grad()
            torch.compiler.cudagraph_mark_step_begin()
            loss_of(x, y).backward()
            optimizer.step()
    return run


def make(name, n):
    if name.startswith("training step"):
        return make_step(n)
    torch.backends.cuda.matmul.allow_tf32 = name == "matmul tf32"
    a = torch.randn(n, n, device="cuda") * n ** -0.5
    row = torch.randn(n, device="cuda")
    start = a
    if name.startswith("matmul"):
        a = a.to({"f16": torch.float16, "bf16": torch.bfloat16}.get(name.split()[1]))
        start, turn = a, lambda x: x @ a
    elif name == "gelu":
        turn = torch.compile(lambda x: F.gelu(x * row + a))
    elif name == "softmax":
        turn = lambda x: torch.softmax(x, 1)  # noqa: E731
    elif name == "transpose":
        turn = lambda x: x.T + a  # noqa: E731
    else:
        start = row
        turn = torch.compile({"sum_rows": lambda x: (a * x).sum(1),
                              "sum_columns": lambda x: (a * x).sum(0),
                              "sum": lambda x: row + (a * x).sum()}[name])

    def run(turns):
        allow = torch.backends.cuda.matmul.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = name == "matmul tf32"
        x = start
        for _ in range(turns):
            x = turn(x)
        torch.backends.cuda.matmul.allow_tf32 = allow
    return run


serve(make, torch.cuda.synchronize)
