"""A client of `tdc lsp` for the tests of this folder.

    with Client() as client:
        page = client.open("let x = 1\\n")
        page.reports                      # what was published for this text
        page.ask("hover", "x")            # at the first `x`

A position is a word of the text: `"x"` is at its first occurrence, `("x", 2)` at the
second. Columns are UTF-16 units, counted here by Python's own codec.
"""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import edits  # noqa: E402

FOLDER = pathlib.Path("/nowhere")  # the server reads open documents only


class Refused(Exception):
    """The server answered with an error."""


def units(text):
    return len(text.encode("utf-16-le")) // 2


class Client:
    def __init__(self, command=("tdc", "lsp"), folder=FOLDER):
        self.folder = folder
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.last_id = 0
        self.published = {}  # by URI: (version, diagnostics)
        self.abilities = self.request("initialize", capabilities={}, processId=None)
        self.notify("initialized")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            return
        assert self.request("shutdown") is None
        self.notify("exit")
        assert self.process.wait(timeout=60) == 0

    # Messages -------------------------------------------------------------------------

    def send_raw(self, data):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_raw(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def receive(self):
        length = 0
        while (line := self.process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name == b"Content-Length":
                length = int(value)
        assert length, "the server has ended"
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"]] = (params.get("version"), params["diagnostics"])
        return message

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def request(self, method, **params):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (message := self.receive()).get("id") != self.last_id:
            pass
        if "error" in message:
            raise Refused(message["error"]["message"])
        return message["result"]

    # Documents ------------------------------------------------------------------------

    def open(self, text, name="main.tdsl"):
        return Page(self, text, name)


class Page:
    """An open document."""

    def __init__(self, client, text, name):
        self.client, self.text, self.version = client, text, 1
        self.uri = (client.folder / name).as_uri()
        client.notify("textDocument/didOpen", textDocument={
            "uri": self.uri, "languageId": "tdsl", "version": 1, "text": text})

    @property
    def reports(self):
        """The diagnostics of the latest text."""
        while self.client.published.get(self.uri, (0, None))[0] != self.version:
            self.client.receive()
        return self.client.published[self.uri][1]

    def change(self, *changes):
        """Each change is a range and a text, or a text in place of all."""
        self.version += 1
        self.client.notify("textDocument/didChange", textDocument={
            "uri": self.uri, "version": self.version}, contentChanges=[
                {"text": change} if isinstance(change, str) else
                {"range": change[0], "text": change[1]} for change in changes])
        for change in changes:
            self.text = change if isinstance(change, str) else self.edited(
                [{"range": change[0], "newText": change[1]}])

    def close(self):
        self.client.notify("textDocument/didClose", textDocument={"uri": self.uri})

    def offset(self, place):
        word, number = place if isinstance(place, tuple) else (place, 1)
        at = -1
        for _ in range(number):
            at = self.text.index(word, at + 1)
        return at

    def position(self, place, after=0):
        before = self.text[:self.offset(place) + after]
        return {"line": before.count("\n"),
                "character": units(before.rpartition("\n")[2])}

    def end(self, place):
        return self.position(place, len(place[0] if isinstance(place, tuple) else place))

    def range(self, place):
        return {"start": self.position(place), "end": self.end(place)}

    def words(self, ranges):
        """The texts of ranges."""
        return [self.slice(one) for one in ranges]

    def slice(self, one):
        return self.text[self.index(one["start"]):self.index(one["end"])]

    def index(self, position):
        lines = self.text.split("\n")
        if position["line"] >= len(lines):
            return len(self.text)
        line = lines[position["line"]]
        column = next(i for i in range(len(line) + 1)
                      if units(line[:i]) == position["character"])
        return sum(len(one) + 1 for one in lines[:position["line"]]) + column

    def edited(self, changes):
        """The text after edits of the protocol."""
        return edits.apply(self.text, [
            (self.index(change["range"]["start"]), self.index(change["range"]["end"]),
             change["newText"]) for change in changes])

    def ask(self, what, place=None, **params):
        """A request about the document, at a position if there is one."""
        if isinstance(place, dict):
            params["position"] = place
        elif place is not None:
            params["position"] = self.position(place)
        return self.client.request(f"textDocument/{what}",
                                   textDocument={"uri": self.uri}, **params)
