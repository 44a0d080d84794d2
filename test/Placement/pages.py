"""Tests the pages of `tdc report --html` in a browser.

    pages.py CHROMIUM FOLDER PROGRAM [OPTION...] [, PROGRAM [OPTION...]]...

Each page, at 1280 and 800 pixels: no two texts overlap, none is cut off or outside
of the page, each number is the one that --json has at the place that it names
(`data-json`), each mark is as large as its number, no required part of a page is missing,
and its text answers the questions of docs/Placement.md. The same checks must find the
mistakes in corrupted pages.
"""

import collections
import html.parser
import json
import math
import pathlib
import re
import subprocess
import sys

WIDTHS = (1280, 800)
SHOWN = 5  # problems of one page that are printed


def report(program, *options):
    done = subprocess.run(["tdc", "report", *options, program],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{program}: {done.stderr}"
    return done.stdout


#===--- The numbers of --json ---===#


def find(data, path):
    for name in path.split("."):
        data = data[int(name) if isinstance(data, list) else name]
    return data["formula"] if isinstance(data, dict) else str(data)


def add(formulas):
    """Returns the sum of formulas such as "8 + 2 x iterations(12)", in tdc's spelling."""
    total = collections.Counter()
    for summand in " + ".join(formulas).split(" + "):
        number, _, product = re.fullmatch(r"(?:(\d+)( x |$))?(.*)", summand).groups()
        total[product] += int(number or 1)
    known = total.pop("", 0)
    parts = [str(known)] if known or not any(total.values()) else []
    parts += [product if times == 1 else f"{times} x {product}"
              for product, times in sorted(total.items())]
    return " + ".join(parts)


def check_numbers(data, figures):
    problems = []
    for figure in figures:
        paths = figure["path"].split()
        try:
            values = [find(data, path) for path in paths]
        except (KeyError, IndexError, ValueError):
            problems.append(f"--json has no {figure['path']}")
            continue
        value = values[0] if len(values) == 1 else add(values)
        if value != figure["text"]:
            problems.append(f"{figure['path']} is {value}, the page has "
                            f"{figure['text']}")
    return problems


#===--- Marks ---===#


def check_marks(data, figures):
    """Checks that bars and profile steps are as large as their numbers, and arrows as the
    logarithm of their bytes."""
    problems = []
    scales = collections.defaultdict(list)
    for figure in figures:
        field = figure["path"].split(".")[-1]
        if figure["mark"] == "path":
            # The bytes of one copy, if the number of copies is known only at run time.
            first = figure["path"].split()[0]
            number = next((int(text) for text in (
                figure["text"], find(data, first.replace("bytes", "bytesOfOne")))
                if text.isdigit()), 1)
            head = 10 + min(1 + math.log10(max(number, 1)), 10)
            if abs(figure["height"] - head) > 0.5:
                problems.append(f"the arrow of {figure['path']} is "
                                f"{figure['height']} px high, not {head}")
        elif figure["mark"] == "rect":
            picture = figure["path"].split(".work.")[0].split(".")
            is_memory = picture[0] == "memory"
            side = figure["height" if is_memory else "width"]
            of = ".".join(picture) if picture[0] == "lanes" else is_memory
            scales[of, field].append((int(figure["text"]), side))
    for (_, field), marks in scales.items():
        most, longest = max(marks)
        problems += [f"{number} of {most} ({field}) is {side} of {longest} px"
                     for number, side in marks
                     if abs(side - longest * number / max(most, 1)) > 1]
    return problems


def check_complete(data, figures):
    """Checks that every copy has an arrow at the line that needs it and a row in the table,
    and that every step and peak is shown."""
    paths = collections.Counter(path for figure in figures
                                for path in figure["path"].split())
    arrows = {path: figure for figure in figures if figure["mark"] == "path"
              for path in figure["path"].split()}
    problems = []
    needed = [f"peaks.{i}.bytes" for i in range(len(data["peaks"]))]
    needed += [f"peaks.{i}.holders.{k}.bytes" for i, peak in enumerate(data["peaks"])
               for k in range(len(peak["holders"]))]
    needed += [f"memory.{i}.bytes.{k}" for i in range(len(data["memory"]))
               for k in range(len(data["devices"]))]
    needed += [f"steps.{i}.{when}.copies" for i, step in enumerate(data["steps"])
               for when in ("always", "sometimes")
               if step[when]["copies"]["formula"] != "0"]
    needed += [f"waits.{i}.times" for i in range(len(data["waits"]))]
    for i, lanes in enumerate(data["lanes"]):
        needed += [f"lanes.{i}.length"]
        needed += [f"lanes.{i}.rows.{k}.busy" for k in range(len(lanes["rows"]))]
        needed += [f"lanes.{i}.work.{k}.length" for k in range(len(lanes["work"]))]
    needed += ["placed.copies", "placed.bytes"]
    if "bound" in data:
        needed += ["bound.copies", "bound.bytes", "gap.copies", "gap.bytes"]
    for i, site in enumerate(data["sites"]):
        needed.append(f"sites.{i}.copies")
        arrow = arrows.get(f"sites.{i}.bytes")
        if not arrow:
            problems.append(f"copy {i + 1} has no arrow")
            continue
        # Several parameters that are copied together are at the line of the first.
        first = data["sites"][int(arrow["path"].split(".")[1])]
        line = first.get("reader", first)["line"]
        if arrow["line"] != line:
            problems.append(f"copy {i + 1} is needed on line {line}, its arrow is "
                            f"on line {arrow['line']}")
    problems += [f"the page does not show {path}" for path in needed if not paths[path]]
    return problems


#===--- The file ---===#


class Nesting(html.parser.HTMLParser):
    """Finds unclosed elements, scripts, and references to other files."""

    def __init__(self, text):
        super().__init__()
        self.open, self.problems = [], []
        self.feed(text)
        if self.open:
            self.problems.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            self.open.append(tag)
        if tag in ("script", "link", "img", "iframe"):
            self.problems.append(f"there is a <{tag}>")
        for name, value in attributes:
            if name.startswith("on") or name == "href" and value[0] != "#":
                self.problems.append(f"<{tag}> has {name}={value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> at {self.getpos()}")


#===--- The text of the page ---===#


class Rows(html.parser.HTMLParser):
    """Returns the texts of table rows and headings, in order."""

    def __init__(self, text):
        super().__init__()
        self.rows = [""]
        self.feed(text)
        self.rows = [" ".join(row.split()) for row in self.rows if row.strip()]

    def handle_starttag(self, tag, attributes):
        if tag in ("tr", "h2", "h3", "caption"):
            self.rows.append("")
        elif tag in ("td", "th"):
            self.rows[-1] += " "

    def handle_endtag(self, tag):
        if tag in ("tr", "h2", "h3", "caption"):
            self.rows.append("")

    def handle_data(self, data):
        self.rows[-1] += data


def spell_lines(data, sites):
    """Returns the lines where copies are needed, or else made."""
    lines = {}
    for site in sites:
        site = data["sites"][site - 1]
        of = site.get("reader", site)
        if of["line"]:
            lines[f"line {of['line']}"] = None
    return lines


def check_answers(data, text):
    """Checks that the page's text has the number of copies of a step, the lines that they are
    for, the peak of each device and its largest holder."""
    rows = Rows(text).rows
    problems = []
    for step in data["steps"]:
        name = (f"a call of {step['calls']}" if "calls" in step else
                f"an iteration of line {step['line']}" if "loop" in step else "once")
        copies = [step[when]["copies"]["formula"] for when in ("always", "sometimes")]
        answers = [f"{number} cop" for number in copies if number != "0"]
        answers += spell_lines(data, step["sites"])
        if not any(row.startswith(name) and all(answer in row for answer in answers)
                   for row in rows):
            problems.append(f"the page does not answer what {name} copies: {answers}")
    for peak in data["peaks"]:
        how = ("" if peak["bytes"]["exact"] else
               "about " if peak["bytes"]["number"] is None else "at most ")
        heading = re.compile(rf"\S+ {peak['device']}: {how}"
                             rf"{re.escape(peak['bytes']['formula'])} B" +
                             (rf", at .*line {peak['line']}" if peak["line"] else ""))
        at = next((i for i, row in enumerate(rows) if heading.fullmatch(row)), None)
        if at is None:
            problems.append(f"the page does not answer what the peak of "
                            f"{peak['device']} is")
            continue
        # The gaps between tensors are listed last.
        most = max((holder["bytes"] for holder in peak["holders"] if holder["tensors"]),
                   default=0)
        of = [row for row in rows[at:] + ["", ""]
              if not row.endswith("largest tensors at the peak")
              and "line by line" not in row]
        if most and not (of[1].endswith(f" {most} B") and
                         any(holder["what"] in of[1] for holder in peak["holders"]
                             if holder["bytes"] == most)):
            problems.append(f"the page does not answer what holds most of "
                            f"{peak['device']}: {of[1]}")
    return problems


#===--- In the browser ---===#


def measure(chromium, folder, pages):
    """Returns the result of measure.js for each (page, width)."""
    script = (pathlib.Path(__file__).parent / "measure.js").read_text()
    data = json.dumps([{"html": page, "width": width} for page, width in pages])
    data = data.replace("<", "\\u003c")
    harness = folder / "harness.html"
    harness.write_text(f"""<!doctype html><meta charset="utf-8"><body><script>
{script}
window.onload = async () => {{
  const found = document.createElement("pre");
  found.id = "found";
  found.textContent = JSON.stringify(await measure({data}));
  document.body.append(found);
}};
</script>""")
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage",
         f"--user-data-dir={folder / 'browser'}", "--window-size=1400,1000",
         "--virtual-time-budget=100000", "--dump-dom", harness.as_uri()],
        capture_output=True, text=True)
    found = re.search(r'<pre id="found">(.*)</pre>', done.stdout, re.DOTALL)
    assert found, f"the browser gave nothing: {done.stderr[-2000:]}"
    return json.loads(html.unescape(found[1]))


