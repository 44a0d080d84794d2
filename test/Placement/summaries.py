"""Checks the sentence that a report begins with against the figures of --json.

    summaries.py FOLDER [PROGRAM...]

For each FOLDER/p*.tdsl and PROGRAM: placed, as it is written, and without GPUs. Each
clause of the sentence is computed again from the figures, and no clause that they ask for
may be missing. The text, --json and the page have the same sentence. The same checks must
find the mistakes in changed sentences.
"""

import html
import json
import math
import pathlib
import re
import subprocess
import sys

import suite

sys.path.append(str(pathlib.Path(__file__).parents[1] / "tools"))
import sample  # noqa: E402

BUSY = 0.8
SPOILERS = [("copies a step", "copies a round"), (" copies", "1 copies"),
            ("none avoidable", "1 of 9 avoidable"), (" B)", "0 B)"),
            ("all on the cpu", "nothing is copied between devices"),
            ("an estimated 9", "an estimated 8"), ("the host waits", "the host reads"),
            ("mostly for launches", "mostly for copies between GPUs"),
            ("GPU waits", "GPU computes"), (" on first use", ""),
            ("in a trial run", "on these devices")]


def report(*arguments):
    return subprocess.run(["tdc", "report", *arguments], capture_output=True, text=True)


#===--- The clauses that the figures ask for ---===#


def spell_bytes(size):
    if size["number"] is None or size["number"] < 1024:
        return f"{size['formula']} B"
    count, unit = size["number"] / 1024, 0
    while count >= 1024:
        count, unit = count / 1024, unit + 1
    return f"{count:.1f} {['KiB', 'MiB', 'GiB', 'TiB'][unit]}"


def spell_copies(total):
    copies = total["copies"]
    return (("" if copies["exact"] else "at most ") + copies["formula"] +
            (" copy" if copies["formula"] == "1" else " copies"))


def spell_step(data, step, where):
    always, sometimes = (step[name]["copies"]["formula"] for name in ("always", "sometimes"))
    first = step["sometimes" if always == "0" else "always"]
    text = f"{spell_copies(first)} {where} ({spell_bytes(first['bytes'])})"
    if sometimes == "0":
        return text
    if always != "0":
        text += f" and at most {sometimes} more"
    kinds = [data["sites"][site - 1]["kind"] for site in step["sites"]]
    return text + (" on first use" if str(kinds.count("on demand")) == sometimes else "")


def is_avoidable(data):
    gap = data["gap"]["copies"]
    if gap == 0 == data["gap"]["bytes"]:
        exact = data["bound"]["exact"] and "trialIterations" not in data
        return "none avoidable " + ("on these devices" if exact else "in a trial run")
    made = gap + data["bound"]["copies"] + data["boundOfExports"]["copies"]
    return f"{gap} of {made} avoidable: "


def use(data):
    """The part of the time in which the GPUs of the timeline compute, and what takes their
    queues or the host longest."""
    lanes = data["lanes"][0]
    rows = lanes["rows"]
    gpus = {row["device"] for row in rows} - {"cpu"}
    length = lanes["length"] * len(gpus)
    busy = sum(row["busy"] for row in rows if row["lane"] == "compute") / length
    memory = sum(work["length"] for work in lanes["work"] if work.get("memoryBound")) / length
    longest = {"launches": 0, "the cpu's part": 0, "copies between the cpu": 0,
               "copies between GPUs": 0}
    for work in lanes["work"]:
        lane = rows[work["row"]]["lane"]
        name = ("copies between the cpu" if lane in ("h2d", "d2h") else
                "copies between GPUs" if lane.startswith("p2p") else
                "launches" if work["what"] in ("launch", "copy") else "the cpu's part")
        if lane != "compute" and work["what"] != "wait":
            longest[name] += work["length"]
    return busy, memory, max(longest, key=longest.get), "peers" in lanes


def expected_use(data):
    if not data["lanes"]:
        return [], []
    busy, memory, reason, several = use(data)
    gpu, ending = ("the GPUs", "") if several else ("the GPU", "s")
    if busy >= BUSY:
        text = f"{gpu} compute{ending} an estimated {math.floor(100 * busy)}% of a step"
        slow = memory >= busy / 2
        return [text], [] if slow else ["the speed of"]
    parts = [f"{gpu} wait{ending} an estimated {math.floor(100 * (1 - busy))}% of a step"]
    return parts + ([] if data["waits"] else [f", mostly for {reason}"]), [f"{gpu} compute"]


