"""Writes the small .npy, .npz, .csv, IDX and .safetensors files in this folder with
numpy and safetensors themselves, so that the tests read files of other programs.
Run once; the files are data. (make_images.py writes the images.)"""
import gzip
import os
import zipfile

import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8", "b1"]


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
np.save(f"{HERE}/bf16.npy", values("f4", (2, 3)).astype(ml_dtypes.bfloat16))

arrays = {"a": values("f4", (2, 3)), "b.weight": values("i8", (4,)),
          "columns": np.asfortranarray(values("i4", (2, 3, 4))),
          "flag": values("b1", (2,)), "none": np.zeros((0, 2), dtype="f4"),
          "large": np.zeros((100, 1000), dtype="u1")}
np.savez(f"{HERE}/stored.npz", **dict(arrays, large=arrays["flag"]))
np.savez_compressed(f"{HERE}/deflated.npz", **arrays)
# Other programs write neither zip64 fields nor the date of NumPy, and put sizes
# after the data; a comment may follow at the end.
with zipfile.ZipFile(f"{HERE}/other.npz", "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr("a.npy", open(f"{HERE}/f4.npy", "rb").read())
    file.comment = b"made by another program, PK\x05\x06"


class Pipe:
    """Cannot seek, so the sizes follow the data."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.write, self.flush = self.file.write, self.file.flush


with zipfile.ZipFile(Pipe(f"{HERE}/streamed.npz"), "w") as file:
    with file.open("a.npy", "w") as entry:
        entry.write(open(f"{HERE}/f4.npy", "rb").read())

np.savetxt(f"{HERE}/plain.csv", values("f8", (3, 4)), delimiter=",")
np.savetxt(f"{HERE}/names.csv", values("i8", (3, 4)), delimiter=", ", fmt="%d",
           header="one, two,three,four", newline="\r\n")
with open(f"{HERE}/quoted.csv", "w", encoding="utf-8-sig") as file:
    file.write('"x, ""y""","the\nlabel"\n"1.5",-2\n\n nan,"+inf"\n1e3,0')

IDX = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}
for dtype, code in IDX.items():
    data = bytes([0, 0, code, 2]) + np.array([2, 3], ">i4").tobytes() + \
        values(dtype, (2, 3)).astype(">" + dtype).tobytes()
    with open(f"{HERE}/{dtype}-idx2-ubyte", "wb") as file:
        file.write(data)
    if dtype == "u1":
        with open(f"{HERE}/u1.idx2.gz", "wb") as file:
            file.write(gzip.compress(data, mtime=0))
