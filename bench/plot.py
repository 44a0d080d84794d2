#!/usr/bin/env python3
"""Pictures of ratios: a bar for each row, with its interval.

usage: plot.py PAGE.md [PICTURE.svg]

Draws the tables of a page that run.py --save or gpu/report.py has written, by default next to
it as PAGE.svg: the rows of one thread, if there are any.
"""

import html
import math
import re
import sys
from pathlib import Path

RATIO = re.compile(r"([\d.]+)(?: \[([\d.]+) \.\. ([\d.]+)\])?")
STYLE = """
  text { font: 12px sans-serif; fill: #24292f }
  .end { text-anchor: end } .middle { text-anchor: middle }
  .faster { fill: #2f6fbf } .slower { fill: #c2483a }
  path { fill: none; stroke: #24292f } .grid { stroke: #d5d9de }
  @media (prefers-color-scheme: dark) {
    text { fill: #dfe3e8 } path { stroke: #dfe3e8 } .grid { stroke: #3c434b }
  }"""
LEFT, RIGHT, WIDTH, ROW, TOP = 260, 700, 760, 18, 44  # px


def tables(text):
    """The rows of all tables of a page, each {heading: cell}."""
    heads = None
    for line in text.split("\n"):
        if not line.startswith("|"):
            heads = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not heads:
            heads = cells
        elif set("".join(cells)) - set("-"):
            yield dict(zip(heads, cells))


def seconds(cell):
    """The time in a cell, or none: "FAILED: ..."."""
    found = re.fullmatch(r"([\d.e+-]+) (µs|ms|s)", cell)
    return found and float(found[1]) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[found[2]]


def read(path):
    """The points (title, ratio, low end, high end), each title once; the ends are none
    where a page has no interval."""
    points = {}
    for row in tables(path.read_text(encoding="utf-8")):
        title = row.get("", "")
        own, *peers = (seconds(row.get(name, "")) for name in ("tdc", "jax", "torch"))
        peers = [time for time in peers if time]
        found = RATIO.fullmatch(row.get("best peer ÷ tdc [95 %]", ""))
        if title in points:
            continue
        if found:
            points[title] = tuple(float(end) if end else None for end in found.groups())
        elif own and peers:
            points[title] = (min(peers) / own, None, None)
    of_one = {title for title in points if not title.endswith(" threads")}
    return [(title, *ratio) for title, ratio in points.items() if title in of_one or not of_one]


def draw(points, path):
    """Draws points as read() gives them. Bars are on a logarithmic scale and begin at 1."""
    ends = [end for point in points for end in point[1:] if end] + [0.5, 2]
    low, high = (math.log2(end(ends)) for end in (min, max))

    def x(ratio):
        return LEFT + (RIGHT - LEFT) * (math.log2(ratio) - low) / (high - low)

    bottom = TOP + ROW * len(points)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 10}" '
             f'width="{WIDTH}">', f"<style>{STYLE}\n</style>",
             f'<text class="middle" x="{(LEFT + RIGHT) / 2}" y="14">'
             "time of the best peer ÷ time of tdc</text>"]
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = f"{x(2**power):.1f}"
        lines += [f'<path class="{"grid" if power else "one"}" d="M{at} {TOP - 6}V{bottom}"/>',
                  f'<text class="middle" x="{at}" y="{TOP - 12}">{2.0**power:g}</text>']
    for i, (title, ratio, first, last) in enumerate(points):
        y = TOP + ROW * i
        begin, end = sorted((x(1), x(ratio)))
        name = html.escape(title)
        lines += [f'<text class="end" x="{LEFT - 10}" y="{y + 13}">{name}</text>',
                  f'<rect class="{"faster" if ratio >= 1 else "slower"}" x="{begin:.1f}" '
                  f'y="{y + 3}" width="{end - begin:.1f}" height="{ROW - 6}">'
                  f"<title>{name}: {ratio:.2f}</title></rect>"]
        if first:
            lines.append(f'<path d="M{x(first):.1f} {y + ROW / 2}H{x(last):.1f}"/>')
        lines.append(f'<text x="{RIGHT + 10}" y="{y + 13}">{ratio:.2f}</text>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")


def main():
    page = Path(sys.argv[1])
    draw(read(page), Path(sys.argv[2]) if len(sys.argv) > 2 else page.with_suffix(".svg"))


if __name__ == "__main__":
    main()
