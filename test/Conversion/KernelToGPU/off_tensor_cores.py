"""Counts the kernels of products in the statistics of a simulated run, and names those that
make less than nine tenths of their operations on tensor cores."""

import json
import sys

with open(sys.argv[1]) as stats:
    products = [kernel for kernel in json.load(stats)["work"]
                if kernel["kernel"].startswith("matmul")]
off = [kernel["kernel"] for kernel in products
       if kernel["matrixOperations"] < 0.9 * kernel["operations"]]
print(f"{len(products)} products; not on tensor cores: {', '.join(off) or 'none'}")
