"""Tables of the results, in Markdown that is readable as plain text."""

import re
from importlib import metadata
from pathlib import Path

PACKAGES = ["numpy", "torch", "jax", "jaxlib", "iree-base-compiler", "iree-base-runtime",
            "onnxruntime", "scikit-learn", "safetensors"]


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


def factor(row, peer):
    return f"{row.seconds / peer.seconds:.2f}" if peer else "no peer"


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
    lines = [["", "time", "rounds from .. to", "best peer = 1", checked]
             + ["peak memory"] * has_memory + ["to ship"] * has_size + ["remarks"]]
    for row in sorted(rows, key=lambda row: row.seconds if not row.failure else float("inf")):
        if row.failure:
            cells = [row.name, "FAILED"]
            lines.append(cells + [""] * (len(lines[0]) - 3) + [row.failure.replace("|", "/")[:120]])
            continue
        times = [sample.seconds for sample in row.samples]
        lines.append(
            [row.name, time_text(row.seconds), f"{time_text(min(times))} .. {time_text(max(times))}",
             factor(row, peer), row.verdict]
            + [size_text(row.memory)] * has_memory + [size_text(row.size)] * has_size + [remark(row)])
    return grid(lines)


def summary(cases):
    """A line for each row of tdc, from a dictionary of titles and rows."""
    lines = [["", "by", "time", "best peer", "time", "tdc / best peer", "remarks"]]
    for title, rows in cases.items():
        peer = best(rows, "peer")
        of_peer = [peer.name, time_text(peer.seconds)] if peer else ["none", ""]
        for tdc in (row for row in rows if row.role == "tdc"):
            of_tdc = [time_text(tdc.seconds), *of_peer, factor(tdc, peer)] if tdc.counts else \
                ["FAILED" if tdc.failure else "WRONG", *of_peer, ""]
            shared = any(row.core_was_shared for row in (tdc, peer) if row)
            lines.append([title, tdc.name, *of_tdc, "core shared" if shared else ""])
    return grid(lines)


def processor():
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return found[1] if found else "unknown processor"


def file_name():
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"\(.*?\)", "", processor()).lower()).strip("-") + ".md"


def versions():
    installed = {found.name: found.version for found in metadata.distributions()}
    return ", ".join(f"{name} {installed.get(name, '(missing)')}" for name in PACKAGES)
