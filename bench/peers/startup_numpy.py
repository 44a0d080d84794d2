"""usage: startup_numpy.py FOLDER"""

import sys

import numpy as np
from safetensors.numpy import load_file

w = load_file(f"{sys.argv[1]}/weights.safetensors")
x = np.load(f"{sys.argv[1]}/x.npy")
hidden = np.maximum(x @ w["fc1.weight"].T + w["fc1.bias"], 0)
print((hidden @ w["fc2.weight"].T + w["fc2.bias"]).sum().item())
