# Learning-rate schedules (documentation of torch.optim).
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import (CosineAnnealingLR, ExponentialLR, LambdaLR, MultiStepLR,
                                      OneCycleLR, ReduceLROnPlateau, StepLR)

x = torch.arange(12).float().view(4, 3).sin()
y = x.sum(dim=1, keepdim=True)


def make():
    model = nn.Linear(3, 1)
    nn.init.constant_(model.weight, 0.1)
    nn.init.zeros_(model.bias)
    return model


model = make()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(6):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(f"{epoch} lr {scheduler.get_last_lr()[0]:.5f} loss {loss.item():.6f}")

model = make()
optimizer = optim.AdamW(model.parameters(), lr=0.01)
scheduler = CosineAnnealingLR(optimizer, T_max=5, eta_min=0.001)
for epoch in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(f"{epoch} lr {optimizer.param_groups[0]['lr']:.5f} loss {loss.item():.6f}")

model = make()
optimizer = optim.SGD([
    {'params': [model.weight], 'lr': 1e-2},
    {'params': [model.bias]},
], lr=1e-3)
scheduler1 = ExponentialLR(optimizer, gamma=0.9)
scheduler2 = MultiStepLR(optimizer, milestones=[1, 3], gamma=0.1)
for epoch in range(4):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler1.step()
    scheduler2.step()
    print(f"{epoch} lr {scheduler2.get_last_lr()} loss {loss.item():.6f}")

model = make()
optimizer = optim.SGD(model.parameters(), lr=0.1)
lambda1 = lambda epoch: 0.65 ** epoch
scheduler = LambdaLR(optimizer, lr_lambda=lambda1)
for epoch in range(3):
    optimizer.step()
    scheduler.step()
    print(f"{scheduler.get_last_lr()[0]:.6f}")

optimizer = optim.SGD(model.parameters(), lr=0.1)
scheduler = ReduceLROnPlateau(optimizer, 'min', factor=0.5, patience=1)
for val_loss in [1.0, 0.9, 0.95, 0.96, 0.97, 0.98]:
    scheduler.step(val_loss)
    print(f"{optimizer.param_groups[0]['lr']:.6f}")

optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=6)
for batch in range(5):
    optimizer.step()
    scheduler.step()
    print(f"{scheduler.get_last_lr()[0]:.6f}")
