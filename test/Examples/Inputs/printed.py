"""What the blocks of a page print, compared with what the page says."""

def is_same(got, want, number):
    """Whether two lines differ in no more than their numbers, which `number` matches, by at
    most 2 % or 0.015."""
    if number.sub("#", got) != number.sub("#", want):
        return False
    pairs = zip(map(float, number.findall(got)), map(float, number.findall(want)))
    return all(abs(a - b) <= max(0.02 * abs(b), 0.015) for a, b in pairs)
