"""IREE's compiler options: StableHLO for this processor, at full optimisation."""

COMPILER_OPTIONS = [
    "--iree-input-type=stablehlo",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
    "--iree-opt-level=O3",
]
