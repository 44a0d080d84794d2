"""A whole program: loads the weights of 10-50-1, infers 100 rows, prints the
sum."""

import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from measure import BENCH, CACHE, Program, compare
from mlp import initial_weights
from peers.iree_module import COMPILER_OPTIONS

CASES = ["startup"]
CHECKED = "difference"
FOLDER = CACHE / "startup"
# Packages that a peer needs in addition to Python's standard library.
PACKAGES = {
    "numpy": ["numpy", "safetensors"],
    "onnxruntime": ["onnxruntime", "numpy"],
    "openvino": ["openvino", "numpy"],
    "jax": ["jax", "jaxlib", "ml_dtypes", "opt_einsum", "scipy", "numpy", "safetensors"],
    "torch": ["torch", "numpy", "safetensors"],
}
CUDA_LIBRARIES = ("libtorch_cuda", "libc10_cuda", "libtorch_nvshmem")


def file_sizes(*paths):
    return sum(path.stat().st_size for path in paths)


def package_sizes(names):
    """Size of the installed files of packages, without torch's CUDA libraries,
    which are not needed here."""
    files = [file.locate() for name in names for file in metadata.files(name)]
    return file_sizes(*(f for f in files if f.is_file() and not f.name.startswith(CUDA_LIBRARIES)))


def python_peer(name, build=None):
    script = BENCH / f"peers/startup_{name}.py"
    return Program(name, [sys.executable, script, FOLDER], "peer", build,
                   size=lambda: package_sizes(PACKAGES[name]))


def iree_peer():
    module = FOLDER / "mlp.vmfb"
    runner = Path(sysconfig.get_path("platlib"), "iree/_runtime_libs/iree-run-module")
    compile_module = [sys.executable, "-m", "iree.compiler.tools.scripts.iree_compile",
                      BENCH / "peers/startup_iree.mlir", *COMPILER_OPTIONS, "-o", module]
    run_module = [runner, "--device=local-sync", f"--module={module}", "--function=main",
                  f"--parameters=model={FOLDER}/weights.safetensors", f"--input=@{FOLDER}/x.npy"]
    return Program("iree-run-module", run_module, "peer", compile_module,
                   size=lambda: file_sizes(runner, module))


def write_data():
    FOLDER.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(1)
    np.save(FOLDER / "x.npy", random.standard_normal((100, 10), dtype=np.float32))
    save_file(initial_weights(10, 50, 1), FOLDER / "weights.safetensors")


def of_tdc(case, tdc):
    write_data()
    program = FOLDER / f"by_{tdc.name}"
    build = [tdc.path, "build", BENCH / "programs/startup.tdsl", "-o", program]
    return [Program(tdc.name, [program, "--folder", FOLDER], "tdc", build,
                    size=lambda: file_sizes(program))]


def peers(case):
    write_data()
    by_hand = FOLDER / "by_hand"
    build_hand = ["cc", "-O3", "-march=native", BENCH / "peers/startup_c.c", "-o", by_hand]
    make_onnx = [sys.executable, BENCH / "peers/make_onnx.py", FOLDER]
    return [
        Program("C by hand", [by_hand, FOLDER], "bound", build_hand,
                size=lambda: file_sizes(by_hand)),
        iree_peer(),
        python_peer("numpy"),
        python_peer("onnxruntime", build=make_onnx),
        python_peer("openvino", build=make_onnx),
        python_peer("jax"),
        python_peer("torch"),
    ]


def judge(case, output):
    """Compares with NumPy in f64."""
    stored = load_file(FOLDER / "weights.safetensors")
    w = {name: array.astype(np.float64) for name, array in stored.items()}
    x = np.load(FOLDER / "x.npy").astype(np.float64)
    hidden = np.maximum(x @ w["fc1.weight"].T + w["fc1.bias"], 0)
    return compare(output, [(hidden @ w["fc2.weight"].T + w["fc2.bias"]).sum()])
