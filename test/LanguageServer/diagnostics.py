"""What a client is told when a document opens, changes and closes."""

import pathlib
import tempfile

from client import Client

PROGRAM = """\
let a = ones(2, 3)
let b = ones(4, 3)
let name = "🙂"; let c = a @ b
print(c, name)
"""


def check_program(client):
    page = client.open(PROGRAM)
    report, = page.reports
    assert report["code"] == "TD401", report
    assert report["severity"] == 1 and report["source"] == "tdc"
    # The smiley is two units: the column in code points would be one less.
    assert report["range"]["start"]["line"] == 2
    assert page.slice(report["range"]) in ("a @ b", "@"), page.slice(report["range"])
    assert report["message"].splitlines()[0]

    # A repaired text has no reports; both kinds of changes, several in one message.
    page.change((page.range("ones(4, 3)"), "ones(3, 4)"))
    assert page.reports == []
    page.change((page.range("🙂"), "é🙂é"), (page.range("print(c"), "print(cc"))
    assert page.slice(page.range("cc")) == "cc"
    report, = page.reports
    assert report["code"] == "TD201" and page.slice(report["range"]) == "cc"
    page.change("let unused = 1\n")
    report, = page.reports
    assert (report["code"], report["severity"], report["tags"]) == ("TD210", 2, [1])
    assert page.slice(report["range"]) == "unused"
    page.close()
    while client.published[page.uri][1]:
        client.receive()


def check_related(client):
    page = client.open("fn same() { }\nfn same() { }\n", "twice.tdsl")
    report, = page.reports
    assert report["code"] == "TD204", report
    related, = report["relatedInformation"]
    assert related["location"] == {"uri": page.uri, "range": page.range("same")}
    assert "first" in related["message"]


def check_line_ends(client):
    page = client.open("let a = 1\r\nprint(a, b)\r\n", "windows.tdsl")
    report, = page.reports
    assert report["range"] == {"start": {"line": 1, "character": 9},
                               "end": {"line": 1, "character": 10}}
    # Positions after the end of a line or of the text mean that end.
    page.change(({"start": {"line": 1, "character": 9},
                  "end": {"line": 1, "character": 10}}, "a"))
    page.change(({"start": {"line": 99, "character": 0},
                  "end": {"line": 99, "character": 9}}, "print(z)\r\n"))
    report, = page.reports
    assert report["range"]["start"] == {"line": 2, "character": 6}, report


def check_imports():
    """An import reads the open document, else the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "parts.tdsl").write_text("fn twice(x: int) -> int = x * 2\n")
        with Client(folder=folder) as client:
            main = client.open("import parts\nprint(parts.twice(2), parts.thrice(2))\n")
            report, = main.reports
            assert "thrice" in report["message"], report
            parts = client.open("fn twice(x: int) -> int = x * 2\n"
                                "fn thrice(x: int) -> int = x * 3\n", "parts.tdsl")
            assert parts.reports == []
            while client.published[main.uri][1]:
                client.receive()
            # A document that is closed is its file again.
            parts.close()
            while not client.published[main.uri][1]:
                client.receive()
            # A mistake in a file that is not open is shown there.
            (folder / "more.tdsl").write_text("fn f() -> int = y\n")
            main.change("import more\nprint(more.f())\n")
            assert main.reports == []
            uri = (folder / "more.tdsl").as_uri()
            while uri not in client.published:
                client.receive()
            report, = client.published[uri][1]
            assert report["code"] == "TD201" and report["range"]["start"]["character"] == 16
            main.change("let _ = 1\n")
            while client.published[uri][1]:
                client.receive()


with Client() as client:
    assert client.abilities["capabilities"]["textDocumentSync"]["change"] == 2
    check_program(client)
    check_related(client)
    check_line_ends(client)
check_imports()
print("diagnostics: ok")
