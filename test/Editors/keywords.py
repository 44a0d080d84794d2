"""Compares the words of the grammars with those of the lexer and the table of dtypes."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def read(name):
    return (ROOT / name).read_text()


def compiler():
    lexer = read("include/Frontend/Lexer.h")
    keywords = re.findall(r'KEYWORD\(\w+, "(\w+)"\)', lexer)
    soft = re.search(r"Soft keywords \(`([\w ]+)`\)", lexer)[1].split()
    dtypes = re.findall(r'\{"(\w+)", \d\}', read("lib/Dialect/TD/OpTable/Types.cpp"))
    assert len(keywords) > 20 and len(soft) == 4 and len(dtypes) > 10
    return sorted(keywords + soft), sorted(dtypes)


def matches(rules):
    """The regular expressions in a part of the TextMate grammar."""
    if isinstance(rules, list):
        return [match for rule in rules for match in matches(rule)]
    return [rules["match"]] if "match" in rules else matches(rules.get("patterns", []))


def text_mate():
    grammar = json.loads(read("editors/vscode/syntaxes/tdsl.tmLanguage.json"))["repository"]
    words = set()
    for match in matches([grammar["declarations"], grammar["expressions"]]):
        # `\b(?:a|b)\b`, `(a|b)\s+`
        for group in re.findall(r"\((?:\?:)?([a-z]\w*(?:\|[a-z]\w*)*)\)", match):
            words |= set(group.split("|"))
    return words


def vim():
    syntax = read("editors/nvim/syntax/tdsl.vim")
    words = set()
    for listed in re.findall(r"^syntax keyword (?!tdslTodo)\w+ (.*)$", syntax, re.MULTILINE):
        words |= set(listed.split())
    declared = re.search(r"tdslDeclaration .*\\%\(([a-z\\|]+)\\\)\\ze", syntax)[1]
    return words | set(declared.split(r"\|"))


keywords, dtypes = compiler()
for name, words in (("TextMate", text_mate()), ("Vim", vim())):
    assert sorted(words) == sorted(keywords + dtypes), (name, words ^ set(keywords + dtypes))
