"""Writes mlp.onnx, the model of `startup` with its weights.

usage: make_onnx.py FOLDER
"""

import sys

import onnx
from onnx.helper import make_graph, make_model, make_node, make_tensor_value_info
from onnx.numpy_helper import from_array
from safetensors.numpy import load_file

weights = load_file(f"{sys.argv[1]}/weights.safetensors")
graph = make_graph(
    [make_node("Gemm", ["x", "fc1.weight", "fc1.bias"], ["sums"], transB=1),
     make_node("Relu", ["sums"], ["hidden"]),
     make_node("Gemm", ["hidden", "fc2.weight", "fc2.bias"], ["y"], transB=1)],
    "mlp",
    [make_tensor_value_info("x", onnx.TensorProto.FLOAT, [100, 10])],
    [make_tensor_value_info("y", onnx.TensorProto.FLOAT, [100, 1])],
    [from_array(array, name) for name, array in weights.items()])
# An opset that every onnxruntime of recent years reads.
model = make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)], ir_version=9)
onnx.checker.check_model(model)
onnx.save(model, f"{sys.argv[1]}/mlp.onnx")
