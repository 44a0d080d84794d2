"""How lit runs this folder. Loaded through lit.site.cfg.py of a build folder.

Substitutions: %examples, %cc, %python (with NumPy where the feature `numpy` is
there), %build for the build folder, and %inputs for the Inputs folder next to
the test.
Features:
  numpy      build/venv is set up: references can be computed
  sanitized  the tools run under ASan and UBSan; only the front end's are built
  full       ./tdc.sh test --full: the whole op matrix
  cc         a C compiler is there, for programs made by `tdc build`
  bash, zsh, fish, man, make, ninja, nvim  these programs are there
  textmate   the package that reads TextMate grammars is there, too
  chromium   a browser without a window is there, %chromium
  site       scripts/site.py has installed what it needs
  embed      so are the C++ compiler, cmake and pkg-config that embedders have
"""

import filecmp
import os
import shutil
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.tdc_source_root, "scripts"))
import ptxas

config.name = "tdc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".tdsl", ".mlir", ".test"]
config.excludes = ["samples", "Inputs", "Unit", "Fuzz", "tools"]
config.test_source_root = os.path.join(config.tdc_source_root, "test")
config.test_exec_root = os.path.join(config.tdc_build_root, "test")

# tdc's own tools first, then FileCheck, not, count and split-file of the LLVM
# that tdc is built with; ptxas wherever it is.
config.environment["PATH"] = os.pathsep.join(
    [config.tdc_tools, config.llvm_tools, os.environ["PATH"], *ptxas.FOLDERS])
# A message must not depend on the terminal or the language of the machine.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["NO_COLOR"] = "1"
# Nor on how busy it is: no lines of what takes long.
config.environment["TERM"] = "dumb"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TDC_TEST_FULL", "TDC_TEST_SEED",
             "TDC_SIM_MODULES"):
    if name in os.environ:
        config.environment[name] = os.environ[name]



def is_same(name, other):
    """Whether both files of the source tree are there and equal."""
    paths = [os.path.join(config.tdc_source_root, path) for path in (name, other)]
    return all(map(os.path.exists, paths)) and filecmp.cmp(*paths, shallow=False)


venv_python = os.path.join(config.tdc_source_root, "build", "venv", "bin", "python")
venv_ready = os.path.join(config.tdc_source_root, "build", "venv", "installed.txt")
if os.path.exists(venv_ready):
    config.available_features.add("numpy")
    with open(venv_ready) as installed:
        if "textmate" in installed.read():
            config.available_features.add("textmate")
    python = venv_python
else:
    python = sys.executable
if config.sanitized:
    config.available_features.add("sanitized")
if os.environ.get("TDC_TEST_FULL"):
    config.available_features.add("full")
try:  # a chroot or a container may have no terminals to give
    for descriptor in os.openpty():
        os.close(descriptor)
    config.available_features.add("terminal")
except OSError:
    pass
cc = shutil.which("cc")
if cc:
    config.available_features.add("cc")
if cc and all(map(shutil.which, ("c++", "cmake", "pkg-config"))):
    config.available_features.add("embed")

for program in ("bash", "zsh", "fish", "man", "make", "ninja", "nvim"):
    if shutil.which(program):
        config.available_features.add(program)

chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
if chromium:
    config.available_features.add("chromium")

if is_same("scripts/site/requirements.txt", "build/site-venv/installed.txt"):
    config.available_features.add("site")

config.substitutions += [
    ("%examples", os.path.join(config.tdc_source_root, "examples")),
    ("%editors", os.path.join(config.tdc_source_root, "editors")),
    ("%inputs", "%S/Inputs"),
    # Files of all formats that `load` reads.
    ("%rtdata", os.path.join(config.tdc_source_root, "runtime/test/data")),
    ("%python", python),
    ("%build", config.tdc_build_root),
    ("%cc", cc or "cc"),
    ("%chromium", chromium or "chromium"),
]
