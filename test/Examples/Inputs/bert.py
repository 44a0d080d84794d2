"""A small BERT with the names that Hugging Face's has, and what it computes.

usage: bert.py make FOLDER     writes weights, in f32 and f16, tokens and their mask
       bert.py check f32|f16 FILE     compares embeddings with PyTorch's
"""

import sys

import numpy
import safetensors.numpy

HIDDEN, LAYERS, INNER, VOCABULARY, POSITIONS = 8, 2, 16, 20, 6

# Of both sentences, by PyTorch 2: F.linear, F.layer_norm, F.gelu and softmax.
EXPECTED = {
    "f32": [
        [-0.4972393, -0.3119705, -0.2302464, 0.2813547]
        + [-0.0380754, -0.6861966, 0.2228179, -0.0359198],
        [-0.4590351, -0.2718368, -0.1998902, 0.2427356]
        + [0.1250471, -0.6614924, 0.1838655, -0.3598601],
    ],
    "f16": [
        [-0.4971564, -0.3118984, -0.2302394, 0.2813332]
        + [-0.0375660, -0.6863043, 0.2227147, -0.0370094],
        [-0.4588739, -0.2716940, -0.1998374, 0.2426476]
        + [0.1253048, -0.6613710, 0.1837592, -0.3604495],
    ],
}


def shapes():
    yield "embeddings.word_embeddings.weight", (VOCABULARY, HIDDEN)
    yield "embeddings.position_embeddings.weight", (POSITIONS, HIDDEN)
    yield "embeddings.token_type_embeddings.weight", (2, HIDDEN)
    yield from norm("embeddings")
    for i in range(LAYERS):
        layer = f"encoder.layer.{i}."
        for name in ("query", "key", "value"):
            yield from dense(layer + "attention.self." + name, HIDDEN, HIDDEN)
        yield from dense(layer + "attention.output.dense", HIDDEN, HIDDEN)
        yield from norm(layer + "attention.output")
        yield from dense(layer + "intermediate.dense", HIDDEN, INNER)
        yield from dense(layer + "output.dense", INNER, HIDDEN)
        yield from norm(layer + "output")
    yield from dense("pooler.dense", HIDDEN, HIDDEN)


def dense(name, before, after):
    yield name + ".weight", (after, before)
    yield name + ".bias", (after,)


def norm(name):
    yield name + ".LayerNorm.weight", (HIDDEN,)
    yield name + ".LayerNorm.bias", (HIDDEN,)


def weights(dtype):
    random = numpy.random.RandomState(0)
    made = {name: random.randn(*shape).astype(dtype) for name, shape in shapes()}
    made["embeddings.position_ids"] = numpy.arange(POSITIONS)[None]
    return made


def make(folder):
    safetensors.numpy.save_file(weights("f4"), folder + "/f32.safetensors")
    safetensors.numpy.save_file(weights("f2"), folder + "/f16.safetensors")
    numpy.save(folder + "/ids.npy", numpy.array([[2, 7, 1, 8, 3], [2, 19, 3, 0, 0]]))
    numpy.save(folder + "/mask.npy", numpy.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]))


def check(dtype, file):
    difference = numpy.abs(numpy.load(file) - numpy.array(EXPECTED[dtype])).max()
    sys.exit(f"they differ by {difference}" if difference > 1e-5 else 0)


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
