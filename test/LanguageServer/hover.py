"""Types, sizes and devices, signatures and explanations."""

from client import Client

PROGRAM = '''\
## Width of the hidden layer.
arg hidden: int = 16

## Two layers.
model Net(inputs: int) {
  first: Linear = Linear(inputs, hidden)
  param scale: f32[hidden] = ones(hidden)

  fn forward(x: f32[B, inputs]) -> f32[B, hidden] {
    let h = self.first(x).relu()
    return h * self.scale
  }
}

## The mean of
## the squares.
fn power(x: f32[N, 3], times: int = 2) = (x ** times).mean()

let net = Net(3)
net.to(cuda:0)
var data = randn(5, 3, device=cuda:0)
let out = net(data)
let pair = (out, 2.5)
data = data + 1
for row in data { print(row) }
print(power(data), pair, f"{out.shape}")
'''


def hover(page, place):
    answer = page.ask("hover", place)
    return answer and answer["contents"]["value"]


def shows(page, place, *texts):
    value = hover(page, place)
    for text in texts:
        assert value and text in value, (place, text, value)


with Client() as client:
    page = client.open(PROGRAM)
    assert [report["code"] for report in page.reports if report["severity"] == 1] == []
    shows(page, "data", "var data: f32[5, 3] @cuda:0")
    shows(page, "out", "let out: f32[5, 16] @cuda:0")
    shows(page, ("data", 3), "f32[5, 3] @cuda:0")  # the target of an assignment
    shows(page, "row", "let row: f32[3] @cuda:0")
    shows(page, "pair", "(f32[5, 16] @cuda:0, float = 2.5)")
    shows(page, "net ", "let net: Net\n")  # before it is moved
    shows(page, "net(data)", "let net: Net @cuda:0")
    shows(page, "hidden: int", "arg hidden: int", "Width of the hidden layer.")
    # In a function: for any arguments that fit, and for those of the calls.
    shows(page, "h =", "let h: f32[B, 16]", "let h: f32[5, 16] @cuda:0")
    shows(page, "power(data)", "fn power(x: f32[N, 3], times: int = 2)",
          "The mean of\nthe squares.")
    shows(page, "Net(3)", "model Net(inputs: int)", "Two layers.")
    shows(page, ("scale", 2), "f32[16]")
    shows(page, "forward", "fn forward(x: f32[B, inputs]) -> f32[B, hidden]")
    # The language: docs/Reference.md.
    shows(page, "randn", "randn(*size=, dtype=, device=, generator=)",
          "normal random numbers, mean 0, deviation 1")
    shows(page, "relu", "relu(input")
    shows(page, "mean()", "mean(input")
    shows(page, "out.shape", "f32[5, 16] @cuda:0")  # in an f-string
    assert page.slice(page.ask("hover", "randn")["range"]) == "randn"
    assert hover(page, "= 16") is None

    # A diagnostic is explained.
    page.change(PROGRAM + "print(dat)\n")
    assert [report["code"] for report in page.reports if report["severity"] == 1] == ["TD201"]
    shows(page, "dat)\n", "**TD201**")
    # Until an edited text is checked, unchanged names have the types of the last check.
    page.change(page.text.replace("let net", "let net2 = (1 +)\nlet net"))
    shows(page, "data", "var data: f32[5, 3] @cuda:0")
    page.change(PROGRAM.replace("for row", "for  row"))
    assert [report["code"] for report in page.reports if report["severity"] == 1] == []
    page.change(PROGRAM)
    shows(page, "row", "let row: f32[3] @cuda:0")
    # A method.
    page.change(PROGRAM + "let again = net.forward(data)\n")
    assert [report["code"] for report in page.reports if report["severity"] == 1] == []
    shows(page, "forward(data", "fn forward(x: f32[B, inputs]) -> f32[B, hidden]")
print("hover: ok")
