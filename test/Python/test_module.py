"""Programs, modules and their state."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tdsl
from conftest import NET

X = np.float32([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.float32([[0], [1], [1], [0]])


def test_train_predict_reload(net, tmp_path):
    losses = [net.step(X, Y).item() for _ in range(100)]
    assert losses[-1] < losses[0] / 3
    before = net.predict(X)
    net.save(tmp_path / "net.safetensors")
    other = tdsl.load(NET)
    other.restore(tmp_path / "net.safetensors")
    assert np.array_equal(other.predict(X), before)
    # It goes on as if there had been no file: the optimizer's state is in it.
    assert other.step(X, Y) == net.step(X, Y)
    with pytest.raises(tdsl.RunError):
        other.restore(tmp_path / "nowhere.safetensors")
    assert np.array_equal(other.predict(X), net.predict(X))


def test_state(net):
    assert list(net.state)[:2] == ["net.fc1.weight", "net.fc1.bias"]
    assert net.state.types["net.fc1.weight"] == ("net.fc1.weight", "f32", (16, 2))
    for name in net.state:
        if name.startswith("net."):
            net.state[name] = np.zeros_like(net.state[name])
    net.state["net.fc2.bias"] = [0.5]
    assert net.predict(X).tolist() == [[0.5]] * 4
    copy = net.state["net.fc2.bias"]
    copy[0] = 3
    assert net.state["net.fc2.bias"] == 0.5
    with pytest.raises(KeyError):
        net.state["net.fc3.bias"]
    with pytest.raises(KeyError):
        net.state["net.fc3.bias"] = 1
    with pytest.raises(tdsl.UsageError, match=r"f32\[1\], not f32\[2\]"):
        net.state["net.fc2.bias"] = [1, 2]
    with pytest.raises(TypeError, match="`net.fc2.bias` is f32, not float64"):
        net.state["net.fc2.bias"] = np.ones(1)


def test_four_threads(net):
    for _ in range(100):
        net.step(X, Y)
    expected = net.predict(X)
    wrong = []

    def ask():
        for _ in range(2000):
            if not np.array_equal(net.predict(X), expected):
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_modules_of_one_program():
    program = tdsl.compile(NET)
    one, two = program.open(), program.open()
    assert np.array_equal(one.predict(X), two.predict(X))
    one.step(X, Y)
    assert not np.array_equal(one.predict(X), two.predict(X))
    predict = two.predict
    expected = predict(X)
    del program, one, two
    assert np.array_equal(predict(X), expected)  # a function keeps its module


def test_functions(net):
    assert list(net.functions) == ["predict", "step"]
    assert [str(type) for type in net.step.inputs] == ["f32[?, 2]", "f32[?, 1]"]
    assert net.step.inputs[1].name == "y" and net.step.outputs[0].shape == ()
    assert repr(net.predict) == "<predict(x: f32[N, 2]) -> f32[N, 1]>"
    assert repr(net).endswith("net.tdsl: predict, step>")
    for name in ("predic", "nett"):
        with pytest.raises(AttributeError, match=f"has no `export fn` and no model {name}; "
                                                 "it has: predict, step, net$"):
            getattr(net, name)


def test_tied_state():
    """As in PyTorch's state_dict, a tied tensor is there under each of its names."""
    net = tdsl.load_text("""
model Lm {
    wte = Embedding(2, 1)
    head = Linear(1, 2, bias=false)
    self.head.weight = self.wte.weight
}
let lm = Lm()
export fn wte() -> f32[2, 1] = lm.wte.weight
""")
    assert list(net.state) == ["lm.wte.weight", "lm.head.weight"]
    assert net.state.types["lm.head.weight"] == ("lm.head.weight", "f32", (2, 1))
    net.state["lm.head.weight"] = [[3], [4]]
    assert net.state["lm.wte.weight"].ravel().tolist() == [3, 4]
    assert net.wte().ravel().tolist() == [3, 4]


