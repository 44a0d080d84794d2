"""Trains on the digits with scikit-learn.

usage: digits_sklearn.py FOLDER
"""

import sys

from sklearn.neural_network import MLPClassifier

from peers.digits_data import BATCH, EPOCHS, load, print_accuracy

images, labels, test_images, test_labels = load(sys.argv[1])
# n_iter_no_change: without it training would stop early.
model = MLPClassifier((128,), alpha=0, batch_size=BATCH, max_iter=EPOCHS,
                      n_iter_no_change=EPOCHS, random_state=0)
model.fit(images, labels)
print_accuracy(model.predict(test_images), test_labels)
