"""What a client offers while a name is typed."""

import pathlib
import tempfile

from client import Client

PROGRAM = '''\
let scale = 2.0
model Net(width: int) {
  first: Linear = Linear(width, 4)
  fn forward(x: f32[B, width]) {
    let hidden_part = x
    return self.first(hidden_part)
  }
}
fn twice(x: f32[N], extra: float = 1.0) = x * 2.0 + extra
let net = Net(3)
let data = ones(2, 3)
print(data)
let later = 1
'''


def offer(page, typed, before="let later"):
    """The labels that are offered at the end of `typed`, a line before another."""
    changed = page.text.replace(before, typed + "\n" + before, 1)
    page.change(changed)
    answer = page.ask("completion", page.end(typed + "\n")
                      if typed.endswith("\n") else page.end(typed))
    page.change(changed.replace(typed + "\n", "", 1))
    # A parameter precedes a function of its name.
    return {item["label"]: item for item in reversed(answer["items"])}


with Client() as client:
    page = client.open(PROGRAM)
    # Names in scope, functions of the language and keywords.
    offered = offer(page, "print(")
    assert {"scale", "Net", "twice", "net", "data", "ones", "relu", "while", "f32"} <= set(offered)
    assert not {"later", "hidden_part", "width", "init.ones_"} & set(offered)
    assert offered["twice"]["detail"] == "fn twice(x: f32[N], extra: float = 1.0)"
    assert offered["relu"]["detail"].startswith("relu(input")
    # Only what begins with the part that is typed.
    offered = offer(page, "print(tw")
    assert "twice" in offered and "ones" not in offered
    # Names of parameters come first.
    offered = offer(page, "let v = twice(data, ex")
    assert offered["extra"]["insertText"] == "extra="
    assert "extra" not in offer(page, "let v = (data, ex")
    assert {"dim", "keepdim"} <= {name for name, item in offer(
        page, "let v = data.sum(").items() if item.get("insertText", "").endswith("=")}
    assert "requires_grad" not in offer(page, "let v = ones(3, ")
    # Members of tensors, models and modules, in statements that are not complete.
    for typed in ["let v = data.", "print(data.", "if data.sum().", "let v = (data + data[0].",
                  "for i in data."]:
        members = offer(page, typed)
        assert {"shape", "dtype", "relu", "sum", "reshape"} <= set(members), typed
        assert not {"while", "scale", "first"} & set(members)
    assert {"sum"} <= set(offer(page, "data.su")) and "relu" not in offer(page, "data.su")
    assert {"first", "forward", "parameters", "to"} <= set(offer(page, "let v = net."))
    assert {"weight", "bias"} <= set(offer(page, "let v = net.first."))
    members = offer(page, "    let w = self.", "    return")
    assert {"first", "forward"} <= set(members)
    assert "normal_" in offer(page, "init.")
    assert "Linear" in offer(page, "let l = nn.")
    # Nothing in comments and strings, and after numbers.
    for typed in ["# sca", "print(data)  # see data.", 'let v = "#"  # sca', 'let v = "data.',
                  "let v = 'sca", 'let v = f"sca', 'let v = f"{data} {{sca', "let v = 2e"]:
        assert offer(page, typed) == {}, typed
    inside = page.text.replace("print(data)", 'print("data.", f"{data.")')
    page.change(inside)
    assert page.ask("completion", page.end('"data.'))["items"] == []
    page.change(PROGRAM)
    # What precedes is a string, or has the sign of a comment.
    for typed in ['print("sca", ', 'let v = "# " + ', 'let v = f"{sca} {', 'let v = f"{']:
        assert "scale" in offer(page, typed), typed

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "parts.tdsl").write_text("fn half(x: float) = x / 2.0\n")
    with Client(folder=folder) as client:
        page = client.open("import parts\nlet later = 1\n")
        assert "half" in offer(page, "print(parts.")
print("completion: ok")
