"""Random edits in the text of a program, which may make a mistake.

In any case the compiler accepts the program or reports the mistake in the language's
own terms: no crash, no hang, no word of MLIR.
"""

import random
import re

# A token, or space between two.
TOKEN = re.compile(r'"[^"]*"|[A-Za-z_]\w*|\d+(?:\.\d+)?|\*\*|//|[-+*/%]=|[=!<>]=|\s+|.')
NUMBERS = ["0", "1", "-1", "2", "3", "7", "64", "1000", "2147483648", "9223372036854775807",
           "-9223372036854775808", "18446744073709551616", "0.5", "1e300", "1e999", "nan", "inf"]
WORDS = ["let", "var", "for", "if", "else", "while", "return", "break", "continue", "true", "none",
         "f32", "f64", "i64", "bool", "cpu", "cuda:0", "cuda:7", "self", "range", "sum", "reshape",
         "softmax", "grad", "randn", "item", "dim", "keepdim", "export fn", "fn", "model", "arg",
         "with no_grad", "assert", "print", "matmul", "gather", "@", "f32[N, ?]", "lambda", "=>",
         "and", "not", "in", "enumerate", "zip", "embedding", "cross_entropy", "load", "restore"]


def mutate(source, seed):
    """The text with one edit; the seed says which."""
    choices = random.Random(seed)
    edit = choices.choice(EDITS)
    if edit in LINE_EDITS:
        return "".join(edit(choices, source.splitlines(keepends=True)))
    return "".join(edit(choices, TOKEN.findall(source)))


def solid(choices, tokens, accepts=lambda token: True):
    """The place of a token that is no space."""
    places = [i for i, token in enumerate(tokens) if not token.isspace() and accepts(token)]
    return choices.choice(places) if places else 0


def drop(choices, tokens):
    at = solid(choices, tokens)
    return tokens[:at] + tokens[at + 1:]


def repeat(choices, tokens):
    at = solid(choices, tokens)
    return tokens[:at] + [tokens[at], " "] + tokens[at:]


def swap(choices, tokens):
    i, j = solid(choices, tokens), solid(choices, tokens)
    tokens[i], tokens[j] = tokens[j], tokens[i]
    return tokens


def rename(choices, tokens):
    """Another name of the program in the place of one."""
    names = sorted({token for token in tokens if token[0].isalpha()})
    at = solid(choices, tokens, lambda token: token[0].isalpha())
    return tokens[:at] + [choices.choice(names)] + tokens[at + 1:]


def renumber(choices, tokens):
    at = solid(choices, tokens, lambda token: token[0].isdigit())
    return tokens[:at] + [choices.choice(NUMBERS)] + tokens[at + 1:]


def insert(choices, tokens):
    at = solid(choices, tokens)
    return tokens[:at] + [choices.choice(WORDS + NUMBERS), " "] + tokens[at:]


def replace(choices, tokens):
    at = solid(choices, tokens)
    return tokens[:at] + [choices.choice(WORDS + NUMBERS)] + tokens[at + 1:]


def cut(choices, tokens):
    return tokens[:choices.randrange(len(tokens))]


def disturb(choices, tokens):
    at = solid(choices, tokens)
    mark = choices.choice("\0\x01\x7f\\`$?;é\u202e\U0001f600\"'{}()[]")
    return tokens[:at] + [mark] + tokens[at:]


def drop_line(choices, lines):
    at = choices.randrange(len(lines))
    return lines[:at] + lines[at + 1:]


def repeat_line(choices, lines):
    at = choices.randrange(len(lines))
    return lines[:at + 1] + lines[at:]


def swap_lines(choices, lines):
    i, j = choices.randrange(len(lines)), choices.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return lines


LINE_EDITS = [drop_line, repeat_line, swap_lines]
EDITS = [drop, repeat, swap, rename, rename, renumber, renumber, insert, replace, cut, disturb,
         *LINE_EDITS]
