"""Compares scopes of the TextMate grammar, without `.tdsl`, with those written here."""

import json
import logging
from pathlib import Path

from textmate_grammar.parsers.base import LanguageParser

GRAMMAR = Path(__file__).resolve().parents[2] / "editors/vscode/syntaxes/tdsl.tmLanguage.json"
PROGRAM = r'''
## of the model
model Net(n: int = 3) { # note
    param w: f32[n, 2] = normal(0.5)
    fn forward(x: f32[B, ?] @cuda:1) = self.fc(x).if
}
let s = f"a {x + 1} {{\n" + 'b#c'
for i in f(dim=-1) { if not a { x **= 1e-3 } }
'''
EXPECTED = [
    ("## of the model", "comment.line.documentation"),
    ("model", "storage.type.model"), ("Net", "entity.name.type.model"),
    ("=", "keyword.operator"), ("3", "constant.numeric"),
    ("# note", "comment.line.number-sign"),
    ("param", "storage.modifier"), ("w", "variable.other.member"),
    ("f32", "support.type.dtype"), ("2", "constant.numeric"), ("=", "keyword.operator"),
    ("normal", "entity.name.function.call"), ("0.5", "constant.numeric"),
    ("fn", "storage.type.function"), ("forward", "entity.name.function"),
    ("f32", "support.type.dtype"), ("?", "keyword.operator"), ("@", "keyword.operator"),
    ("cuda:1", "constant.language.device"), ("=", "keyword.operator"),
    ("self", "variable.language"), ("fc", "entity.name.function.call"),
    ("if", "variable.other.member"),
    ("let", "storage.type"), ("=", "keyword.operator"),
    ('f"a ', "string.interpolated.double"), ("{", "punctuation.section.embedded.begin"),
    ("x ", "meta.embedded.field"), ("+", "keyword.operator"), (" ", "meta.embedded.field"),
    ("1", "constant.numeric"), ("}", "punctuation.section.embedded.end"),
    (" ", "string.interpolated.double"), (r"{{\n", "constant.character.escape"),
    ('"', "string.interpolated.double"), ("+", "keyword.operator"),
    ("'b#c'", "string.quoted.single"),
    ("for", "keyword.control"), ("in", "keyword.control"),
    ("f", "entity.name.function.call"), ("dim", "variable.parameter"),
    ("=", "keyword.operator.assignment"), ("-", "keyword.operator"), ("1", "constant.numeric"),
    ("if", "keyword.control"), ("not", "keyword.operator.logical"), ("**=", "keyword.operator"),
    ("1e-3", "constant.numeric"),
]

logging.disable(logging.WARNING)  # of text without a scope
tree = LanguageParser(json.loads(GRAMMAR.read_text())).parse_string(PROGRAM)
found = [(text, scopes[-1].removesuffix(".tdsl")) for _, text, scopes in tree.flatten()
         if scopes[-1] != "source.tdsl"]
assert found == EXPECTED, "\n".join(map(str, found))
