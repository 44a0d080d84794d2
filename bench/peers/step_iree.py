"""The training step of step_jax.py, compiled by IREE."""

import iree.compiler
import iree.runtime
import jax
import numpy as np

from peers import jax_adam
from peers.iree_options import COMPILER_OPTIONS
from peers.step_jax import parameters_of, step
from peers.worker import serve


class Iree:
    def __init__(self, weights, xs, ys):
        leaves, self.tree = jax.tree.flatten(jax_adam.start(parameters_of(weights)))

        def flat_step(*arguments):
            *state, x, y = arguments
            state, loss = step(jax.tree.unflatten(self.tree, state), x, y)
            return *jax.tree.leaves(state), loss

        lowered = jax.jit(flat_step).lower(*leaves, xs[0], ys[0])
        code = iree.compiler.compile_str(str(lowered.compiler_ir("stablehlo")),
                                         extra_args=COMPILER_OPTIONS)
        # This device computes in the calling thread.
        config = iree.runtime.Config("local-sync")
        module = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
        self.step = iree.runtime.load_vm_module(module, config)["main"]

        def on_device(array):
            return iree.runtime.asdevicearray(config.device, np.array(array, order="C"))
        self.state = [on_device(leaf) for leaf in leaves]
        self.xs, self.ys = [on_device(x) for x in xs], [on_device(y) for y in ys]
        self.steps = 0

    def train(self, steps):
        for _ in range(steps):
            batch = self.steps % len(self.xs)
            *self.state, loss = self.step(*self.state, self.xs[batch], self.ys[batch])
            self.steps += 1
        return loss.to_host()

    def first_weight(self):
        parameters = jax.tree.unflatten(self.tree, self.state)[0]
        return parameters["fc1.weight"].to_host().T


if __name__ == "__main__":
    serve({"iree": Iree})