def check_badges(data, badges):
    """Checks that each line of the program shows the devices that compute it."""
    expected = [[line["line"], "runs on " + " and ".join(line["devices"])]
                for line in data["lines"] if "file" not in line]
    return [f"a line differs from --json: {one}"
            for one in badges + expected if (one in badges) != (one in expected)]


def problems_of(data, text, result):
    return (result["problems"] + check_badges(data, result["badges"]) +
            check_numbers(data, result["figures"]) +
            check_marks(data, result["figures"]) +
            check_complete(data, result["figures"]) + check_answers(data, text))


SPOILERS = {
    "overlaps": lambda page: page.replace(
        "</style>", ".copy .label { position: relative; top: -9px }</style>"),
    "cut off": lambda page: page.replace(
        "</style>", "h1 { width: 40px; white-space: nowrap; overflow: hidden }</style>"),
    "outside": lambda page: page.replace("</style>", "h1 { margin-left: -99px }</style>"),
    "the page has": lambda page: re.sub(
        r'(data-json="placed.bytes">)', r"\g<1>1", page),
    "px high": lambda page: page.replace(
        "</style>", ".copy path { transform: scale(1.2) }</style>"),
    "its arrow is on line": lambda page: page.replace("-line-14\"", "-line-12\""),
    "differs from --json": lambda page: page.replace("runs on cpu", "runs on cuda:0"),
    "does not show": lambda page: page.replace('data-json="gap.copies"', ""),
    "does not answer what an iteration": lambda page: page.replace("an iteration of", "a round of"),
    "does not answer what the peak": lambda page: page.replace(" B, at ", " B, near "),
    "does not answer what holds": lambda page: re.sub(
        r"largest tensors at the peak.*?</tr>", "", page, flags=re.DOTALL),
    "--json has no": lambda page: page.replace('"placed.copies"', '"placed.copied"'),
}


