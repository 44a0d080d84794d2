# Gradient accumulation (as in examples of training with large batches).
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

dataset = TensorDataset(torch.from_numpy(np.load("data/train_images.npy")),
                        torch.from_numpy(np.load("data/train_labels.npy")))
loader = DataLoader(dataset, batch_size=32, shuffle=False, drop_last=True)

model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
model.load_state_dict(torch.load("data/accumulation.pt", weights_only=True))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)

accumulation_steps = 4

for epoch in range(2):
    running_loss = 0.0
    optimizer.zero_grad()  # Reset gradients tensors
    for i, (inputs, labels) in enumerate(loader):
        predictions = model(inputs)  # Forward pass
        loss = criterion(predictions, labels)  # Compute loss function
        loss = loss / accumulation_steps  # Normalize our loss (if averaged)
        loss.backward()  # Backward pass
        running_loss += loss.item() * accumulation_steps
        # Wait for several backward steps
        if (i + 1) % accumulation_steps == 0 or (i + 1) == len(loader):
            optimizer.step()  # Now we can do an optimizer step
            optimizer.zero_grad()  # Reset gradients tensors
    print(f"epoch {epoch + 1}, loss {running_loss / len(loader):.5f}")

model.eval()
correct = 0
with torch.no_grad():
    for inputs, labels in loader:
        _, predicted = torch.max(model(inputs).data, 1)
        correct += (predicted == labels).sum().item()
print(f"accuracy {100 * correct / len(dataset):.2f} %")
