"""state_dict() and its relatives, as those of torch.nn.Module."""

import importlib.util

import ml_dtypes
import numpy as np
import pytest
import tdsl
from conftest import NET

SHAPES = {"fc1.weight": (16, 2), "fc1.bias": (16,), "fc2.weight": (1, 16), "fc2.bias": (1,)}

NORM = """
model Net {
    fc = Linear(2, 3)
    bn = BatchNorm1d(3)
    fn forward(x: f32[N, 2]) -> f32[N, 3] = self.bn(self.fc(x))
}
let net = Net()
let optimizer = SGD(net.parameters(), lr=0.1, momentum=0.9)
export fn step(x: f32[4, 2]) -> f32[] {
    net.train()
    let loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
}
export fn predict(x: f32[N, 2]) -> f32[N, 3] {
    net.eval()
    return net(x)
}
"""


def weights(seed=0):
    random = np.random.default_rng(seed)
    return {key: random.standard_normal(shape).astype("f4") for key, shape in SHAPES.items()}


def predict(values, x):
    hidden = np.tanh(x @ values["fc1.weight"].T + values["fc1.bias"])
    return hidden @ values["fc2.weight"].T + values["fc2.bias"]


def test_the_keys_and_values_of_a_model(net):
    assert list(net.models) == ["net"] and net.net is net.models["net"]
    state = net.net.state_dict()
    assert {key: array.shape for key, array in state.items()} == SHAPES
    assert list(state) == list(SHAPES)
    assert all(array.dtype == np.float32 for array in state.values())
    values = weights()
    assert repr(net.net.load_state_dict(values)) == "<All keys matched successfully>"
    x = np.random.default_rng(1).standard_normal((5, 2)).astype("f4")
    np.testing.assert_allclose(net.predict(x), predict(values, x), rtol=1e-5, atol=1e-6)
    for key, array in net.net.state_dict().items():
        assert np.array_equal(array, values[key])
    state["fc2.bias"][:] = 7  # a copy
    assert np.array_equal(net.net.state_dict()["fc2.bias"], values["fc2.bias"])


def test_the_state_of_a_program(net):
    state = net.state_dict()
    assert list(state) == list(net.state)
    other = tdsl.load(NET)
    x, y = np.float32([[0, 1], [1, 1]]), np.float32([[1], [0]])
    net.step(x, y)
    other.load_state_dict(net.state_dict())
    # With the state of the optimizer, it goes on in the same way.
    assert np.array_equal(net.step(x, y), other.step(x, y))
    assert np.array_equal(net.predict(x), other.predict(x))
    assert [name for name, _ in net.named_parameters()] == [f"net.{key}" for key in SHAPES]


def test_parameters_and_buffers():
    module = tdsl.load_text(NORM)
    parameters = {"fc.weight": (3, 2), "fc.bias": (3,), "bn.weight": (3,), "bn.bias": (3,)}
    assert {key: array.shape for key, array in module.net.named_parameters()} == parameters
    assert [array.shape for array in module.net.parameters()] == list(parameters.values())
    assert {key for key, _ in module.net.named_buffers()} >= {"bn.running_mean", "bn.running_var"}
    assert len(list(module.net.buffers())) == len(list(module.net.named_buffers()))
    assert sum(array.size for array in module.net.parameters()) == 6 + 3 + 3 + 3
    assert set(module.net.state_dict()) == {
        *parameters, *(key for key, _ in module.net.named_buffers())}
    momentum = set(module.state) - {f"net.{key}" for key in module.net.state_dict()}
    assert momentum and all("optimizer" in name for name in momentum)


@pytest.mark.parametrize("functions", ["step", "predict", "step and predict"])
def test_keys_of_what_nothing_uses(functions):
    """PyTorch's state dict of the same layers fits, whichever part of it the program uses."""
    head, step, predict = NORM.split("export fn ")
    text = head + "".join(f"export fn {part}" for part in (step, predict)
                          if part.split("(")[0] in functions)
    module = tdsl.load_text(text)
    norm = {key: np.full(3, 2, "f4")
            for key in ("bn.weight", "bn.bias", "bn.running_mean", "bn.running_var")}
    values = {"fc.weight": np.ones((3, 2), "f4"), "fc.bias": np.ones(3, "f4"), **norm,
              "bn.num_batches_tracked": np.int64(5)}
    before = module.net.state_dict()
    assert "bn.num_batches_tracked" not in before
    assert repr(module.net.load_state_dict(values)) == "<All keys matched successfully>"
    assert not module.net.load_state_dict(values, strict=False).unexpected_keys
    for key, array in module.net.state_dict().items():
        assert np.array_equal(array, values[key])
    named = {name: module.state[name] for name in module.state}
    module.load_state_dict({**named, "net.bn.num_batches_tracked": 5})
    for wrong in ("bn.num_batches", "num_batches_tracked", "net.bn.num_batches_tracked"):
        with pytest.raises(RuntimeError, match=f'Unexpected key.*"{wrong}"'):
            module.net.load_state_dict({**values, wrong: 5})


