"""The fixes of diagnostics as code actions."""

from client import Client

PROGRAM = """\
let x = ones(2)
print(torch.relu(x), torch.exp(x))
let unused = 1
"""


def ask(page, place, only=()):
    return page.ask("codeAction", range=page.range(place),
                    context={"diagnostics": [], "only": list(only)})


with Client() as client:
    page = client.open(PROGRAM)
    assert [report["code"] for report in page.reports] == ["TD102", "TD102"]
    fix, every = ask(page, "torch")
    assert fix["kind"] == "quickfix" and fix["isPreferred"], fix
    assert fix["diagnostics"][0]["code"] == "TD102"
    edits = fix["edit"]["changes"][page.uri]
    assert page.edited(edits) == PROGRAM.replace("torch.relu", "relu")
    assert every["kind"] == "source.fixAll"
    assert page.edited(every["edit"]["changes"][page.uri]) == \
        PROGRAM.replace("torch.", "")
    # A client may ask for some kinds only.
    assert [action["kind"] for action in ask(page, "torch", ["source"])] == ["source.fixAll"]
    assert [action["kind"] for action in ask(page, "torch", ["quickfix"])] == ["quickfix"]
    assert ask(page, "ones", ["quickfix"]) == []

    # What needs a decision is not preferred, and not among all fixes.
    page.change(PROGRAM.replace("torch.", ""))
    assert [report["code"] for report in page.reports] == ["TD210"]
    choice, = ask(page, "unused")
    assert "isPreferred" not in choice
    assert "let _ = 1" in page.edited(choice["edit"]["changes"][page.uri])

    # After a syntax error types are not certain, so other fixes are not made, as by `tdc fix`.
    broken = "let t = (1, 2)\nprint(t(0), torch.relu(ones(2)))\nlet y = 3 3\n"
    page.change(broken)
    assert "TD206" in [report["code"] for report in page.reports]
    every, = ask(page, "print", ["source"])
    assert page.edited(every["edit"]["changes"][page.uri]) == broken.replace("torch.", "")
print("actions: ok")
