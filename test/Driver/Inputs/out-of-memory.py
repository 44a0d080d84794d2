"""Makes allocations fail: arguments are the library of faults, a program, the kind of
fault, the number of allocations to fail, and the command. Each time tdc must report it
in one line and leave no output."""

import os
import re
import sys

from allocation_faults import Faulty

library, program, kind, count, *command = sys.argv[1:]
name = re.escape(os.path.basename(program))
line = re.compile(rf"tdc: out of memory( while compiling {name} \(phase \w+\))?\n")
faulty = Faulty(library, program, command)
good = 0
for k in faulty.spread(int(count)):
    code, text, folder = faulty.run(f"{kind}:{k}")
    left = os.listdir(folder.name)
    # Once the program runs, it reports the failure itself.
    of_program = code == 3 and text.startswith("error[TR201]: out of memory")
    if (code == 70 and line.fullmatch(text) or of_program) and not left:
        good += 1
    else:
        print(f"{kind}:{k}: exit code {code}, left {left}\n{text}")
print(f"{good} of {count}")