def test_tied_parameters():
    """As in PyTorch, state_dict has all names of a parameter, and parameters() the first."""
    module = tdsl.load_text("""
model Lm {
    wte = Embedding(2, 1)
    head = Linear(1, 2, bias=false)
    self.head.weight = self.wte.weight
}
let lm = Lm()
export fn wte() -> f32[2, 1] = lm.wte.weight
""")
    assert list(module.lm.state_dict()) == ["wte.weight", "head.weight"]
    assert [key for key, _ in module.lm.named_parameters()] == ["wte.weight"]
    module.lm.load_state_dict({"wte.weight": [[1], [2]], "head.weight": [[1], [2]]})
    assert module.wte().ravel().tolist() == [1, 2]


def test_a_single_layer():
    module = tdsl.load_text("""
let up = Linear(2, 3)
let down = Linear(3, 1, bias=false)
export fn f(x: f32[N, 2]) -> f32[N, 1] = down(up(x))
""")
    assert {name: list(model.state_dict()) for name, model in module.models.items()} == {
        "up": ["weight", "bias"], "down": ["weight"]}
    assert repr(module.down) == "<tdsl.Model down: weight: f32[1, 3]>"


def test_keys_that_do_not_match(net):
    values = weights()
    del values["fc1.bias"], values["fc2.bias"]
    values["fc3.bias"] = np.zeros(1)
    before = net.net.state_dict()
    with pytest.raises(RuntimeError) as caught:
        net.net.load_state_dict(values)
    # The words of PyTorch, with its spaces.
    assert str(caught.value) == (
        "Error(s) in loading state_dict for net:\n"
        '\tMissing key(s) in state_dict: "fc1.bias", "fc2.bias". \n'
        '\tUnexpected key(s) in state_dict: "fc3.bias". ')
    assert all(np.array_equal(before[key], array) for key, array in net.net.state_dict().items())
    found = net.net.load_state_dict(values, strict=False)
    assert found.missing_keys == ["fc1.bias", "fc2.bias"]
    assert found.unexpected_keys == ["fc3.bias"]
    assert "fc3.bias" in repr(found)
    after = net.net.state_dict()
    assert np.array_equal(after["fc1.weight"], values["fc1.weight"])
    assert np.array_equal(after["fc1.bias"], before["fc1.bias"])


@pytest.mark.parametrize("strict", [True, False])
def test_shapes_that_do_not_match(net, strict):
    values = weights()
    values["fc1.bias"] = np.zeros(15, np.float32)
    before = net.net.state_dict()
    with pytest.raises(RuntimeError) as caught:
        net.net.load_state_dict(values, strict=strict)
    assert str(caught.value).endswith(
        "\tsize mismatch for fc1.bias: copying a param with shape (15,) from checkpoint, "
        "the shape in current model is (16,).")
    assert all(np.array_equal(before[key], array) for key, array in net.net.state_dict().items())


def test_other_dtypes(net):
    values = weights()
    for dtype in (np.float64, np.float16, ml_dtypes.bfloat16):
        given = {key: array.astype(dtype) for key, array in values.items()}
        net.net.load_state_dict(given)
        for key, array in net.net.state_dict().items():
            assert array.dtype == np.float32
            assert np.array_equal(array, given[key].astype(np.float32))
    with pytest.raises((TypeError, ValueError)):
        net.net.load_state_dict({**values, "fc2.bias": "text"})
    with pytest.raises(TypeError, match="^fc2.bias is f32, not complex64$"):
        net.net.load_state_dict({**values, "fc2.bias": np.complex64([1 + 2j])})
    assert np.array_equal(net.net.state_dict()["fc2.bias"], given["fc2.bias"])


def test_safetensors(net, tmp_path):
    """A state dict is what the library of safetensors writes and reads."""
    numpy = pytest.importorskip("safetensors.numpy")
    values = weights()
    numpy.save_file(values, tmp_path / "values.safetensors")
    net.net.load_state_dict(numpy.load_file(tmp_path / "values.safetensors"))
    numpy.save_file(net.net.state_dict(), tmp_path / "again.safetensors")
    again = numpy.load_file(tmp_path / "again.safetensors")
    assert all(np.array_equal(again[key], values[key]) for key in SHAPES)


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
def test_torch(net):
    import torch
    model = torch.nn.Module()
    model.fc1, model.fc2 = torch.nn.Linear(2, 16), torch.nn.Linear(16, 1)
    net.net.load_state_dict(model.state_dict())
    x = torch.rand(4, 2)
    expected = model.fc2(torch.tanh(model.fc1(x)))
    torch.testing.assert_close(net.predict(x), expected.detach())
    net.net.load_state_dict(dict(model.bfloat16().named_parameters()))  # they require grad
    net.net.load_state_dict(weights())
    model.load_state_dict({key: torch.from_numpy(array)
                           for key, array in net.net.state_dict().items()})
    with pytest.raises(RuntimeError) as theirs:
        model.load_state_dict({"fc1.weight": torch.zeros(16, 2), "more": torch.zeros(1)})
    with pytest.raises(RuntimeError) as ours:
        net.net.load_state_dict({"fc1.weight": np.zeros((16, 2)), "more": np.zeros(1)})
    assert str(ours.value) == str(theirs.value).replace("for Module:", "for net:")
    model = torch.nn.Module()
    model.fc, model.bn = torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)
    norm = tdsl.load_text(NORM)
    norm.net.load_state_dict(model.state_dict())
    model.load_state_dict({key: torch.from_numpy(array)
                           for key, array in norm.net.state_dict().items()})
