"""Programs and modules that are pickled and copied."""

import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tdsl
from conftest import NET

X = np.float32([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = np.float32([[0], [1], [1], [0]])


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("again", [through_pickle, copy.copy, copy.deepcopy])
def test_modules(net, again):
    for _ in range(3):
        net.step(X, Y)
    other = again(net)
    assert isinstance(other, tdsl.Module) and other is not net
    for name in net.state:
        assert np.array_equal(other.state[name], net.state[name])
    assert np.array_equal(other.predict(X), net.predict(X))
    # It goes on in the same way, and alone.
    assert other.step(X, Y) == net.step(X, Y)
    net.step(X, Y)
    assert not np.array_equal(other.predict(X), net.predict(X))


def test_random_numbers():
    module = tdsl.load_text("export fn draw() -> f32[4] = rand(4)")
    module.draw()
    other = through_pickle(module)
    expected = module.draw()
    assert np.array_equal(other.draw(), expected)
    assert not np.array_equal(module.draw(), expected)


def test_programs():
    text = "arg n: int = 1\nexport fn f(x: f32[]) -> f32[] = x * float(n)"
    program = tdsl.compile_text(text, "scale.tdsl", args={"n": 3})
    assert copy.copy(program) is copy.deepcopy(program) is program
    other = through_pickle(program)
    assert other.name == "scale.tdsl" and repr(other) == repr(program)
    assert other.open().f(2) == 6
    assert through_pickle(other).open().f(2) == 6
    # Modules of one program have one program again.
    one, two = pickle.loads(pickle.dumps([program.open(), program.open()]))
    assert one._program is two._program


def test_the_file_is_not_needed(tmp_path):
    path = tmp_path / "f.tdsl"
    path.write_text("export fn f(x: f32[]) -> f32[] = x + 1.0")
    program = tdsl.compile(path)
    path.write_text("export fn f(x: f32[]) -> f32[] = x + 2.0")  # after it was compiled
    data = pickle.dumps(program)
    path.unlink()
    assert pickle.loads(data).open().f(1) == 2


def test_pipes(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "pipe"
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(path)!r}, 'w').write('print(1)')"])
    program = tdsl.compile(path)
    assert writer.wait() == 0
    with pytest.raises(TypeError, match="from a pipe"):
        pickle.dumps(program)


def test_warnings_are_shown_once():
    text = "let x = zeros(2, 2)\nprint(f\"{x.sum()}\" + \"{x}\")"
    with pytest.warns(tdsl.CompileWarning):
        data = pickle.dumps(tdsl.compile_text(text))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(data)


def predict_there(net):
    return net.predict(X)


def test_another_process(net):
    net.step(X, Y)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there, = pool.map(predict_there, [net])
    assert np.array_equal(there, net.predict(X))


def test_functions_are_pickled_with_their_module(net):
    with pytest.raises(TypeError):
        pickle.dumps(net.predict)


@pytest.mark.parametrize("again", [through_pickle, copy.copy, copy.deepcopy])
def test_parts_are_pickled_with_their_module(net, again):
    for part, name in ((net.net, "Model"), (net.state, "State")):
        with pytest.raises(TypeError, match=f"^a tdsl.{name} cannot be pickled or copied: "
                                            "pickle or copy its module$"):
            again(part)


def test_modules_of_files():
    assert through_pickle(tdsl.load(NET)).predict(X).shape == (4, 1)
