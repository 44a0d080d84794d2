"""usage: startup_onnxruntime.py FOLDER"""

import sys

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(f"{sys.argv[1]}/mlp.onnx", options)
print(session.run(None, {"x": np.load(f"{sys.argv[1]}/x.npy")})[0].sum().item())
