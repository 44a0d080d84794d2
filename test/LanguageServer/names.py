"""Definitions, uses, the outline and new names."""

import pathlib
import tempfile

from client import Client, Refused

PROGRAM = '''\
let scale = 2.0
model Net(width: int) {
  fc: Linear = Linear(width, 4)
  fn forward(x: f32[B, width]) = self.act(self.fc(x), by=scale)
  fn act(x: f32[B, 4], by: float) {
    let B2 = B + B
    return x * by * B2
  }
}
fn twice(x: f32[N], extra: float = 1.0) = x * 2.0 + extra
let x = ones(3)
let y = twice(x, extra=2.0)
let x = twice(y)
for i in range(3) {
  let x = i
  print(f"{x} {i=}", x)
}
let net = Net(3)
print(net(x.reshape(1, 3)), [x + i for i in range(2) if i > 0])
'''


def definition(page, place):
    return [(one["uri"].rpartition("/")[2], one["range"])
            for one in page.ask("definition", place)]


def uses(page, place, declarations=True):
    return [one["range"] for one in page.ask(
        "references", place, context={"includeDeclaration": declarations})]


def rename(page, place, name):
    changes = page.ask("rename", place, newName=name)["changes"]
    assert list(changes) == [page.uri]
    return page.edited(changes[page.uri])


def refused(page, place, name, *texts):
    try:
        page.ask("rename", place, newName=name)
    except Refused as error:
        for text in texts:
            assert text in str(error), error
        return
    raise AssertionError(f"{place} was renamed to {name}")


def check_definitions(page):
    for use, declared in [("twice(y)", "twice"), ("x, extra", "x = ones"),
                          ("x.reshape", "x = twice"), ("{x}", "x = i"),
                          (("scale", 2), "scale"), ("Net(3)", "Net"),
                          ("act(self", "act(x"), ("fc(x)", "fc"),
                          ("extra=2", "extra"), ("by=scale", "by:"),
                          ("B + B", "B, 4"), ("i for", "i in range(2)"),
                          ("i > 0", "i in range(2)"), ("net(x", "net")]:
        place = use if isinstance(use, tuple) else (use, 1)
        shift = 1 if use == "{x}" else 0
        found = definition(page, page.position(place, shift))
        start = page.position(declared)
        assert [one[1]["start"] for one in found] == [start], (use, found)
    assert definition(page, "ones") == []


def check_uses(page):
    assert len(uses(page, "twice")) == 3 and len(uses(page, "twice", False)) == 2
    assert len(uses(page, "by:")) == 3
    assert len(uses(page, "x = i")) == 3
    assert len(uses(page, "fc")) == 2
    assert [page.slice(one) for one in uses(page, "i in range(2)")] == ["i"] * 3


def check_renames(page):
    assert page.slice(page.ask("prepareRename", "twice")) == "twice"
    assert rename(page, "twice(y)", "double") == PROGRAM.replace("twice", "double")
    assert rename(page, "extra", "more") == PROGRAM.replace("extra", "more")
    assert rename(page, "by:", "factor") == PROGRAM.replace(" by", " factor")
    assert rename(page, "Net(3)", "Network") == PROGRAM.replace("Net", "Network")
    assert rename(page, "act(x", "apply") == PROGRAM.replace("act", "apply")
    assert rename(page, "width", "w") == PROGRAM.replace("width", "w")
    # A name of the same spelling in another scope, or hidden by it, keeps its own.
    inner = 'let x = i\n  print(f"{x} {i=}", x)'
    assert rename(page, "x = i", "z") == PROGRAM.replace(inner, inner.replace("x", "z"))
    outer = PROGRAM
    for text in ["let x = ones", "twice(x, ex", "let x = twice", "net(x.resh", "[x + i"]:
        start, _, end = text.partition("x")
        outer = outer.replace(text, start + "z" + end)
    assert rename(page, "x = ones", "z") == outer
    refused(page, "x = i", "i", "another meaning")       # of this scope
    refused(page, "i in range(3)", "x", "another meaning")
    refused(page, "twice", "ones", "another meaning")    # would hide the function
    refused(page, "scale", "1x", "not a name")
    refused(page, "scale", "while", "not a name")
    refused(page, "ones", "zeros", "not declared in this file")
    refused(page, "forward", "run", "forward")
    refused(page, "fc", "fc1", "checkpoints")
    page.change(PROGRAM + "let (")
    refused(page, "twice", "double", "syntax errors")


