"""Makes a failing program smaller: delta debugging on its tree.

The reductions: to end after a statement and save its definition, to leave out runs of
statements, to replace a loop or a choice by its body, to loop less, to train less. A
smaller program that cannot be computed (a name is missing) is no program.
"""

import copy
import dataclasses

from generate import compute_program
from tree import Choice, Let, Loop, Save
from training import Training
from values import Value


def shrink(program, fails):
    """The smallest program found for which fails(program) is true still."""
    progress = True
    while progress:
        progress = False
        for smaller in candidates(program):
            if fails(smaller):
                program, progress = smaller, True
                break
    return program


def candidates(program):
    """Programs that are smaller in one way, the smallest first."""
    yield from ended_early(program)
    for path, block in blocks(program):
        size = len(block)
        while size:
            for start in range(0, len(block) - size + 1, max(size // 2, 1)):
                yield replaced(program, path, block[:start] + block[start + size:])
            size //= 2
    for path, block in blocks(program):
        for i, statement in enumerate(block):
            for other in instead(statement):
                yield replaced(program, path, block[:i] + other + block[i + 1:])


def ended_early(program):
    """The program up to each of its definitions, which is saved then."""
    names = compute_program(program)
    body = [statement for statement in program if not isinstance(statement, Save)]
    for i, statement in enumerate(body):
        value = names.get(statement.name) if isinstance(statement, Let) else None
        if isinstance(value, Value) and i + 2 < len(program):
            yield [*body[:i + 1], Save(statement.name, value.dtype)]


def instead(statement):
    """Lists of statements that may take the place of one."""
    if isinstance(statement, Loop):
        yield statement.body
        if statement.times != 1:
            yield [dataclasses.replace(statement, times=1)]
    elif isinstance(statement, Choice):
        yield statement.then
        yield statement.other
    elif isinstance(statement, Training):
        for smaller in statement.smaller():
            yield [smaller]


def blocks(program, path=()):
    """Every list of statements with the way to it."""
    yield path, program
    for i, statement in enumerate(program):
        for j, part in enumerate(statement.parts()):
            yield from blocks(part, (*path, (i, j)))


def replaced(program, path, block):
    """The program with another list of statements at the end of the way."""
    if not path:
        return block
    (i, j), *rest = path
    statement = copy.copy(program[i])
    for field in dataclasses.fields(statement):
        if getattr(statement, field.name) is statement.parts()[j]:
            setattr(statement, field.name, replaced(getattr(statement, field.name), rest, block))
            break
    return [*program[:i], statement, *program[i + 1:]]


def count_ops(program):
    """Statements other than those that only show a result."""
    return sum(statement.count() for statement in program if not isinstance(statement, Save))
