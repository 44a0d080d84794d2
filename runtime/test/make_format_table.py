"""Writes FormatTable.inc: values formatted by Python with format specs.

FORMAT_INT(value, spec, text), FORMAT_FLOAT(...), FORMAT_STR(...), one row each.
Run `python3 make_format_table.py > FormatTable.inc`; the rows never depend on
the version of Python, since its format specs are fixed.
"""
import itertools
import math
import random

INTS = [0, 1, -1, 7, 42, -42, 255, 1000, 1234, -1234, 999999, 1234567,
        2**53 + 1, 2**63 - 1, -2**63]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 1 / 3, 0.5, 1.5, 2.5, 2.675,
          9.995, 99999.95, 999999.5, 123456.789, 123456789.0, 1e15,
          9999999999999998.0, 1e16, 1e22, 1e23, 0.0001, 0.00001234, 1e-5,
          1.5e300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
          0.30000001192092896, math.inf, -math.inf, math.nan]
STRINGS = ["", "a", "word", "naïve", "日本語", "a longer text"]

INT_SPECS = ["", "d", "5", "<5", ">5", "^6", "=6", "05", "+d", " d", "+05",
             "x", "#x", "b", "#b", "#010x", "_x", "_b", "#_b", ",", "_", "010,",
             "09,", "08,", "*^11", "é>7", "0=10,", "0<9,", ".2f", "e", "g",
             ".1%", "%", "012.3e", ",.1f", "<05"]
REPRS = ["", "a", "it's", '"', "'\"", "\\", "\n\t\r", "\x01", "\x7f", "\x80é", "\u200e",
         "\ufeff", "日本"]
CHARACTERS = [10, 65, 233, 0x20ac, 0xffff, 0x1f600, 0x10ffff]
CHARACTER_SPECS = ["c", "4c", "<4c", "04c", "*^5c", "=3c"]
FLOAT_SPECS = ["", "5", "010", "<9", "^9", "=+9", "f", ".0f", "#.0f", ".1f",
               ".2f", ".4f", ">8.3f", "08.2f", "+.2f", " .2f", ",.2f", "_.3f",
               "015,.2f", "e", ".0e", "#.0e", ".2e", ".10e", "+012.3e", "g",
               ".0g", ".1g", ".3g", ".10g", ".17g", "#g", "#.3g", ",g", "%",
               ".0%", ".2%", "#.0%", ".1", ".3", ".6", ".17", "#.3", "+.2",
               "*^12.2", ",", "_", "012,", "0=12.1f"]
STR_SPECS = ["", "s", "6", "<6", ">6", "^7", "06", ".2", ".0", "*>8.3s",
             "→^6", "2"]


def quote(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    shown = (c if c.isprintable() else "".join(f"\\{byte:03o}" for byte in c.encode())
             for c in escaped)
    return f'"{"".join(shown)}"'


def number(value):
    if isinstance(value, int):
        return "INT64_MIN" if value == -2**63 else str(value)
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return value.hex()


def rows():
    for kind, values, specs, most in (("INT", INTS, INT_SPECS, 240),
                                      ("FLOAT", FLOATS, FLOAT_SPECS, 400),
                                      ("STR", STRINGS, STR_SPECS, 60)):
        pairs = list(itertools.product(values, specs))
        # Every spec and every value at least once, and a sample of the rest.
        always = {(values[i % len(values)], s) for i, s in enumerate(specs)}
        always |= {(v, specs[0]) for v in values}
        rest = [p for p in pairs if p not in always]
        random.Random(1).shuffle(rest)
        chosen = set(map(repr, list(always) + rest[:most - len(always)]))
        for value, spec in pairs:
            if repr((value, spec)) in chosen and len(format(value, spec)) < 60:
                shown = quote(value) if kind == "STR" else number(value)
                yield (f"FORMAT_{kind}({shown}, {quote(spec)}, "
                       f"{quote(format(value, spec))})")
    for value, spec in itertools.product(CHARACTERS, CHARACTER_SPECS):
        yield f"FORMAT_INT({value}, {quote(spec)}, {quote(format(value, spec))})"
    for value, width in itertools.product(REPRS, ["", ">12", "<9"]):
        yield f"FORMAT_STR({quote(value)}, {quote(width + 'r')}, {quote(f'{value!r:{width}}')})"


print("// Made by make_format_table.py; see there.")
for row in rows():
    print(row)
