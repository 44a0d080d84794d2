"""Validates the messages of programs with the schema of docs/, and prints how many there are.

usage: validate_messages.py SCHEMA PROGRAM...   each is checked
"""

import json
import subprocess
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def messages(*command):
    done = subprocess.run(["tdc", *command, "--message-format", "json"],
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    return [json.loads(line) for line in done.stderr.splitlines()]


found = messages("check", *sys.argv[2:], "no-such-file.tdsl")
with open("message-program.tdsl", "w", encoding="utf-8") as file:
    file.write('assert 1 > 2, "a run-time error"\n')
found += messages("run", "message-program.tdsl")
found += messages("run", "--fn", "f", "message-program.tdsl")
with open("message-note.tdsl", "w", encoding="utf-8") as file:
    file.write("""let one = Linear(1, 1)
let two = Linear(1, 1, bias=false)
two.save("two.safetensors")
one.load("two.safetensors", strict=false)
""")
found += messages("run", "message-note.tdsl")
for message in found:
    validator.validate(message)
print("all valid")
print(*sorted({message["severity"] for message in found}))
for key in ("secondary", "notes", "fixes"):
    print(key, any(message[key] for message in found))

# A schema that accepts anything would not be seen above.
good = next(message for message in found if message["fixes"])
start = good["primary"]["start"]
for what, bad in {
        "no title": {key: value for key, value in good.items() if key != "title"},
        "another key": good | {"column": 1},
        "another severity": good | {"severity": "remark"},
        "no code": good | {"code": "E0308"},
        "column 0": good | {"primary": good["primary"] | {"start": start | {"column": 0}}},
        "an end alone": good | {"primary": {"end": start}},
        "a note without text": good | {"notes": [{}]},
        "an edit without a place": good | {"fixes": [good["fixes"][0] | {"edits": [{"text": ""}]}]},
        "another key of a place": good | {"primary": good["primary"] | {"path": "x"}},
}.items():
    print(f"{what}: {'accepted' if validator.is_valid(bad) else 'refused'}")