def expected_steps(data):
    """What the sentence must say of each loop that it names, if it names the right ones."""
    steps = {step["line"]: step for step in data["steps"] if "loop" in step}
    named = re.findall(r"(no copies )?(a step|an iteration) of ((?:\S+, )?line (\d+))",
                       data["summary"])
    inner = [int(line) for _, kind, _, line in named if kind == "a step"]
    if steps and not named or data["lanes"] and data["lanes"][0]["line"] not in inner:
        return ["the loop of the timeline, or one that copies"]
    return [f"no copies {kind} of {place}" if int(line) not in steps else
            spell_step(data, steps[int(line)], f"{kind} of {place}")
            for _, kind, place, line in named]


def check(data):
    """Returns what the sentence lacks, and what it may not have."""
    sentence = data["summary"]
    needed, wrong = expected_use(data)
    if not data["sites"]:
        devices = data["devices"]
        wrong += ["avoidable", "a step of", "in a run"]
        needed += ["nothing is copied between devices" if len(devices) > 1 else
                   "all on the cpu" if devices == ["cpu"] else f"all on {devices[0]}"]
        all_operations = sum(line["operations"] for line in data["arithmetic"])
        if all_operations:
            most = data["arithmetic"][0]
            needed += [f"an estimated {math.floor(100 * most['operations'] / all_operations)}% "
                       f"of the arithmetic is on ", f"line {most['line']}"]
    else:
        needed.append(is_avoidable(data))
        needed += expected_steps(data)
        if not re.search("a step of|an iteration of|a call of", sentence):
            needed.append(f"{spell_copies(data['placed'])} in a run "
                          f"({spell_bytes(data['placed']['bytes'])})")
        wrong += ["all on"]
    busy = data["lanes"] and use(data)[0] >= BUSY
    if data["waits"] and not busy:
        first = data["waits"][0]
        needed += [f"line {first['loop']} at ", f"line {first['line']}", first["advice"],
                   "the host waits for a GPU in every iteration"]
    else:
        wrong.append("the host waits")
    return ([f"lacks {part!r}" for part in needed if part not in sentence] +
            [f"has {part!r}" for part in wrong if part in sentence])


def check_forms(program, options, data):
    """The text and the page begin with the same sentence."""
    first = report(*options, program).stdout.split("\n")[0]
    page = report(*options, "--html", "/dev/stdout", program).stdout
    problems = [] if first == f"{program.name}: {data['summary']}" else [f"the text: {first}"]
    found = re.search(r"</h1><p>(.*?)</p>", page.replace("\n", ""))
    if not found or html.unescape(found[1]) != data["summary"] + ".":
        problems.append(f"the page: {found and found[1]}")
    return problems


def main():
    programs = sorted(pathlib.Path(sys.argv[1]).glob("p*.tdsl"))
    programs = sample.choose([*programs, *map(pathlib.Path, sys.argv[2:])], 3)
    sentences = failed = 0
    unseen = dict(SPOILERS)
    for program in programs:
        for name in ("off", "insert", "cpu"):
            options = ["--sim-cuda=2", *suite.MODES[name]] if name != "cpu" else []
            done = report("--json", *options, program)
            if done.returncode:
                continue  # rejected in this mode: suite.py tests that
            data = json.loads(done.stdout)
            problems = check(data)
            if name == "insert":
                problems += check_forms(program, options, data)
            for problem in problems:
                print(f"{program.stem} {name}: {problem} in: {data['summary']}")
            sentences += 1
            failed += bool(problems)
            for old, new in SPOILERS:
                if old in data["summary"]:
                    spoiled = {**data, "summary": data["summary"].replace(old, new)}
                    if check(spoiled):
                        unseen.pop(old, None)
                    else:
                        print(f"{program.stem} {name}: {new!r} is not found")
                        failed += 1
    print(f"{len(programs)} programs, {sentences} sentences, {failed} wrong, "
          f"mistakes that no sentence could have: {sorted(unseen) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
