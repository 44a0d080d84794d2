# Custom losses: a module, a function, and one with weights (as in forum answers and tutorials).
import torch
import torch.nn as nn
import torch.nn.functional as F


class RMSELoss(nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.mse = nn.MSELoss()
        self.eps = eps

    def forward(self, yhat, y):
        loss = torch.sqrt(self.mse(yhat, y) + self.eps)
        return loss


class FocalLoss(nn.Module):
    def __init__(self, alpha=1, gamma=2, reduction='mean'):
        super(FocalLoss, self).__init__()
        self.alpha = alpha
        self.gamma = gamma
        self.reduction = reduction

    def forward(self, inputs, targets):
        BCE_loss = F.binary_cross_entropy_with_logits(inputs, targets, reduction='none')
        pt = torch.exp(-BCE_loss)
        F_loss = self.alpha * (1 - pt)**self.gamma * BCE_loss

        if self.reduction == 'mean':
            return torch.mean(F_loss)
        elif self.reduction == 'sum':
            return torch.sum(F_loss)
        return F_loss


class DiceLoss(nn.Module):
    def __init__(self, weight=None, size_average=True):
        super(DiceLoss, self).__init__()

    def forward(self, inputs, targets, smooth=1):
        # comment out if your model contains a sigmoid or equivalent activation layer
        inputs = torch.sigmoid(inputs)

        # flatten label and prediction tensors
        inputs = inputs.view(-1)
        targets = targets.view(-1)

        intersection = (inputs * targets).sum()
        dice = (2.*intersection + smooth)/(inputs.sum() + targets.sum() + smooth)

        return 1 - dice


def weighted_mse_loss(input, target, weight):
    return (weight * (input - target) ** 2).mean()


def l1_penalty(model, lam):
    return lam * sum(p.abs().sum() for p in model.parameters())


x = torch.arange(24).float().view(6, 4).sin()
y = x.sum(dim=1, keepdim=True)
targets = (y > 0).float()

model = nn.Linear(4, 1)
with torch.no_grad():
    model.weight.copy_(torch.tensor([[0.1, -0.2, 0.3, -0.4]]))
    model.bias.zero_()

rmse, focal, dice = RMSELoss(), FocalLoss(gamma=2), DiceLoss()
print(rmse(model(x), y).item())
print(focal(model(x), targets).item(), FocalLoss(reduction='none')(model(x), targets).shape)
print(dice(model(x), targets).item())
print(weighted_mse_loss(model(x), y, torch.tensor([1., 2., 1., 2., 1., 2.]).unsqueeze(1)).item())

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = rmse(model(x), y) + focal(model(x), targets) + l1_penalty(model, 1e-3)
    loss.backward()
    optimizer.step()
    print(f"step {step}: {loss.item():.6f}")
print(model.weight)
