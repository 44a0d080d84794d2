"""Functions whose results must be the interpreter's, bit for bit."""

import shutil

import numpy as np

from harness import Batch, find_backends, find_gpu
from matrix import flush


def same(got, want):
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        return False
    got, want = flush(got), flush(want)
    return bool(((got == want) | (np.isnan(got) & np.isnan(want))).all())


def check(name, functions, options, mark=None):
    """Calls each function with its arguments as the interpreter and as compiled
    code; returns the exit status, and reports in the last line."""
    batch = Batch(mark)
    for function in functions:
        batch.call(batch.add(function), [batch.store(array) for array in function.arguments])
    stem = options.work / name
    batch.write(stem)
    interpreter, compiled = find_backends(options.target_cpu)
    if options.gpu:
        compiled = find_gpu(options.seed)
    wanted, gotten = (batch.run(backend, stem)[0] for backend in (interpreter, compiled))
    differ = 0
    for function, got, want in zip(functions, gotten, wanted):
        if all(map(same, got, want)):
            continue
        differ += 1
        print(f"FAILED:\n{function.text(name)}")
    if differ:
        print(f"modules are in {options.work}; again by --seed {options.seed}")
    elif not options.keeps:
        shutil.rmtree(options.work)
    print(f"{name}: {len(functions) - differ} agree, {differ} differ")
    return 1 if differ else 0
