"""Functions of JAX, compiled by IREE."""

import os

import numpy as np

# StableHLO for this processor, at full optimisation.
COMPILER_OPTIONS = [
    "--iree-input-type=stablehlo",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
    "--iree-llvmcpu-fail-on-out-of-bounds-stack-allocation=false",
]


def load(function, *arguments):
    """The compiled function of arrays on the device, and what puts an array there."""
    import iree.compiler
    import iree.runtime
    import jax
    lowered = jax.jit(function).lower(*arguments)
    code = iree.compiler.compile_str(str(lowered.compiler_ir("stablehlo")),
                                     extra_args=COMPILER_OPTIONS)
    # The first device computes in the calling thread.
    is_serial = os.environ["TDC_THREADS"] == "1"
    config = iree.runtime.Config("local-sync" if is_serial else "local-task")
    module = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)

    def on_device(array):
        return iree.runtime.asdevicearray(config.device, np.array(array, order="C"))
    return iree.runtime.load_vm_module(module, config)["main"], on_device
