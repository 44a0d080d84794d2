"""Changes files while `tdc check --watch` runs, and prints what each check finds."""

import os
import re
import signal
import subprocess
import sys

PLACE = re.compile(r"error\[(\w+)\].*\n +--> watched/(\S+)")


def write(name, text):
    """As editors do it: a new file takes the place of the old one."""
    with open("watched/new", "w") as file:
        file.write(text)
    os.replace("watched/new", "watched/" + name)


def show(what):
    text = ""
    while not text.endswith("(Ctrl-C ends)\n"):
        line = watch.stderr.readline()
        if not line:
            sys.exit("it ended: " + text)
        text += line
    found = ", ".join(f"{place} {code}" for code, place in PLACE.findall(text))
    print(f"{what}: {found or 'nothing'}", flush=True)


signal.alarm(300)  # rather than wait for ever
os.mkdir("watched")
GOOD = 'from part import two\nprint(two())\n'
write("part.tdsl", "fn two() = none_such\n")
write("main.tdsl", GOOD)
watch = subprocess.Popen(["tdc", "check", "--watch", "watched"], stderr=subprocess.PIPE,
                         text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
show("bad import")
write("part.tdsl", "fn two() = 2\n")
show("good")
write("main.tdsl", GOOD.replace("two()", "y"))
show("bad program")
write("main.tdsl", GOOD)
show("good again")
write("data.csv", "1,2,3\n")
write("main.tdsl", GOOD + 'let x: f32[1, 3] = load("watched/data.csv")\n')
show("data")
write("data.csv", "1,2,3,4\n")
show("other data")
write("main.tdsl", GOOD)
show("no data")
write("new.tdsl", "print(z)\n")
show("new program")
os.remove("watched/new.tdsl")
show("gone")
watch.send_signal(signal.SIGINT)
print("Ctrl-C:", watch.wait())
