"""Makes data/: the arrays that the scripts read, and initial weights as .pt and .safetensors.

usage: setup.py DIGITS, the folder with images.npy and labels.npy
"""
import ast
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(3)
rng = np.random.default_rng(3)
digits = Path(sys.argv[1])
images = np.load(digits / "images.npy").astype(np.float32).reshape(-1, 8, 8)
images /= images.max()
labels = np.load(digits / "labels.npy").astype(np.int64)
Path("data").mkdir(exist_ok=True)


def write(name, array):
    np.save(f"data/{name}.npy", array)


def classes_of(script):
    """The classes of a script, without running the rest of it."""
    tree = ast.parse(Path(script).read_text())
    kinds = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)
    constants = [n for n in tree.body if isinstance(n, ast.Assign)
                 and isinstance(n.value, ast.Constant)]
    tree.body = [n for n in tree.body if isinstance(n, kinds) or n in constants]
    names = {}
    exec(compile(tree, script, "exec"), names)
    return names


def write_state(name, model):
    state = {k: v.clone().contiguous() for k, v in model.state_dict().items()}
    torch.save(state, f"data/{name}.pt")
    save_file(state, f"data/{name}.safetensors")


write("square", np.array([[1, 2], [3, 4]], dtype=np.int64))
write("train_images", images[:300])
write("train_labels", labels[:300])
write("test_images", images[300:400])
write("test_labels", labels[300:400])
write("photos", rng.normal(size=(16, 3, 8, 8)).astype(np.float32))
write("photo_labels", rng.integers(0, 2, 16))
write("tokens", (np.cumsum(rng.integers(0, 3, 164)) % 20).astype(np.int64))
write("faces", np.tanh(rng.normal(size=(12, 3, 16, 16))).astype(np.float32))
write("noise", rng.normal(size=(3, 4, 10, 1, 1)).astype(np.float32))
write("vae_noise", rng.normal(size=(96, 5)).astype(np.float32))
write("replay_state", rng.normal(size=(128, 4)).astype(np.float32))
write("replay_action", rng.integers(0, 2, (128, 1)))
write("replay_next_state", rng.normal(size=(128, 4)).astype(np.float32))
write("replay_final", rng.random(128) < 0.1)
write("replay_reward", rng.random(128).astype(np.float32))

write_state("lenet", classes_of("03_network.py")["Net"]())
write_state("mlp", classes_of("04_optimization.py")["NeuralNetwork"]())
write_state("cifar", classes_of("05_saving.py")["TheModelClass"]())
write_state("resnet", classes_of("06_transfer.py")["ResNet"]())
write_state("resnet_head", nn.Linear(16, 2))
write_state("mha", classes_of("07_attention.py")["MultiheadAttention"](8, 16, 4))
write_state("mha_builtin", nn.MultiheadAttention(8, 2, batch_first=True))
write_state("transformer",
            classes_of("08_transformer.py")["TransformerModel"](20, 16, 2, 32, 2, 0.0))
gan = classes_of("09_dcgan.py")
write_state("netG", gan["Generator"]().apply(gan["weights_init"]))
write_state("netD", gan["Discriminator"]().apply(gan["weights_init"]))
write_state("dqn", classes_of("10_dqn.py")["DQN"](4, 2))
write_state("vae", classes_of("11_vae.py")["VAE"]())
write_state("clip", nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
write_state("accumulation",
            nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)))
