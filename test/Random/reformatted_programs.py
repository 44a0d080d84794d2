#!/usr/bin/env python3
"""Programs in random layouts: the formatter changes only white space, and once.

usage: reformatted_programs.py [--seed N] [--count N] [--show] [--keep DIR]

The program of a seed, random or from a file of the repository, gets line breaks, blanks,
comments and long names at random places; a third of them have a mistake, too. A text
that parses has the same tokens, comments, tree and mistakes after `tdc fmt`, and a second
`tdc fmt` changes nothing. About half of the texts parse; the others are not counted. The last
line is "reformatted: N passed, N failed".
"""

import functools
import random
import sys
from pathlib import Path

import levels
from generate import generate, text
from mutate import TOKEN, mutate
from workers import parse_options, run_all

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 20_000  # characters of a file, so that a seed takes little time
BREAKS_AFTER = tuple(",=([+-*/%@<>|&{;")


@functools.cache
def files():
    return [source for folder in ("examples", "prelude", "test")
            for path in sorted((ROOT / folder).rglob("*.tdsl"))
            if len(source := path.read_text(errors="replace")) < LONGEST]


def source_of(seed):
    choices = random.Random(seed)
    source = choices.choice(files()) if seed % 2 else text(generate(seed // 10))
    if seed % 3 == 0:
        source = mutate(source, seed)
    tokens = TOKEN.findall(source)
    for _ in range(choices.randrange(12)):
        if tokens:
            choices.choice(EDITS)(choices, tokens)
    return "".join(tokens)


def break_line(choices, tokens):
    """Most places are those where a line may end."""
    places = [i for i, token in enumerate(tokens) if token[-1:] in BREAKS_AFTER]
    if choices.random() < 0.1 or not places:
        places = range(len(tokens))
    at = choices.choice(places)
    tokens[at] += choices.choice(["\n", "\n\n\n", "  # note\n", "\n# é\n\n", "#1\n#2\n", " \t\n  "])


def break_list(choices, tokens):
    """One element to a line, in the brackets around a place."""
    at = choices.randrange(len(tokens))
    for i in range(at, min(at + 60, len(tokens))):
        if tokens[i] == "," or tokens[i] in ")]" and choices.random() < 0.3:
            tokens[i] += "\n"


def join_lines(choices, tokens):
    ends = [i for i, token in enumerate(tokens) if "\n" in token and token.isspace()]
    if ends:
        tokens[choices.choice(ends)] = choices.choice(["; ", " ", "", ";;\n", " # end\n"])


def change_blank(choices, tokens):
    blanks = [i for i, token in enumerate(tokens) if token.isspace() and "\n" not in token]
    if blanks:
        tokens[choices.choice(blanks)] = choices.choice(["", "   ", "\t", " \f "])


def add_blank(choices, tokens):
    tokens[choices.randrange(len(tokens))] += " "


def add_comment(choices, tokens):
    ends = [i for i, token in enumerate(tokens) if "\n" in token]
    if ends:
        comments = [" # note\n", "\n\n\t# note\n\n", "\n## doc\n"]
        tokens[choices.choice(ends)] = choices.choice(comments)


def lengthen(choices, tokens):
    """Gives a name of the program 5 to 60 more letters."""
    names = sorted({token for token in tokens if token[:1].isalpha() and token.islower()})
    if names:
        name = choices.choice(names)
        longer = name + "_" * choices.randrange(5, 60)
        tokens[:] = [longer if token == name else token for token in tokens]


def add_trailing_comma(choices, tokens):
    ends = [i for i, token in enumerate(tokens) if token in ("]", ")")]
    if ends:
        at = choices.choice(ends)
        tokens[at] = choices.choice([",", ",\n", ", # last\n"]) + tokens[at]


EDITS = [break_line, break_line, break_list, join_lines, change_blank, add_blank, add_comment,
         lengthen, lengthen, add_trailing_comma]


def check_seeds(server, seeds, options):
    for seed in seeds:
        source = source_of(seed)
        status, folder = server.run("format", source)
        problem = None
        if status not in ("exit 0", "exit 1"):
            problem = f"{status}\n{(folder / 'errors').read_text(errors='replace')}"
        yield seed, status == "exit 0", problem, source


def main():
    options = parse_options(__doc__)
    return run_all("reformatted", options, source_of, check_seeds)


if __name__ == "__main__":
    sys.exit(main())
