"""Prints the messages that tdc writes as JSON, one line each: its code, its file
as Python's ascii() has it, and the edits of its fixes as (begin, end, text).

usage: show_messages.py FILE...   which must be UTF-8
"""

import json
import sys

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for line in file.read().decode("utf-8").splitlines():
            message = json.loads(line)
            edits = [(edit["start"]["offset"], edit["end"]["offset"], edit["text"])
                     for fix in message["fixes"] for edit in fix["edits"]]
            print(message["code"], ascii(message["primary"]["file"]), edits)
