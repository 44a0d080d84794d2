"""Tables of the results, in Markdown that is readable as plain text."""

import math
import re
import statistics
from importlib import metadata
from pathlib import Path

import plot

PACKAGES = ["numpy", "torch", "jax", "jaxlib", "iree-base-compiler", "iree-base-runtime",
            "onnxruntime", "openvino", "scipy-openblas32", "scikit-learn", "safetensors"]


def time_text(seconds):
    for unit, size in ("s", 1), ("ms", 1e-3), ("µs", 1e-6):
        if seconds >= size:
            break
    digits = max(0, 3 - len(str(int(seconds / size))))
    return f"{seconds / size:.{digits}f} {unit}"


def size_text(count):
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.0f} kB"


def best(rows, role):
    """The fastest of the rows with that role and valid figures, or None."""
    return min((row for row in rows if row.role == role and row.counts),
               key=lambda row: row.seconds, default=None)


def remark(row):
    remarks = [text for applies, text in (
        (row.is_wrong, "**WRONG**"),
        (row.role == "bound", "lower bound, not a peer"),
        (row.core_was_shared, "core shared")) if applies]
    return ", ".join(remarks)


def median_interval(values, confidence=0.95):
    """The median, and the ends of the interval that has the median of what the values are
    samples of, whatever their distribution: the k-th smallest and the k-th largest value
    enclose it unless fewer than k are below it, or above it, which coins say. With fewer
    than 6 values even the smallest and the largest say less; then the ends are none."""
    values = sorted(values)
    count, outside, k = len(values), 0.0, 0
    while outside + 2 * math.comb(count, k) / 2**count <= 1 - confidence:
        outside += 2 * math.comb(count, k) / 2**count
        k += 1
    ends = (values[k - 1], values[-k]) if k else (None, None)
    return statistics.median(values), *ends


def ratio(row, other):
    """How many times as long `other` takes, round by round."""
    return median_interval(theirs.seconds / ours.seconds
                           for theirs, ours in zip(other.samples, row.samples))


def ratio_text(row, other):
    if not other:
        return "no peer"
    middle, low, high = ratio(row, other)
    return f"{middle:.2f}" + (f" [{low:.2f} .. {high:.2f}]" if low is not None else "")


def grid(lines):
    """Formats cells as a Markdown table with aligned columns; the first line is
    the heading."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    lines = [lines[0], ["-" * width for width in widths], *lines[1:]]
    return "\n".join("| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in lines)


def table(rows, checked):
    peer = best(rows, "peer")
    has_memory = any(row.samples and row.memory for row in rows)
    has_size = any(row.size for row in rows)
    has_cores = rows[0].threads > 1
    lines = [["", "time", "rounds from .. to", "best peer ÷ it [95 %]", checked]
             + ["cores"] * has_cores + ["peak memory"] * has_memory + ["to ship"] * has_size
             + ["remarks"]]
    for row in sorted(rows, key=lambda row: row.seconds):
        if row.failure:
            cells = [row.name, "FAILED"]
            lines.append(cells + [""] * (len(lines[0]) - 3) + [row.failure.replace("|", "/")[:120]])
            continue
        if not row.samples:
            cells = [row.name, "", "", "", row.verdict]
            lines.append(cells + [""] * (len(lines[0]) - 6) + [remark(row)])
            continue
        times = [sample.seconds for sample in row.samples]
        lines.append(
            [row.name, time_text(row.seconds),
             f"{time_text(min(times))} .. {time_text(max(times))}", ratio_text(row, peer),
             row.verdict]
            + [f"{row.cores:.1f}"] * has_cores
            + [size_text(row.memory) if row.memory else ""] * has_memory
            + [size_text(row.size)] * has_size + [remark(row)])
    return grid(lines)


def summary(cases):
    """A line for each row of tdc, from a dictionary of titles and rows. The bound is that
    of the machine, or a program written by hand."""
    lines = [["", "by", "time", "best peer", "time", "best peer ÷ tdc [95 %]",
              "bound ÷ tdc", "remarks"]]
    for title, rows in cases.items():
        peer, bound = best(rows, "peer"), best(rows, "bound")
        of_peer = [peer.name, time_text(peer.seconds)] if peer else ["none", ""]
        for tdc in (row for row in rows if row.role == "tdc"):
            of_tdc = [time_text(tdc.seconds), *of_peer, ratio_text(tdc, peer),
                      f"{ratio(tdc, bound)[0]:.2f}" if bound else ""] if tdc.counts else \
                ["FAILED" if tdc.failure else "WRONG" if tdc.is_wrong else "", *of_peer, "", ""]
            remarks = ["core shared"] * any(row.core_was_shared for row in (tdc, peer) if row)
            if tdc.counts and tdc.threads > 1:
                remarks.append(f"tdc used {tdc.cores:.1f} cores")
            lines.append([title, tdc.name, *of_tdc, ", ".join(remarks)])
    return grid(lines)


def save(text, folder):
    folder.mkdir(exist_ok=True)
    target = folder / file_name()
    target.write_text(f"{text}\n\n![ratios]({target.stem}.svg)\n", encoding="utf-8")
    plot.draw(plot.read(target), target.with_suffix(".svg"))


def processor():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else "unknown processor"


def file_name():
    name = re.sub(r"\(.*?\)", "", processor()).lower()
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-") + ".md"


def versions():
    installed = {found.name: found.version for found in metadata.distributions()}
    return ", ".join(f"{name} {installed.get(name, '(missing)')}" for name in PACKAGES)
