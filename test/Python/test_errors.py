"""What goes wrong is an exception with the place in the program."""

import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tdsl


def test_mistakes_in_the_program():
    with pytest.raises(tdsl.CompileError) as caught:
        tdsl.compile_text("let x = zeros(2)\nlet y = x + zeros(3)\nlet z = nowhere\n", "a.tdsl")
    error = caught.value
    assert error.code == "TD401" and isinstance(error, tdsl.Error)
    first, second = error.diagnostics
    assert (first.severity, first.file, first.line, first.column) == ("error", "a.tdsl", 2, 11)
    assert (first.end_line, first.end_column) == (2, 12)
    assert first.message.startswith("shapes do not fit")
    assert second.line == 3
    assert isinstance(error, ValueError)
    assert (error.message, error.file, error.line, error.column, error.end_line,
            error.end_column) == (first.message, "a.tdsl", 2, 11, 2, 12)
    assert str(error).startswith(first.text) and "let y = x + zeros(3)" in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert copy.diagnostics == error.diagnostics and str(copy) == str(error)


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        tdsl.load(tmp_path / "nowhere.tdsl")
    with pytest.raises(IsADirectoryError):
        tdsl.load(tmp_path)
    (tmp_path / "main.tdsl").write_text("import other\nprint(other.twice(3))\n")
    (tmp_path / "other.tdsl").write_text("fn twice(x: int) -> int = x * \n")
    with pytest.raises(tdsl.CompileError) as caught:
        tdsl.load(tmp_path / "main.tdsl")
    assert caught.value.diagnostics[0].file.endswith("other.tdsl")


def test_texts_that_are_no_unicode(tmp_path):
    for wrong in ({"text": "\udc80"}, {"text": "", "name": "\udc80"},
                  {"text": "", "device": "\udc80"}, {"text": "", "args": {"a": "\udc80"}}):
        with pytest.raises(UnicodeEncodeError):
            tdsl.compile_text(**wrong)
    (tmp_path / "\udc80.tdsl").write_text("print(1)")
    with pytest.raises(UnicodeEncodeError):
        tdsl.compile(tmp_path / "\udc80.tdsl")
    with pytest.raises(UnicodeEncodeError):
        tdsl.load_text("").save(tmp_path / "\udc80.safetensors")


def test_options():
    for wrong in ({"device": "tpu"}, {"placement": "best"}, {"transfer_guard": "perhaps"},
                  {"memory_budget": "much"}, {"args": {"epochs": 3}}):
        with pytest.raises(tdsl.UsageError):
            tdsl.load_text("print(1)", **wrong)
    with pytest.raises(tdsl.CompileError, match="there is no device cuda:63") as caught:
        tdsl.load_text("print(1)", memory_budget="cuda:63=1G")
    assert caught.value.code == "TD506"
    with pytest.raises(TypeError):
        tdsl.load_text("print(1)", args="--epochs 3")


def test_while_it_runs():
    with pytest.raises(tdsl.RunError, match="no rows") as caught:
        tdsl.load_text("let n = zeros(3).sum().item()\nassert n > 0.0, 'no rows'\n")
    assert caught.value.code == "TR101"
    assert caught.value.diagnostics[0].line == 2
    pick = tdsl.load_text("export fn pick(x: f32[N], i: i64[M]) -> f32[M] = x[i]").pick
    x = np.float32([1, 2])
    with pytest.raises(tdsl.RunError) as caught:
        pick(x, [0, 5])
    assert caught.value.code == "TR103"
    with pytest.raises(tdsl.UsageError, match=r"f32\[\?\], not f32\[2, 1\]"):
        pick(x.reshape(2, 1), [0])
    assert pick(x, [1]) == 2  # the next call knows nothing of it


def test_sizes_that_do_not_agree():
    add = tdsl.load_text("export fn add(x: f32[N],\n              y: f32[N]) -> f32[N] = x + y").add
    message = "`N` of `y` and of the parameters before it: 3 and 2"
    with pytest.raises(tdsl.RunError, match=message) as caught:
        add([1, 2], [1, 2, 3])
    assert caught.value.code == "TR104" and caught.value.diagnostics[0].line == 2


def test_warnings_of_the_compiler():
    text = "var x = 2\nfor i in range(3) {\n    let x = x * 2\n    print(x)\n}\nx += 1\nprint(x)\n"
    for compile in (tdsl.compile_text, tdsl.load_text):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            compile(text)
        warning, = found
        assert warning.category is tdsl.CompileWarning
        assert warning.filename == __file__


def test_interrupt():
    """^C stops what runs, the statements as well as a call; also after a handler of Python's that
    came and went, as that of asyncio.run."""
    program = r"""
import os, signal, threading, time, tdsl
# Not the handler of the process that runs this.
signal.signal(signal.SIGINT, signal.default_int_handler)
endless = "while (x.sum() >= 0.0).item() { x = x * 0.5 }"
statements = "var x = zeros(4)\n" + endless + "\nprint(x)"
function = "export fn f(y: f32[4]) -> f32[4] {\n var x = y\n " + endless + "\n return x\n}"
for use in (lambda: tdsl.load_text(statements), lambda: tdsl.load_text(function).f([0, 0, 0, 0])):
    for handler in (signal.SIG_IGN, signal.default_int_handler):
        signal.signal(signal.SIGINT, handler)
    time.sleep(0.1)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        use()
    except KeyboardInterrupt:
        print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout.split() == ["stopped", "stopped"], done.stderr


def test_interrupt_in_a_forked_process():
    """A thread is the main thread of the process that it forks, also if it has called before."""
    program = r"""
import os, signal, threading, tdsl
signal.signal(signal.SIGINT, signal.default_int_handler)
module = tdsl.load_text("export fn f(y: f32[4]) -> f32[4] {\n var x = y\n"
                        "while (x.sum() >= 0.0).item() { x = x * 0.5 }\n return x\n}")
def call_and_fork():
    module.f([-1, -1, -1, -1])
    if os.fork() == 0:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        threading.Timer(60, os._exit, (1,)).start()
        try:
            module.f([0, 0, 0, 0])
        except KeyboardInterrupt:
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
thread = threading.Thread(target=call_and_fork)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True,
                          text=True, timeout=120)
    assert done.stdout.split() == ["7"], done.stderr


def test_a_handler_of_ones_own():
    """A program that handles ^C, as to finish an epoch, is not interrupted."""
    program = r"""
import os, signal, threading, tdsl
stop = []
signal.signal(signal.SIGINT, lambda *_: stop.append(1))
text = "var x = 1.0\nfor i in range(300000000) { x = x * 0.5 + 1.0 }\nprint(x)"
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
tdsl.load_text(text)
import time
time.sleep(0.5)
print("stop" if stop else "no signal")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout.split() == ["2.0", "stop"], done.stderr
