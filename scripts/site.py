#!/usr/bin/env python3
"""Makes a static site of the documentation: one folder, searchable without a network.

usage: site.py [FOLDER]

Writes FOLDER, by default build/site; its start is index.html. The pages are those of docs/
and bench/, README.md, CONTRIBUTING.md and CHANGELOG.md as they are; links between them hold on
disk and in the site, and one that does not is an error. The first run installs MkDocs with
its theme (scripts/site/requirements.txt, 170 MB) in build/site-venv.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "scripts/site"
VENV = ROOT / "build/site-venv"


def install():
    """Installs MkDocs if its requirements have changed since the last time."""
    wanted, installed = SITE / "requirements.txt", VENV / "installed.txt"
    if installed.exists() and installed.read_text() == wanted.read_text():
        return
    venv.create(VENV, with_pip=True, clear=True)
    subprocess.run([VENV / "bin/pip", "install", "--quiet", "--disable-pip-version-check",
                    "--only-binary=:all:", "--require-hashes", "-r", wanted], check=True)
    shutil.copy(wanted, installed)


def collect(folder):
    """Copies the pages, with what they link to, to their places below a folder."""
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    for pattern in ("*.md", "*.svg", "*.png"):
        for path in (ROOT / "bench").rglob(pattern):
            target = folder / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for name in ("site.css", "iframe-worker.js"):
        shutil.copy(SITE / name, folder)


def main():
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    install()
    with tempfile.TemporaryDirectory() as pages:
        collect(Path(pages))
        subprocess.run([VENV / "bin/mkdocs", "build", "--quiet", "--strict", "--config-file",
                        SITE / "mkdocs.yml"], check=True,
                       env={**os.environ, "TDC_SITE_PAGES": pages, "TDC_SITE": str(target),
                            "NO_MKDOCS_2_WARNING": "1"})
    print(f"{target}/index.html")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"site.py: {Path(error.cmd[0]).name} failed")
