"""Tests the pages of `tdc emit --graph=html` in a browser.

    graphs.py CHROMIUM FOLDER PROGRAM [OPTION...] [, PROGRAM [OPTION...]]...

At 1280 and 800 pixels, no two texts overlap and none is cut off or outside of the page.
Each drawn copy is in `tdc report`, with the same bytes. The standalone picture is the
same XML. If labels are moved onto each other, the same checks must fail.
"""

import json
import re
import subprocess
import xml.etree.ElementTree

import pages


def emit(form, program, *options):
    return subprocess.run(["tdc", "emit", f"--graph={form}", *options, program],
                          capture_output=True, text=True, check=True).stdout


def get_texts(svg):
    root = xml.etree.ElementTree.fromstring(svg)
    return [(text.get("class"), text.text)
            for text in root.iter("{http://www.w3.org/2000/svg}text")]


def check(program):
    report = json.loads(pages.report(*program, "--json"))
    copies = {f"{site['what']}, {site['bytesOfOne']['number']} B"
              for site in report["sites"]}
    svg, page = emit("svg", *program), emit("html", *program)
    texts = get_texts(svg)
    problems = [f"no copy: {text}" for kind, text in texts
                if kind == "label" and text not in copies]
    if get_texts(page[page.index("<svg"):page.index("</svg>") + 6]) != texts:
        problems.append("the page and the picture differ")
    if emit("svg", *program) != svg:
        problems.append("two pictures differ")
    return problems + pages.Nesting(page).problems, page


def main():
    chromium, folder, programs = pages.read_arguments()
    wrong, shown, names = 0, [], []
    for program in programs:
        problems, page = check(program)
        for problem in problems:
            print(f"{program[0]}: {problem}")
        wrong += len(problems)
        shown += [(page, width) for width in pages.WIDTHS]
        names += [f"{program[0]} at {width}" for width in pages.WIDTHS]
    first = shown[0][0]
    shown.append((re.sub(r'(class="label") x="\d+" y="\d+"', r'\1 x="90" y="20"', first),
                  pages.WIDTHS[0]))
    *results, spoiled = pages.measure(chromium, folder, shown)
    texts = sum(result["texts"] for result in results)
    for name, result in zip(names, results, strict=True):
        for problem in result["problems"]:
            print(f"{name}: {problem}")
        wrong += len(result["problems"])
    if not any("overlaps" in problem for problem in spoiled["problems"]):
        print("labels on each other are not found")
        wrong += 1
    print(f"{len(names)} pages, {texts} texts, {wrong} wrong")


if __name__ == "__main__":
    main()
