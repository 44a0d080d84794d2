"""The loops in PyTorch, compiled where its users would compile them; training steps are CUDA
graphs."""

import gc
import sys

import torch
from torch import nn
from torch.nn import functional as F

from server import serve

DEVICE = sys.argv[1]
DTYPES = {"": torch.float32, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE).to(dtype)


class Block(nn.Module):
    def __init__(self, op, width, heads):
        super().__init__()
        self.is_gpt, self.heads = op == "gpt", heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        qkv = self.qkv(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(*qkv, is_causal=self.is_gpt)
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x):
        if self.is_gpt:
            x = x + self.attention(self.norm1(x))
            return x + self.down(F.gelu(self.up(self.norm2(x))))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Transformer(nn.Module):
    def __init__(self, op, tokens, width, heads, layers, vocabulary):
        super().__init__()
        self.words, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*[Block(op, width, heads) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary if op == "gpt" else width, bias=False)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.words(ids) + self.positions.weight)))


def make_training(op, batch=0, tokens=0, width=0, heads=0, layers=0, vocabulary=0, n=0):
    """The step of a model: loss, gradients, Adam."""
    kind = torch.optim.Adam
    if op == "simple model":
        model = nn.Sequential(nn.Linear(10, 50), nn.ReLU(), nn.Linear(50, 1))
        x, y = randn(100, 10), randn(100, 1)
    elif op == "mlp":
        model = nn.Sequential(nn.Linear(n, n), nn.ReLU(), nn.Linear(n, n), nn.ReLU(),
                              nn.Linear(n, n))
        x, y = randn(n, n), randn(n, n)
    else:
        kind = torch.optim.AdamW
        model = Transformer(op, tokens, width, heads, layers, vocabulary)
        x = torch.randint(vocabulary, (batch, tokens), device=DEVICE)
        y = randn(batch, width) if op == "minilm" else \
            torch.randint(vocabulary, (batch * tokens,), device=DEVICE)
    model.to(DEVICE)
    optimizer = kind(model.parameters(), lr=1e-3, fused=True)

    def find_loss(x, y):
        z = model(x)
        if op == "gpt":
            return F.cross_entropy(z.flatten(0, 1), y)
        return F.mse_loss(z.mean(1) if op == "minilm" else z, y)

    loss_of = torch.compile(find_loss, mode="reduce-overhead")

    def step():
        optimizer.zero_grad()
        torch.compiler.cudagraph_mark_step_begin()
        loss_of(x, y).backward()
        optimizer.step()
    return step


def make_update(op, n, width=0, vocabulary=0):
    """A step that updates parameters with gradients: Adam's, or an update of a table's rows."""
    if op == "adam":
        parameters = [nn.Parameter(randn(n, n)) for _ in range(24)]
        for parameter in parameters:
            parameter.grad = randn(n, n)
        return torch.optim.Adam(parameters, lr=1e-3, fused=True).step
    table = nn.Embedding(vocabulary, width, device=DEVICE)
    optimizer = torch.optim.SGD(table.parameters(), lr=1e-3, fused=True)
    wide = randn(n, width)
    ids = torch.randint(vocabulary, (n,), device=DEVICE)

    def step():
        ids.add_(1).remainder_(vocabulary)
        optimizer.zero_grad()
        (table(ids) * wide).sum().backward()
        optimizer.step()
    return step


def make_chain(op, dtype, n, width, heads=0, vocabulary=0):
    """(the state, a function from one state to the next)."""
    kind = DTYPES[dtype]
    if op == "linear":
        return randn(n, width, dtype=kind), nn.Linear(width, width, device=DEVICE, dtype=kind)
    if op.endswith("attention"):
        key, value = (randn(heads, heads, n, width // heads, dtype=kind) for _ in range(2))
        return key, lambda x: F.scaled_dot_product_attention(x, key, value,
                                                             is_causal=op.startswith("causal"))
    wide, row = randn(n, width), randn(width)
    if op == "embedding":
        table = nn.Embedding(vocabulary, width, device=DEVICE)
        ids = torch.randint(vocabulary, (n,), device=DEVICE)
        add = torch.compile(lambda x, ids: 0.5 * x + table(ids))
        return wide, lambda x: add(x, ids.add_(1).remainder_(vocabulary))
    if op == "cross_entropy":
        classes = torch.randint(width, (n,), device=DEVICE)

        @torch.compile
        def descend(x):
            return x - torch.func.grad(F.cross_entropy)(x, classes)
        return wide, descend
    start = {"sum": wide.mean(), "sum of rows": randn(n), "sum of columns": row}.get(op, wide)
    return start, torch.compile({
        "gelu": lambda x: F.gelu(x * row + wide),
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": lambda x: F.layer_norm(x, (width,), row, row),
        "transpose": lambda x: 0.5 * (x.T + wide),
        "sum": lambda x: (wide + x).mean(),
        "sum of rows": lambda x: (wide + x.unsqueeze(1)).mean(1),
        "sum of columns": lambda x: (wide + x).mean(0)}[op])


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def make(workload):
    torch.backends.cuda.matmul.allow_tf32 = workload.pop("tf32")
    dtype = workload.pop("dtype")
    if workload["op"] in ("simple model", "mlp", "gpt", "minilm"):
        step = make_training(**workload)
    elif workload["op"] in ("adam", "embedding gradient"):
        step = make_update(**workload)
    else:
        start, following = make_chain(dtype=dtype, **workload)

        @torch.no_grad()
        def run_chain(iterations):
            x = start
            for _ in range(iterations):
                x = following(x)
            synchronize()
        return run_chain

    def run(iterations):
        for _ in range(iterations):
            step()
        synchronize()
    return run


def release():
    torch.compiler.reset()
    gc.collect()
    if DEVICE == "cuda":
        torch.cuda.empty_cache()


serve(make, release)
