"""The report of rows: DIR/report.md with its picture, of finished or unfinished runs."""

import sys

import rows
from machine import HERE

sys.path.append(str(HERE.parent))
import plot  # noqa: E402

CHECKS = {"program": "Programs", "module": "Modules of the op table", "error": "Errors",
          "sanitizer": "compute-sanitizer"}

OVERLAPS = ["simulated", "gpu", "gpu-large"]


def sum_up(row):
    """Summarizes a row in a few words."""
    if row["problem"]:
        return f"WRONG: {row['problem']}"
    if "skipped" in row:
        return f"skipped: {row['skipped']}"
    if row["kind"] == "parallel":
        if "efficiency" in row:
            return (f"{in_time(row['one'])} on one GPU, {in_time(row['seconds'])} on "
                    f"{row['gpus']}: efficiency {row['efficiency']:.2f}")
        return f"{row['gpus']} GPUs as one, {row['apart']:.2g} apart"
    if row["kind"] == "peak":
        return f"{row['rate']:.4g} {row['unit']}"
    if row["kind"] == "time":
        rate = f", {row['work'] / row['seconds']:.4g} {row['unit']}" if row["work"] else ""
        return in_time(row["seconds"]) + rate
    if row["kind"] == "overlap":
        return ", ".join(f"{name} {row[name]['hidden']:.2f} hidden"
                         for name in OVERLAPS if name in row)
    return f"{row['equal']} of {row['made']} equal"


def in_time(seconds):
    return f"{seconds * 1e3:.4g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.4g} µs"


def describe(machine):
    peers = ", ".join(f"{name} {version[:80]}" for name, version in machine["peers"].items())
    cuda, minor = divmod(machine["cuda"], 1000)
    return [f"# {machine['gpu']}, {machine['date'][:10]}", "",
            f"{machine['tdc']}; driver {machine.get('driver', 'not known')}, CUDA "
            f"{cuda}.{minor // 10}, compute capability {machine['major']}."
            f"{machine['minor']}, {machine['multiprocessors']} multiprocessors, "
            f"{machine['memory_bytes'] / 2**30:.0f} GiB; peers: {peers or 'none'}."] + (
        ["Times are those of the simulation, with small sizes: no speed of anything."]
        if machine["simulated"] else [])


def list_checks(all_rows):
    lines = []
    for kind, title in CHECKS.items():
        if found := [row for row in all_rows if row["kind"] == kind]:
            wrong = [row for row in found if row["problem"]]
            lines += ["", f"## {title}", f"{sum(row['made'] for row in found)} made in "
                      f"{len(found)} rows, {len(wrong)} wrong; "
                      f"{sum(row['equal'] for row in found)} as on the simulated driver to "
                      "the last bit."]
            lines += [f"- {row['name']}, {row['system']}: {row['problem']}" for row in wrong]
    return lines


def list_peaks(peaks):
    if not peaks:
        return []
    return ["", "## Peaks of this machine", "| | rate | clock | power |", "| --- " * 4 + "|"] + [
        f"| {row['name']} | {sum_up(row)} | {extreme(row, 'sm_mhz', 'MHz')} | "
        f"{extreme(row, 'watts', 'W')} |" for row in peaks]


def extreme(row, field, unit):
    """The least and the most value of a field while a row was measured."""
    state = row["state"]
    if not isinstance(state, dict) or field not in state["least"]:
        return ""
    return f"{state['least'][field]:.0f} to {state['most'][field]:.0f} {unit}"


def list_times(all_rows):
    found = [row for row in all_rows if row["kind"] == "time"]
    if not found:
        return []
    peers = sorted({row["system"] for row in found} - {"tdc"})
    titles = ["", "tdc", "rate", "of the peak", "rounds", "clock",
              *[title for peer in peers for title in (peer, f"tdc / {peer}")]]
    lines = ["", "## Times", f"| {' | '.join(titles)} |", "| --- " * len(titles) + "|"]
    times = {(row["name"], row["system"]): row for row in found}
    for name in dict.fromkeys(row["name"] for row in found):
        tdc = times.get((name, "tdc"))
        cells = [name, *tdc_cells(tdc)]
        for peer in peers:
            cells += peer_cells(tdc, times.get((name, peer)))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def tdc_cells(row):
    if row is None or row["problem"]:
        return [f"FAILED: {row['problem']}" if row else "", "", "", "", ""]
    rate = f"{row['work'] / row['seconds']:.4g} {row['unit']}" if row["work"] else ""
    spread = (max(row["rounds"]) - min(row["rounds"])) / 2 / row["iterations"] / row["seconds"]
    return [in_time(row["seconds"]), rate,
            f"{row['of peak']:.1%}" if "of peak" in row else "", f"± {spread:.1%}",
            extreme(row, "sm_mhz", "MHz")]


def peer_cells(tdc, row):
    if row is None or row["problem"]:
        return [f"FAILED: {row['problem']}" if row else "", ""]
    ratio = f"{tdc['seconds'] / row['seconds']:.2f}" if tdc and not tdc["problem"] else ""
    return [in_time(row["seconds"]), ratio]


def list_parallel(all_rows):
    found = [row for row in all_rows if row["kind"] == "parallel"]
    return ["", "## DataParallel on all GPUs",
            *[f"- {row['name']}: {sum_up(row)}" for row in found]] if found else []


def list_overlap(all_rows):
    found = [row for row in all_rows if row["kind"] == "overlap"]
    lines = ["", "## Copies that run while kernels do",
             "| | hidden | copies | kernels | from the first to the last |",
             "| --- " * 5 + "|"] if found else []
    for row in found:
        for name in OVERLAPS:
            if at := row.get(name):
                lines.append(f"| {name} | {at['hidden']:.1%} | {at['copies_ms']:.3g} ms | "
                             f"{at['kernels_ms']:.3g} ms | {at['all_ms']:.3g} ms |")
    return lines


def read(folder):
    """The rows of a folder; rows of times get their fraction of the peak measured there."""
    found = rows.read(folder)[0]
    rate_of = {row["name"]: row["rate"] for row in found
               if row["kind"] == "peak" and not row["problem"]}
    for row in found:
        if row["kind"] == "time" and not row["problem"] and row["work"] and row["peak"] in rate_of:
            row["of peak"] = row["work"] / row["seconds"] / rate_of[row["peak"]]
    return found


def make(folders):
    """The text of the report."""
    all_rows = [row for folder in folders for row in read(folder)]
    machines = [row for row in all_rows if row["kind"] == "machine"]
    if not machines:
        return "# Nothing is measured yet\n"
    peaks = [row for row in all_rows if row["kind"] == "peak"]
    return "\n".join([*describe(machines[-1]), *list_checks(all_rows), *list_peaks(peaks),
                      *list_times(all_rows), *list_overlap(all_rows),
                      *list_parallel(all_rows)]) + "\n"


def write(folders):
    """Writes report.md to the first folder, and report.svg if there are ratios; returns the
    text."""
    text = make(folders)
    page = folders[0] / "report.md"
    rows.write_whole(page, text.encode())
    if points := plot.read(page):
        plot.draw(points, page.with_suffix(".svg"))
    return text
