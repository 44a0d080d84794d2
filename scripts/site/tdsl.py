"""What MkDocs does with the pages of tdc in addition, as hooks of MkDocs.

The colours of tdsl programs are those of Pygments' Python, with the keywords of tdsl. A
mention of a page, `docs/Language.md`, becomes a link.
"""

import posixpath
import re
import sys
from pathlib import Path

from pygments.lexers import LEXERS, PythonLexer
from pygments.token import Keyword, Name

__all__ = ["TdslLexer"]

MENTION = re.compile(r"(?<!\[)`((?:docs|bench)/[\w./-]+\.md|CONTRIBUTING\.md)`")
LEXER = (Path(__file__).resolve().parents[2] / "include/Frontend/Lexer.h").read_text()
KEYWORDS = {*re.findall(r'KEYWORD\(\w+, "(\w+)"\)', LEXER),
            *re.search(r"Soft keywords \(`([\w ]+)`\)", LEXER)[1].split()}
CONSTANTS = {"false", "none", "true"}


class TdslLexer(PythonLexer):
    name = "tdsl"
    aliases = ["tdsl"]
    filenames = ["*.tdsl"]
    priority = 0

    def get_tokens_unprocessed(self, text):
        for index, token, value in super().get_tokens_unprocessed(text):
            if token in Name and token not in Name.Builtin:  # as `self`
                if value in CONSTANTS:
                    token = Keyword.Constant
                elif value in KEYWORDS:
                    token = Keyword.Declaration
            yield index, token, value


sys.modules["tdsl_lexer"] = sys.modules[__name__]
LEXERS["TdslLexer"] = ("tdsl_lexer", "tdsl", ("tdsl",), ("*.tdsl",), ())


def on_page_markdown(markdown, page, files, **_):
    def link(mention):
        if not files.get_file_from_path(mention[1]):
            return mention[0]
        path = posixpath.relpath(mention[1], posixpath.dirname(page.file.src_uri))
        return f"[{mention[0]}]({path})"

    return MENTION.sub(link, markdown)
