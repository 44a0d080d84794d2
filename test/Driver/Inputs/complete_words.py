"""Types lines with tabs in a shell that has sourced tdc's completion; prints the words that
tdc is called with.

usage: complete_words.py bash|zsh|fish SCRIPT LINE...   \\t in a LINE is the tab key
"""

import os
import pty
import re
import signal
import sys

shell, script, *lines = sys.argv[1:]
START = {
    "bash": (["bash", "--norc", "--noprofile"],
             "PS1='READY>'; tdc() { printf '<%s>' \"$@\"; echo ' DONE'; }; source {}"),
    "zsh": (["zsh", "-f"],
            "PS1='READY>'; autoload compinit; compinit -u -D; setopt no_beep; "
            "tdc() { printf '<%s>' \"$@\"; echo ' DONE'; }; source {}"),
    "fish": (["fish", "--no-config"],
             "function fish_prompt; echo 'READY>'; end; "
             "function tdc; printf '<%s>' $argv; echo ' DONE'; end; source {}"),
}
command, start = START[shell]
signal.alarm(240)  # rather than wait for ever
child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="dumb" if shell != "fish" else "xterm", COLUMNS="200")
    os.execvp(command[0], command)


def read_until(pattern):
    text = ""
    while not (found := re.search(pattern, text)):
        part = os.read(terminal, 4096)
        if b"\x1b[c" in part:  # fish asks what the terminal is
            os.write(terminal, b"\x1b[?6c")
        text += part.decode(errors="replace")
    return found


os.write(terminal, (start.replace("{}", script) + "\n").encode())
read_until(r"READY>[^']*$")
for line in lines:
    os.write(terminal, line.replace("\\t", "\t").encode() + b"\r")
    print(read_until(r"\n[^\n<]*((?:<[^\n>]*>)+) DONE")[1].replace("\x1b", ""), flush=True)
os.kill(child, signal.SIGKILL)
