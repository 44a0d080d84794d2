# Saving and loading models (tutorials/beginner/saving_loading_models).
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


# Define model
class TheModelClass(nn.Module):
    def __init__(self):
        super(TheModelClass, self).__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = x.view(-1, 16 * 5 * 5)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x


# Initialize model
model = TheModelClass()

# Initialize optimizer
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)

# Print model's state_dict
print("Model's state_dict:")
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())

PATH = "/tmp/frompytorch_model.pt"
x = torch.arange(2 * 3 * 32 * 32).view(2, 3, 32, 32).float().cos()
y = torch.tensor([3, 7])

# Save and load the state_dict
torch.save(model.state_dict(), PATH)
before = model(x)
model = TheModelClass()
model.load_state_dict(torch.load(PATH, weights_only=True))
model.eval()
print(torch.equal(before, model(x)))

# Save a general checkpoint
model.load_state_dict(torch.load("data/cifar.pt", weights_only=True))
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model.train()
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.5f}")

torch.save({
    'epoch': epoch,
    'model_state_dict': model.state_dict(),
    'optimizer_state_dict': optimizer.state_dict(),
    'loss': loss.item(),
}, "/tmp/frompytorch_checkpoint.pt")

model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

checkpoint = torch.load("/tmp/frompytorch_checkpoint.pt", weights_only=True)
model.load_state_dict(checkpoint['model_state_dict'])
optimizer.load_state_dict(checkpoint['optimizer_state_dict'])
epoch = checkpoint['epoch']
loss = checkpoint['loss']
print(f"resumed at epoch {epoch}, loss {loss:.5f}")

model.train()
for epoch in range(epoch + 1, 6):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.5f}")

# Warmstart a model using parameters from a different model
model.load_state_dict(torch.load(PATH, weights_only=True), strict=False)
print(torch.equal(before, model(x)))
