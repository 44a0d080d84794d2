"""usage: page.py PAGE

Formats each `before` of the page, which must give the `after` that follows it.
"""

import re
import subprocess
import sys
from pathlib import Path

page = Path(sys.argv[1]).read_text()
examples = re.findall(r"^```tdsl before\n(.*?)```\n\n```tdsl after\n(.*?)```", page,
                      re.DOTALL | re.MULTILINE)
assert len(examples) == page.count("```tdsl") / 2 > 0
for before, after in examples:
    done = subprocess.run(["tdc", "fmt", "-"], input=before, capture_output=True, text=True)
    assert done.stdout == after, done
