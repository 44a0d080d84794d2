"""The models that are written once for every library."""


def forward_of(model, case):
    """The function of a case: `model` is a module with one for all cases, or with one in each."""
    return getattr(model, "forward", None) or model.CASES[case].forward
