"""Python programs whose names share no tensor or list: what they print shows whether a program
depends on sharing."""

import ast

import torch


def copied(value):
    """A value of its own; models, iterators and numbers are what they are."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return type(value)(map(copied, value))
    return value


class Separate(ast.NodeTransformer):
    """Copies what gets a name: by an assignment, a call, a loop, or a function's result."""

    @staticmethod
    def copy(value):
        return ast.Call(ast.Name("copied", ast.Load()), [value], [])

    def visit_Assign(self, node):
        self.generic_visit(node)
        node.value = self.copy(node.value)
        return node

    visit_AugAssign = visit_Return = visit_Assign

    def visit_Call(self, node):
        self.generic_visit(node)
        # `untyped_storage` and its like, of the prelude, are of the tensor itself.
        node.args = [one if isinstance(one, ast.Starred) else self.copy(one) for one in node.args]
        return node

    def visit_For(self, node):
        self.generic_visit(node)
        names = [one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)]
        node.body[:0] = [ast.Assign([ast.Name(name, ast.Store())],
                                    self.copy(ast.Name(name, ast.Load()))) for name in names]
        return node


def separate(text):
    """The program, compiled so that it needs `copied` among its names."""
    tree = ast.fix_missing_locations(Separate().visit(ast.parse(text)))
    return compile(tree, "separate", "exec")
