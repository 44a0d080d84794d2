"""A document is formatted by one edit of the lines that change."""

from client import Client, Refused

OPTIONS = {"options": {"tabSize": 4, "insertSpaces": True}}

with Client() as client:
    page = client.open('let a = 1\n\nlet  name="é𝄞"\nlet b=[1,\n2]  # two\nprint(a, name, b)\n')
    (edit,) = page.ask("formatting", **OPTIONS)
    formatted = page.edited([edit])
    assert formatted.startswith('let a = 1\n\nlet name = "é𝄞"\n'), formatted
    assert formatted.endswith("\nprint(a, name, b)\n"), formatted
    # The first line and the last, which are as they should be, are left alone.
    assert edit["range"]["start"]["line"] == 2 and edit["range"]["end"]["line"] == 4, edit

    page.change(formatted)
    assert page.ask("formatting", **OPTIONS) == []

    # A text without an end of its last line.
    page.change('let  x="ä"# ü')
    (edit,) = page.ask("formatting", **OPTIONS)
    assert page.edited([edit]) == 'let x = "ä"  # ü\n', page.edited([edit])

    # One that lacks only this end.
    for text in ["let x = 1", "let x = 1\nprint(x)"]:
        page.change(text)
        (edit,) = page.ask("formatting", **OPTIONS)
        assert page.edited([edit]) == text + "\n", edit

    page.change("let = (\n")
    try:
        page.ask("formatting", **OPTIONS)
    except Refused as refused:
        assert "syntax errors" in str(refused)
    else:
        assert False, "a text that does not parse was formatted"
print("formatting: ok")
