"""Peers that compute a function of tensors: the models of a workload in each runtime.

usage: infer.py PEER, as in worker.py; the lines name a case as WORKLOAD/CASE
"""

import ctypes
import os
from importlib import import_module
from pathlib import Path

import numpy as np

from peers import iree_module
from peers.worker import serve

THREADS = int(os.environ["TDC_THREADS"])
CACHE = Path(os.environ["TDC_BENCH_FOLDER"])


class Case:
    """A case of a workload; `model` is the module that has its data."""

    def __init__(self, name):
        self.workload, self.name = name.split("/")
        self.model = import_module(f"peers.{self.workload}")
        self.inputs = self.model.tensors(self.name)[0]
        self.library = "operations" if self.workload == "operations" else "networks"
        self.has_images = self.workload == "images" or self.name.startswith("convolution")

    @property
    def torch(self):
        return import_module(f"peers.{self.library}_torch")

    @property
    def jax(self):
        return import_module(f"peers.{self.library}_jax")


def listed(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


class Torch:
    """Eager; images with their channels last, as PyTorch's guide advises."""

    def __init__(self, case):
        import torch
        self.torch, self.has_images = torch, case.has_images
        self.module = self.prepared(case.torch.module(case).eval())
        self.inputs = [self.tensor(array) for array in case.inputs.values()]
        with torch.no_grad():
            self.results = [y.float().numpy() for y in listed(self.module(*self.inputs))]

    def prepared(self, module):
        return module.to(memory_format=self.torch.channels_last) if self.has_images else module

    def tensor(self, array):
        from peers.networks_torch import tensor
        x = tensor(array)
        return x.contiguous(memory_format=self.torch.channels_last) if self.has_images else x

    def run(self, steps):
        with self.torch.inference_mode():
            for _ in range(steps):
                self.module(*self.inputs)


class TorchCompile(Torch):
    """With weights in the order that oneDNN prefers."""

    def prepared(self, module):
        import torch._inductor.config as config
        config.freezing = True
        self.torch._dynamo.reset()
        return self.torch.compile(super().prepared(module))

    def run(self, steps):
        with self.torch.no_grad():
            for _ in range(steps):
                self.module(*self.inputs)


class OneDnn:
    """A product by oneDNN, which PyTorch itself uses for some processors only."""

    def __init__(self, case):
        import torch
        a, b = (torch.from_numpy(array) for array in case.inputs.values())
        weight = b.T if case.name.startswith("product") else b
        self.arguments = a, weight, None, "none", [], ""
        self.product = torch.ops.mkldnn._linear_pointwise
        self.results = [self.product(*self.arguments).numpy()]

    def run(self, steps):
        for _ in range(steps):
            self.product(*self.arguments)


class OpenBlas:
    """A product by OpenBLAS, called from a loop in C."""

    def __init__(self, case):
        import scipy_openblas32
        library = ctypes.CDLL(next(Path(scipy_openblas32.get_lib_dir()).glob("*.so")))
        self.repeat = ctypes.CDLL(CACHE / "blas.so").repeat
        (m, k), other = (array.shape for array in case.inputs.values())
        is_plain = case.name.startswith("product")
        n = other[1] if is_plain else other[0]
        self.arrays = [*case.inputs.values(), np.empty((m, n), np.float32)]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in self.arrays]
        self.arguments = [library.scipy_cblas_sgemm, m, n, k, int(not is_plain), *pointers]
        self.run(1)
        self.results = [self.arrays[-1].copy()]

    def run(self, steps):
        self.repeat(*self.arguments, ctypes.c_long(steps))


class NumPy:
    def __init__(self, case):
        a, b = case.inputs.values()
        self.arrays = a, b if case.name.startswith("product") else b.T
        self.results = [self.arrays[0] @ self.arrays[1]]
        self.result = np.empty_like(self.results[0])

    def run(self, steps):
        for _ in range(steps):
            np.matmul(*self.arrays, out=self.result)


class Jax:
    def __init__(self, case):
        import jax
        self.wait = jax.block_until_ready
        function, weights = case.jax.function(case)
        inputs = case.jax.inputs_of(case, dict(case.inputs))
        self.arguments = jax.tree.map(jax.numpy.asarray, [weights, *inputs.values()])
        self.function = jax.jit(function)
        results = [np.asarray(y) for y in listed(self.function(*self.arguments))]
        self.results = case.jax.results_of(case, results)

    def run(self, steps):
        for _ in range(steps):
            self.wait(self.function(*self.arguments))


class Iree:
    def __init__(self, case):
        import jax
        function, weights = case.jax.function(case)
        leaves, tree = jax.tree.flatten(weights)
        inputs = list(case.jax.inputs_of(case, dict(case.inputs)).values())

        def flat(*arguments):
            return function(jax.tree.unflatten(tree, arguments[:len(leaves)]),
                            *arguments[len(leaves):])
        self.function, on_device = iree_module.load(flat, *leaves, *inputs)
        self.arguments = [on_device(array) for array in [*leaves, *inputs]]
        results = [y.to_host() for y in listed(self.function(*self.arguments))]
        self.results = case.jax.results_of(case, results)

    def run(self, steps):
        for _ in range(steps):
            self.function(*self.arguments)


def onnx_file(case):
    """The model in ONNX: written by hand, or exported by PyTorch."""
    path = CACHE / f"{case.workload}.{case.name}.onnx"
    if case.library == "operations":
        import onnx

        from peers import operations_onnx
        onnx.save(operations_onnx.model(case.name), path)
    elif not path.exists():
        import torch
        tensors = tuple(torch.from_numpy(array) for array in case.inputs.values())
        torch.onnx.export(case.torch.module(case).eval(), tensors, path, verbose=False,
                          opset_version=18, dynamo=True, external_data=False)
    return path


class OnnxRuntime:
    def __init__(self, case):
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        session = onnxruntime.InferenceSession(onnx_file(case), options)
        names = [one.name for one in session.get_inputs()]
        feeds = dict(zip(names, case.inputs.values(), strict=True))
        self.results = session.run(None, feeds)
        self.binding = session.io_binding()
        for name, array in feeds.items():
            self.binding.bind_ortvalue_input(
                name, onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array)))
        for one, array in zip(session.get_outputs(), self.results):
            self.binding.bind_ortvalue_output(
                one.name, onnxruntime.OrtValue.ortvalue_from_numpy(np.empty_like(array)))
        self.session = session

    def run(self, steps):
        for _ in range(steps):
            self.session.run_with_iobinding(self.binding)


class OpenVino:
    def __init__(self, case):
        import openvino
        model = openvino.Core().compile_model(onnx_file(case), "CPU", {
            "INFERENCE_NUM_THREADS": THREADS, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32",  # otherwise bf16 where the processor has it
            "ENABLE_CPU_PINNING": False})
        self.request = model.create_infer_request()
        self.inputs = [np.ascontiguousarray(array) for array in case.inputs.values()]
        for number, array in enumerate(self.inputs):
            self.request.set_input_tensor(number, openvino.Tensor(array, shared_memory=True))
        self.request.infer()
        self.results = [self.request.get_output_tensor(number).data.copy()
                        for number in range(len(model.outputs))]

    def run(self, steps):
        for _ in range(steps):
            self.request.infer()


PEERS = {"torch": Torch, "torch-compile": TorchCompile, "onednn": OneDnn,
         "openblas": OpenBlas, "numpy": NumPy, "jax": Jax, "iree": Iree,
         "onnxruntime": OnnxRuntime, "openvino": OpenVino}

if __name__ == "__main__":
    serve(lambda name, case: PEERS[name](Case(case)))
