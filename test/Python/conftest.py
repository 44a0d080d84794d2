"""What the tests of the Python package share. They test the package that is
installed, or on PYTHONPATH: `scripts/test.py --only package` builds it first."""

from pathlib import Path

import pytest
import tdsl

ROOT = Path(__file__).resolve().parents[2]
NET = ROOT / "examples/embed/net.tdsl"


@pytest.fixture
def net():
    """The network of examples/embed, not trained."""
    return tdsl.load(NET)


def function(signature: str, result: str):
    """An `export fn` of one expression, in a module of its own."""
    return tdsl.load_text(f"export fn f({signature} = {result}").f
