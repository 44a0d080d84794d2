"""The operations as ONNX models."""

import numpy as np
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info
from onnx.numpy_helper import from_array

from peers import operations

# The op of each node, its inputs, its output, and its attributes.
NODES = {
    "product": [("MatMul", "a b", "result")],
    "transposed": [("Gemm", "a b", "result", {"transB": 1})],
    "softmax": [("Softmax", "x", "result")],
    "layernorm": [("LayerNormalization", "x g b", "result", {"epsilon": 1e-5})],
    "gelu": [("Add", "x b", "sum"), ("Gelu", "sum", "result")],
    "chain": [("Mul", "x two", "twice"), ("Add", "twice y", "sum"), ("Relu", "sum", "positive"),
              ("Sigmoid", "y", "gate"), ("Mul", "positive gate", "product"),
              ("Sub", "product x", "result")],
    "sum": [("ReduceSum", "x last", "result", {"keepdims": 0})],
    "convolution": [("Conv", "x w b", "result", {"pads": [1, 1, 1, 1]})],
}
CONSTANTS = {"chain": {"two": np.float32(2)}, "sum": {"last": np.array([-1])}}


def model(case):
    kind = operations.CASES[case].kind
    inputs, weights = operations.tensors(case)
    constants = weights | CONSTANTS.get(kind, {})
    nodes = [make_node(op, names.split(), [result], **attributes)
             for op, names, result, *more in NODES[kind] for attributes in (more or [{}])]
    result = make_tensor_value_info("result", TensorProto.FLOAT, None)
    graph = make_graph(
        nodes, kind,
        [make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
         for name, array in inputs.items()],
        [result], [from_array(np.asarray(array), name) for name, array in constants.items()])
    return make_model(graph, opset_imports=[make_opsetid("", 20)], ir_version=10)
