"""The pages do what they say, those that use the Python package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NET, ROOT


@pytest.mark.parametrize("page", ["README.md", "docs/Python.md"])
def test_page(page, tmp_path):
    shutil.copy(NET, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, ROOT / "test/Examples/Inputs/run-page.py", ROOT / page], cwd=tmp_path,
        env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
