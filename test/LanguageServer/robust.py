"""Broken documents and broken messages, of which none may end or block the server.

usage: robust.py PROGRAM...

Documents are parts and mutations of the programs, typed in steps; requests are asked at
random positions. `./tdc.sh test --full` tries 10,000 documents; TDC_TEST_SEED=N repeats the
inputs of seed N.
"""

import json
import os
import pathlib
import random
import secrets
import sys

from client import Client

FULL = bool(os.environ.get("TDC_TEST_FULL"))
DOCUMENTS = 10000 if FULL else 150
SCRAPS = ["(", ")", "[", "]", "{", "}", '"', 'f"{', "'", "\\", "\0", "\r", "\n", "#", "##",
          ".", "..", "self.", "self", "let ", "var ", "fn ", "model ", "import ", "if ", "for ",
          "return ", "🙂", "é", "\ufeff", "\u202e", "9" * 40, "1e999", "x" * 2000, "(" * 300,
          "-", "@", "=", "->", "...", ":", ",", "* ", "\t", "while true { ",
          "for i in range(1000000000) { }\n", "# tdc: allow(TD210)\n"]
POSITIONED = ["hover", "definition", "references", "prepareRename", "rename", "completion"]
OTHERS = ["documentSymbol", "inlayHint", "semanticTokens/full", "codeAction"]

seed = int(os.environ.get("TDC_TEST_SEED") or secrets.randbelow(2**32))
print(f"seed {seed}")
rng = random.Random(seed)


def mutate(text):
    """Some changes, as the protocol has them: ranges and texts."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(text))
        end = min(len(text), start + rng.choice([0, 0, 1, 5, 40, 1000]))
        text = text[:start] + rng.choice(SCRAPS) * rng.randint(0, 2) + text[end:]
    return text


def wild_position(page):
    if rng.random() < 0.1:
        return {"line": rng.choice([-1, 0, 7, 10**9]),
                "character": rng.choice([-1, 0, 3, 10**9])}
    before = page.text[:rng.randint(0, len(page.text))]
    return {"line": before.count("\n"),
            "character": len(before.rpartition("\n")[2].encode("utf-16-le")) // 2}


def ask_something(page):
    what = rng.choice(POSITIONED + OTHERS)
    params = {"context": {"diagnostics": [], "includeDeclaration": True, "triggerKind": 1},
              "range": {"start": wild_position(page), "end": wild_position(page)},
              "newName": rng.choice(["x", "y1", "while", "", "🙂", "ones"])}
    message = {"id": "asked", "method": f"textDocument/{what}", "params": {
        "textDocument": {"uri": page.uri}, "position": wild_position(page), **params}}
    page.client.send(message)
    while (answer := page.client.receive()).get("id") != "asked":
        pass
    assert ("result" in answer) != ("error" in answer)


def garbage():
    """Messages that are none, or that no client sends."""
    good = {"jsonrpc": "2.0", "method": "textDocument/hover", "params": {}}
    yield b""
    yield b"{"
    yield b"\xff\xfe\x00"
    yield b"[" * 200000
    yield b'{"a":' * 100000
    yield b"null"
    yield b"[1, 2]"
    yield b"{}"
    yield json.dumps({"method": "exit"}).encode()  # without the version
    yield json.dumps({**good, "method": 1}).encode()
    yield json.dumps({**good, "params": [1]}).encode()
    yield json.dumps({"jsonrpc": "2.0", "id": 1, "result": []}).encode()
    for method in ["didOpen", "didChange", "didClose", "didSave", "nonsense"]:
        for params in [None, 3, {"textDocument": {"uri": "http://x/y"}},
                       {"textDocument": {"uri": "file:///not/open.tdsl", "version": 1},
                        "contentChanges": [{"text": "x"}]}]:
            yield json.dumps({"jsonrpc": "2.0", "method": f"textDocument/{method}",
                              "params": params}).encode()


programs = [pathlib.Path(name).read_text() for name in sys.argv[1:]]
with Client() as client:
    for message in garbage():
        client.send_raw(message)
    for method in POSITIONED + OTHERS:
        client.send({"id": "bad", "method": f"textDocument/{method}", "params": None})
        while (answer := client.receive()).get("id") != "bad":
            pass
        assert "error" in answer, method

    page = client.open("")
    for number in range(DOCUMENTS):
        text = rng.choice(programs)
        if rng.random() < 0.3:
            text = text[:rng.randint(0, len(text))]
        page.change(mutate(text))
        if number % 5 == 0:
            page.reports  # wait for the check
        for _ in range(3):
            ask_something(page)
    # A loop of the host, and a check that takes long, do not block requests, nor the end.
    page.change("var xs = [0]\nfor i in range(1000000000) { xs.append(i) }\n")
    assert page.ask("documentSymbol")[0]["name"] == "xs"
    page.change("var s = 0\nfor i in range(1000000000) { s = s + i }\nprint(s)\n")
    assert page.reports == []
print(f"robust: {DOCUMENTS} documents")
