"""Runs a command on a terminal of its own until the screen matches the first argument
(a regular expression), waits for as many seconds as the second argument says, then
presses ^C; prints all lines."""

import os
import pty
import re
import signal
import sys
import time

wanted, seconds, command = re.compile(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # which the parent process may ignore
    os.execvp(command[0], command)

screen, pressed = "", False
while True:
    try:
        screen += os.read(terminal, 4096).decode()
    except OSError:  # the command has ended
        break
    if not pressed and wanted.search(screen):
        time.sleep(seconds)
        os.kill(child, signal.SIGINT)
        pressed = True
for line in re.split(r"[\r\n]+", screen):
    if line:
        print(line.replace("\033[K", "<erased>"))
print("exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
