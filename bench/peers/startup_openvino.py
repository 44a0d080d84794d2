"""usage: startup_openvino.py FOLDER"""

import sys

import numpy as np
import openvino

options = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"}
model = openvino.Core().compile_model(f"{sys.argv[1]}/mlp.onnx", "CPU", options)
print(model([np.load(f"{sys.argv[1]}/x.npy")])[0].sum().item())
