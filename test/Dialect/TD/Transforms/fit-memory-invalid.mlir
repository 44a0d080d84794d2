// RUN: tdc-opt %s --split-input-file --td-fit-memory --verify-diagnostics

// fit_memory_device
// expected-error @below {{expected a GPU in td.working_set, such as "cuda:0", got "gpu"}}
module attributes {td.working_set = {"gpu" = 24 : i64}} {
}

// -----

// Tensors are evicted to the cpu, so the cpu has no budget.
// fit_memory_cpu
// expected-error @below {{expected a GPU in td.working_set, such as "cuda:0", got "cpu"}}
module attributes {td.working_set = {"cpu" = 40 : i64}} {
}