def read_arguments():
    """Returns the browser, the folder, which it creates, and the programs with their
    options."""
    chromium, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    programs = [part.split("\n") for part in "\n".join(sys.argv[3:]).split("\n,\n")]
    return chromium, folder, programs


def main():
    chromium, folder, programs = read_arguments()
    failed, cases, pages = 0, [], []
    for program in programs:
        data = json.loads(report(*program, "--json"))
        page = folder / (pathlib.Path(program[0]).stem + ".html")
        report(*program, "--html", page)
        text = page.read_text()
        for problem in Nesting(text).problems:
            print(f"{page.name}: {problem}")
            failed += 1
        for width in WIDTHS:
            cases.append((f"{page.name} at {width}", data, None))
            pages.append((text, width))
        if program is programs[0]:
            for expected, spoil in SPOILERS.items():
                cases.append((f"a page that {expected}", data, expected))
                pages.append((spoil(text), WIDTHS[0]))
    texts = numbers = 0
    for (name, data, expected), (text, _), result in zip(
            cases, pages, measure(chromium, folder, pages), strict=True):
        problems = problems_of(data, text, result)
        if expected:
            if not any(expected in problem for problem in problems):
                print(f"{name} is not found")
                failed += 1
            continue
        texts += result["texts"]
        numbers += len(result["figures"])
        for problem in problems[:SHOWN]:
            print(f"{name}: {problem}")
        failed += bool(problems)
    print(f"{len(pages) - len(SPOILERS)} pages, {texts} texts, {numbers} numbers, "
          f"{failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
