"""Types and copies that a client shows between the words, and colours of names."""

from client import Client

PROGRAM = '''\
let a = ones(2, 3, device=cuda:0)
let b = ones(3)
let typed: f32[3] = ones(3)
let n = 4
let c = a * b
fn half(x: f32[N]) {
  let y = x / 2.0
  return y
}
print(c, half(typed), n)
'''


def whole(page):
    return {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}


def hints(page, part=None):
    """The text with the hints in it."""
    return page.edited([{"range": {"start": hint["position"], "end": hint["position"]},
                         "newText": (" " if hint["paddingLeft"] else "") + hint["label"]}
                        for hint in page.ask("inlayHint", range=part or whole(page))])


with Client() as client:
    page = client.open(PROGRAM)
    assert [one for one in page.reports if one["severity"] == 1] == [], page.reports
    shown = PROGRAM
    for old, new in [("let a", "let a: f32[2, 3] @cuda:0"), ("let b", "let b: f32[3]"),
                     ("let c = a * b", "let c: f32[2, 3] @cuda:0 = a * b → cuda:0"),
                     ("let y", "let y: f32[N]")]:
        shown = shown.replace(old, new)
    assert hints(page) == shown, hints(page)
    part = {"start": page.position("let b"), "end": page.position("let typed")}
    assert hints(page, part) == PROGRAM.replace("let b", "let b: f32[3]")
    # Where the text has changed since the last check, the rest keeps its hints.
    page.change((page.range("let b"), "let (b"))
    assert "let c: f32[2, 3] @cuda:0" in hints(page)

    page.change(PROGRAM)
    legend = client.abilities["capabilities"]["semanticTokensProvider"]["legend"]
    data = page.ask("semanticTokens/full")["data"]
    line = column = 0
    coloured = []
    for i in range(0, len(data), 5):
        line, column = line + data[i], data[i + 1] + (0 if data[i] else column)
        text = page.text.split("\n")[line][column:column + data[i + 2]]
        modifiers = [name for bit, name in enumerate(legend["tokenModifiers"])
                     if data[i + 4] >> bit & 1]
        coloured.append(" ".join([text, legend["tokenTypes"][data[i + 3]], *modifiers]))
    assert coloured[:3] == ["a variable declaration readonly",
                            "ones function defaultLibrary", "device parameter"], coloured
    for one in ["f32 type defaultLibrary", "half function declaration",
                "x parameter declaration readonly", "N parameter declaration readonly",
                "y variable declaration readonly", "half function"]:
        assert one in coloured, (one, coloured)
print("hints: ok")
