# Gradient clipping (documentation of torch.nn.utils, and of training with mixed precision).
import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
model.load_state_dict(torch.load("data/clip.pt", weights_only=True))
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
max_norm = 1.0

data = torch.arange(32).float().view(8, 4).sin()
target = 10 * data.sum(dim=1, keepdim=True)

for epoch in range(4):
    optimizer.zero_grad()
    output = model(data)
    loss = loss_fn(output, target)
    loss.backward()

    # the norm before clipping
    total_norm = 0.0
    for p in model.parameters():
        param_norm = p.grad.detach().data.norm(2)
        total_norm += param_norm.item() ** 2
    total_norm = total_norm ** 0.5

    norm = clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f} norm {norm:.4f} {total_norm:.4f}")

grads = [p.grad for p in model.parameters() if p.grad is not None]
norm = torch.norm(torch.stack([torch.norm(g, 2.0) for g in grads]), 2.0)
print(f"after clipping {norm.item():.4f}")

for epoch in range(2):
    optimizer.zero_grad()
    loss = loss_fn(model(data), target)
    loss.backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), clip_value=0.5)
    optimizer.step()
    print(f"value: loss {loss.item():.4f} {model[0].weight.grad.abs().max().item():.4f}")

norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1, norm_type=float('inf'))
print(f"{norm.item():.4f}")
