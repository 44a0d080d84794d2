"""usage: startup_torch.py FOLDER"""

import sys
from collections import OrderedDict

import numpy as np
import torch
from safetensors.torch import load_file

model = torch.nn.Sequential(OrderedDict(
    fc1=torch.nn.Linear(10, 50), relu=torch.nn.ReLU(), fc2=torch.nn.Linear(50, 1)))
model.load_state_dict(load_file(f"{sys.argv[1]}/weights.safetensors"))
with torch.inference_mode():
    print(model(torch.from_numpy(np.load(f"{sys.argv[1]}/x.npy"))).sum().item())
