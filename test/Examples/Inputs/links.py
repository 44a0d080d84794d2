#!/usr/bin/env python3
"""Checks that the links of Markdown pages lead somewhere.

usage: links.py ROOT [PAGE...]

Of each PAGE, by default the pages of ROOT, of its folders docs, bench and examples: the file of a
link or picture exists, its anchor is that of a heading, and so is the file of a mention such
as `docs/Placement.md`. Anchors are made from headings as GitHub makes them. If ROOT has
a site, all of its pages but those of examples are in the navigation.
"""

import re
import sys
from pathlib import Path

CODE = re.compile(r"^```.*?^```$|^~~~.*?^~~~$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
HEADING = re.compile(r"^#{1,6} +(.*?)(?: #+)?$", re.MULTILINE)
MENTION = re.compile(r"`((?:docs|bench|examples|test|scripts|lib|tools|runtime|include)/[\w./-]+"
                     r"\.(?:md|py|sh|tdsl|svg|png))`")


def anchors(page):
    """The anchors of the headings of a page; equal ones are numbered."""
    found = set()
    for heading in HEADING.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        words = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = anchor = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
        number = 0
        while anchor in found:
            number += 1
            anchor = f"{name}-{number}"
        found.add(anchor)
    return found


def check(root, page):
    """Returns the number of links and mentions, and those that lead nowhere."""
    code_free = CODE.sub("", page.read_text(encoding="utf-8"))
    links = [link for link in LINK.findall(SPAN.sub("", code_free))
             if not re.match(r"\w+:", link)]
    problems = []
    for link in links:
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists():
            problems.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors(target):
            problems.append(f"{link}: there is no such heading")
    mentions = MENTION.findall(code_free)
    problems += [f"{mention}: there is no such file" for mention in mentions
                 if not (root / mention).exists()]
    return len(links) + len(mentions), problems


def find_omitted(root, pages):
    """The pages that the navigation of the site leaves out."""
    site = root / "scripts/site/mkdocs.yml"
    if not site.exists():
        return []
    listed = set(re.findall(r"^ +- (?:\w+: )?([\w./-]+\.md)$", site.read_text(), re.MULTILINE))
    names = (str(page.relative_to(root)) for page in pages if page.is_relative_to(root))
    return [name for name in names if name not in listed and not name.startswith("examples/")]


def main():
    root = Path(sys.argv[1]).resolve()
    pages = [Path(page).resolve() for page in sys.argv[2:]] or sorted(
        [*root.glob("*.md"), *(page for folder in ("docs", "bench", "examples")
                               for page in (root / folder).rglob("*.md"))])
    count = failed = 0
    for page in pages:
        links, problems = check(root, page)
        count += links
        failed += len(problems)
        for problem in problems:
            print(f"{page.relative_to(root) if page.is_relative_to(root) else page}: {problem}")
    for name in find_omitted(root, pages):
        failed += 1
        print(f"{name}: not in the navigation of the site")
    print(f"{len(pages)} pages, {count} links, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
