"""What Python says about exported functions: `inspect`, `help` and completion."""

import functools
import inspect
import pydoc

import numpy as np
import tdsl
from conftest import NET


def test_names_and_types(net):
    signature = inspect.signature(net.step)
    assert list(signature.parameters) == ["x", "y"]
    x = signature.parameters["x"]
    assert x.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD and x.default is inspect._empty
    assert x.annotation == "f32[N, 2]" and isinstance(x.annotation, str)
    assert signature.return_annotation == "f32[]"
    assert str(signature) == "(x: f32[N, 2], y: f32[N, 1]) -> f32[]"
    assert str(inspect.signature(net.predict)) == "(x: f32[N, 2]) -> f32[N, 1]"
    bound = signature.bind(1, y=2)
    assert bound.arguments == {"x": 1, "y": 2}


def test_types_as_they_are_written():
    module = tdsl.load_text("""
export fn several(x: f32[N,
                         M], k: i64[]) -> (f32[N],f32[M]) = (x.sum(1), x.sum(0))
export fn untyped(x: f32[N, 2], k: f32[] = tensor(2.0)) = (x * k, x.sum())
export fn one(x: f32[3]) = x + 1.0
""")
    assert str(inspect.signature(module.several)) == (
        "(x: f32[N, M], k: i64[]) -> (f32[N],f32[M])")
    # A caller gives each argument: defaults are for calls in the program.
    assert str(inspect.signature(module.untyped)) == (
        "(x: f32[N, 2], k: f32[]) -> (f32[?, 2], f32[])")
    assert str(inspect.signature(module.one)) == "(x: f32[3]) -> f32[3]"


def test_names_that_python_cannot_write():
    module = tdsl.load_text("export fn f(a: f32[], lambda: f32[], b: f32[]) -> f32[] = a - lambda")
    kinds = [parameter.kind for parameter in inspect.signature(module.f).parameters.values()]
    assert kinds == [inspect.Parameter.POSITIONAL_ONLY] * 2 + [
        inspect.Parameter.POSITIONAL_OR_KEYWORD]
    assert module.f(3, 1, b=0) == 2


def test_documentation():
    module = tdsl.load_text("""
## Scales rows.
##
## The factor is `k`.
export fn scale(x: f32[N, 2], k: f32[]) -> f32[N, 2] = x * k
export fn bare(x: f32[]) -> f32[] = x
""")
    assert module.scale.__name__ == module.scale.__qualname__ == "scale"
    assert module.scale.__doc__ == "Scales rows.\n\nThe factor is `k`."
    assert module.bare.__doc__ is None
    text = pydoc.plain(pydoc.render_doc(module.scale))
    assert "scale(x: f32[N, 2], k: f32[]) -> f32[N, 2]" in text
    assert "Scales rows." in text and "The factor is `k`." in text
    assert "Scales rows" not in pydoc.plain(pydoc.render_doc(module.bare))
    assert "An `export fn` of a module" in tdsl.Function.__doc__

    @functools.wraps(module.scale)
    def doubled(*args):
        return module.scale(*args, 2)

    assert doubled.__name__ == "scale" and str(inspect.signature(doubled)) == (
        "(x: f32[N, 2], k: f32[]) -> f32[N, 2]")
    assert doubled(np.ones((1, 2), np.float32)).tolist() == [[2, 2]]


def test_completion():
    net = tdsl.load(NET)
    assert {"predict", "step", "net", "state", "state_dict", "save"} <= set(dir(net))
    assert not [name for name in dir(net) if not name.startswith("_") and not hasattr(net, name)]
    assert net.state._ipython_key_completions_() == list(net.state)
    assert "net.fc1.weight" in net.state._ipython_key_completions_()
