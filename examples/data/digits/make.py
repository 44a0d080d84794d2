#!/usr/bin/env python3
"""Makes images.npy, labels.npy and order.npy from scikit-learn's copy of the data.

usage: make.py     (needs scikit-learn and NumPy)
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

HERE = Path(__file__).resolve().parent

digits = load_digits()
np.save(HERE / "images.npy", digits.images.astype(np.uint8))
np.save(HERE / "labels.npy", digits.target.astype(np.int64))
# The file's tail comes from writers that its head does not know.
np.save(HERE / "order.npy", np.random.default_rng(0).permutation(len(digits.target)))