@pytest.mark.parametrize("rows", [1, 3, 40, 130])
def test_state_in_another_order(rows):
    """Products may want their weights in another order, in blocks: state is row-major, and calls
    use what was assigned last."""
    net = tdsl.load_text(f"""
let net = Sequential(Linear(768, 512), Linear(512, 50, bias=false))
export fn f(x: f32[{rows}, 768]) -> f32[{rows}, 50] = net(x)
""")
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, 768)).astype("f4")
    for _ in range(2):
        expected = x.astype("f8")
        for layer in "01":
            shape = net.state[f"net.{layer}.weight"].shape
            weight = (random.standard_normal(shape) / 16).astype("f4")
            net.state[f"net.{layer}.weight"] = weight
            assert (net.state[f"net.{layer}.weight"] == weight).all()
            expected = expected @ weight.T.astype("f8")
            if layer == "0":
                expected += net.state["net.0.bias"]
        np.testing.assert_allclose(net.f(x), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("groups", [1, 2])
def test_the_weight_of_a_convolution_in_another_order(groups):
    """Likewise, where there are several dims between the blocks."""
    net = tdsl.load_text(f"""
let net = Conv2d(6, 64, (2, 3), groups={groups}, bias=false)
export fn f(x: f32[2, 6, 5, 7]) = net(x)
""")
    random = np.random.default_rng(1)
    x = random.standard_normal((2, 6, 5, 7)).astype("f4")
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("f8"), (2, 3), (2, 3))
    windows = windows.reshape(2, groups, 6 // groups, 4, 5, 2, 3)
    for _ in range(2):
        weight = random.standard_normal((64, 6 // groups, 2, 3)).astype("f4")
        net.state["net.weight"] = weight
        assert (net.state["net.weight"] == weight).all()
        parts = weight.reshape(groups, -1, *weight.shape[1:]).astype("f8")
        expected = np.einsum("ngchwij,gocij->ngohw", windows, parts).reshape(2, 64, 4, 5)
        np.testing.assert_allclose(net.f(x), expected, rtol=1e-4, atol=1e-4)


def test_the_state_of_a_busy_module():
    """A thread that waits for a call to end does not block other threads."""
    module = tdsl.load_text("""
let net = Linear(1, 1)
let optimizer = SGD(net.parameters(), lr=0.0)
export fn step(n: i64[]) -> f32[] {
    var loss = zeros(1).sum()
    for i in range(n.item()) {
        loss = net(zeros(1, 1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    }
    return loss
}""")
    done = []
    step = threading.Thread(target=lambda: (module.step(300_000_000), done.append(1)))
    step.start()
    read = threading.Thread(target=lambda: module.state["net.weight"])
    read.start()
    ticks = 0
    while not done:
        time.sleep(0.001)
        ticks += 1
    step.join()
    read.join()
    assert ticks > 10


def test_names_that_are_taken():
    module = tdsl.load_text("export fn save(x: f32[]) -> f32[] = x + 1.0")
    assert module.functions["save"](1) == 2
    assert module.save != module.functions["save"]


def test_arguments_of_the_program(capfd):
    text = "arg n: int = 1\narg fast: bool = false\nprint(n, fast)"
    tdsl.load_text(text, args={"n": 3, "fast": True})
    tdsl.load_text(text, args=["--n", "4"])
    assert capfd.readouterr().out == "3 true\n4 false\n"


def test_values_of_the_program():
    """Functions use what the statements computed; it is no state."""
    module = tdsl.load_text("""
let mean = tensor([[1.0, 2.0], [3.0, 6.0]]).mean(0)
var total = 0
for i in range(4) { total += i }
export fn center(x: f32[N, 2]) -> f32[N, 2] = (x - mean) * float(total)
""")
    assert module.center(np.float32([[0, 0], [5, 6]])).tolist() == [[-12, -24], [18, 12]]
    assert not list(module.state)


def test_the_stub_tells_the_truth():
    """_core.pyi names what the extension has."""
    import ast
    from pathlib import Path
    from tdsl import _core
    tree = ast.parse((Path(tdsl.__file__).parent / "_core.pyi").read_text())

    def names(body):
        return {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))
                and not node.name.startswith("__")}

    assert names(tree.body) == {name for name in dir(_core) if not name.startswith("__")}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            real = {name for name in dir(getattr(_core, node.name)) if not name.startswith("__")}
            assert names(node.body) == real


def test_threads():
    with pytest.raises(tdsl.UsageError, match="1 to 1024, not 0"):
        tdsl.set_threads(0)
    code = ("import tdsl; tdsl.set_threads(2); "
            "m = tdsl.load_text('let x = rand(512, 512)\\n"
            "export fn f() -> f32[] = (x @ x).sum()'); "
            "m.f(); tdsl.set_threads(2)\ntry: tdsl.set_threads(3)\n"
            "except tdsl.UsageError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "another number of threads" in done.stdout