METHODS = '''\
model A {
  w: Linear = Linear(2, 2)
  fn enc(x: f32[B, 2]) = self.w(x)
  fn dec(x: f32[B, 2]) = self.w(x)
}
model C {
  w: Linear = Linear(2, 2)
  fn enc(x: f32[B, 2]) = self.w(x) + 1.0
}
let a = A()
let c = C()
print(a.dec(ones(1, 2)))
for m in [a, a, a, a, a, c] { print(m.enc(ones(1, 2))) }
let several = [x.dec(ones(1, 2)) for x in [a, a]]
print(several)
'''


def check_methods(client):
    """Methods that are called on a model, of which a name may mean several."""
    page = client.open(METHODS, "methods.tdsl")
    assert page.reports == []
    first, second = page.range("enc"), page.range(("enc", 2))
    assert [one[1] for one in definition(page, "dec(ones")] == [page.range("dec")]
    assert len(uses(page, "dec")) == 3
    assert rename(page, "dec", "back") == METHODS.replace("dec", "back")
    assert rename(page, "dec(ones", "back") == METHODS.replace("dec", "back")
    assert [one[1] for one in definition(page, ("enc", 3))] == [first, second]
    assert uses(page, "enc") == [first, page.range(("enc", 3))]
    for number in [1, 2]:
        refused(page, ("enc", number), "f", "line 13 has another meaning")
    refused(page, ("enc", 3), "f", "not declared")
    page.close()


def check_captures(client):
    """A name may not take the place of a function of the language."""
    page = client.open("let a = 3\nprint(a)\n", "captures.tdsl")
    refused(page, "a", "print", "another meaning")
    assert rename(page, "a", "b") == "let b = 3\nprint(b)\n"


def check_others(client):
    """Documents that do not import each other."""
    texts = ["let x = 1\nprint(x)\n", "let x = 2\nprint(x, x)\n"]
    pages = [client.open(text, f"other{i}.tdsl") for i, text in enumerate(texts)]
    for page, text in zip(pages, texts):
        assert page.reports == []
    for page, text in zip(pages, texts):
        assert rename(page, "x", "y") == text.replace("x", "y")


def check_outline(page):
    outline = page.ask("documentSymbol")
    assert [one["name"] for one in outline] == ["scale", "Net", "twice", "x", "y", "x", "net"]
    net = outline[1]
    assert [(one["name"], one["kind"]) for one in net["children"]] == \
        [("fc", 8), ("forward", 6), ("act", 6)]
    assert outline[2]["detail"] == "fn twice(x: f32[N], extra: float = 1.0)"


def check_files():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "parts.tdsl").write_text("\nfn half(x: float) = x / 2.0\n"
                                           "fn more() -> int {\n    let i = 1\n    return i\n}\n")
        with Client(folder=folder) as client:
            page = client.open("from parts import half\nimport parts\n"
                               "print(half(1.0), parts.half(2.0))\n")
            assert page.reports == []
            target = {"start": {"line": 1, "character": 3},
                      "end": {"line": 1, "character": 7}}
            assert definition(page, "half(1") == [("parts.tdsl", target)]
            assert definition(page, "half(2") == [("parts.tdsl", target)]
            refused(page, "half", "third", "another file")
            parts = client.open((folder / "parts.tdsl").read_text(), "parts.tdsl")
            assert parts.reports == []
            refused(parts, "half", "third", "imports this file")
            # A name of a block, though "print" has its letter.
            assert parts.ask("rename", "i = 1", newName="k")


with Client() as client:
    page = client.open(PROGRAM)
    assert [one for one in page.reports if one["severity"] == 1] == [], page.reports
    check_definitions(page)
    check_uses(page)
    check_outline(page)
    check_renames(page)
    check_methods(client)
    check_captures(client)
    check_others(client)
check_files()
print("names: ok")
