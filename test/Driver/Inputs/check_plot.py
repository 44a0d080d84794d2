"""Compares a picture of `tdc run --plot` with the lines that the program printed.

    check_plot.py PICTURE OUTPUT [CURVE PATTERN]...

The groups of a PATTERN are the number that counts the lines, or the epoch and one of its four
steps, and the value. Each point must lie where the texts of the ticks say that
its numbers are."""

import re
import sys
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
STEPS = 4  # of an epoch


def find_place(ticks, number):
    """The coordinate of a number, from the first and the last tick."""
    (first, start), (last, end) = ticks[0], ticks[-1]
    return start + (end - start) * (number - first) / (last - first)


def read_ticks(texts, kind, side):
    return [(float(text.text), float(text.get(side)) - (4 if side == "y" else 0))
            for text in texts if kind in text.get("class").split()]


def read_panels(svg):
    """The title of each panel, its texts and its curves."""
    panels = []
    for element in svg:
        kind = element.get("class") or ""
        if kind == "name":
            panels.append((element.text, [], []))
        elif element.tag == SVG + "text":
            panels[-1][1].append(element)
        elif kind.startswith("curve"):
            panels[-1][2].append(element)
    return panels


def read_expected(output, pattern):
    points = []
    for line in re.findall(f"(?m)^{pattern}", output):
        *count, value = map(float, line)
        points.append((count[0] + (count[1] / STEPS if count[1:] else 0), value))
    return points


def check(curve, texts, points, printed):
    path = curve.find(f"{SVG}path[@class='line']").get("d")
    drawn = [tuple(map(float, point.split())) for point in re.findall(r"[ML]([^MLh]*)", path)]
    xs, ys = read_ticks(texts, "x", "x"), read_ticks(texts, "y", "y")
    wrong = len(drawn) != len(points)
    for (x, y), (at, value) in zip(drawn, points):
        wrong += abs(find_place(xs, at) - x) > 0.2 or abs(find_place(ys, value) - y) > 0.2
    last = re.findall(r"the last is ([^ %]*)", curve.find(SVG + "title").text)
    labels = " ".join(text.text for text in texts if "label" in text.get("class"))
    return wrong + (last != [printed]) + (printed not in labels)


def main():
    svg = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
    with open(sys.argv[2], encoding="utf-8") as file:
        output = file.read()
    expected = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    panels = read_panels(svg)
    print(", ".join(title for title, _, _ in panels))
    curves = points = wrong = 0
    for _, texts, drawn in panels:
        for curve in drawn:
            name, count = re.fullmatch(r"(.*): (\d+) points, .*",
                                       curve.find(SVG + "title").text).groups()
            numbers = read_expected(output, expected.pop(name))
            printed = re.findall(f"(?m)^{dict(zip(sys.argv[3::2], sys.argv[4::2]))[name]}",
                                 output)[-1][-1]
            axis = [text.text for text in texts if "axis-name" in text.get("class")]
            wrong += axis != [name.rpartition(" over ")[2]] or int(count) != len(numbers)
            wrong += check(curve, texts, numbers, printed)
            curves, points = curves + 1, points + len(numbers)
    print(f"{curves} curves, {points} points, {wrong + len(expected)} wrong")


if __name__ == "__main__":
    main()
