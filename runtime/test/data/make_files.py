"""Writes the small .npy and .safetensors files beside it with numpy and
safetensors themselves, so that the tests read what other programs write.
Run once; the files are data."""
import os

import numpy as np
from safetensors.numpy import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "b1"]


def values(dtype, shape):
    count = int(np.prod(shape))
    return (np.arange(count) % (2 if dtype == "b1" else 100)).astype(
        dtype).reshape(shape)


for dtype in DTYPES:
    np.save(f"{HERE}/{dtype}.npy", values(dtype, (2, 3)))
np.save(f"{HERE}/scalar.npy", np.float32(2.5))
np.save(f"{HERE}/vector.npy", np.arange(5, dtype="f4"))
np.save(f"{HERE}/empty.npy", np.zeros((0, 4), dtype="f4"))
np.save(f"{HERE}/columns.npy", np.asfortranarray(values("i4", (2, 3, 4))))
for version in [(2, 0), (3, 0)]:
    with open(f"{HERE}/version{version[0]}.npy", "wb") as file:
        np.lib.format.write_array(file, values("f4", (2, 3)), version=version)
save_file({"a": values("f4", (2, 3)), "b.weight": values("i8", (4,)),
           "flag": values("b1", (2,)), "none": np.zeros((0, 2), dtype="f4"),
           "one": np.array(7, dtype="u1")},
          f"{HERE}/some.safetensors", metadata={"format": "np", "naïve": "é"})
