"""Edits of a text: those of fixes and of the Language Server Protocol."""


def apply(text, edits):
    """A str or bytes after edits (start, end, new text), whose offsets are those of `text`. Of
    several texts that are inserted at one place, the first one comes first."""
    for start, end, new in reversed(sorted(edits, key=lambda edit: edit[:2])):
        text = text[:start] + new + text[end:]
    return text


def edits_of(fix):
    """The edits of a fix of `--message-format=json`; they are for bytes."""
    return [(edit["start"]["offset"], edit["end"]["offset"], edit["text"].encode())
            for edit in fix["edits"]]
