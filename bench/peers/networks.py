"""The models that are written once for every library."""


def forward_of(model, case):
    """The function of a case: `model` is a module with one for all cases, or with one in each."""
    return getattr(model, "forward", None) or model.CASES[case].forward


class SentenceOps:
    """What the models call for sentences, for libraries whose arrays have NumPy's methods."""

    @staticmethod
    def embed(weight, ids):
        return weight[ids]

    @staticmethod
    def heads(x, count):
        return x.reshape(*x.shape[:-1], count, -1)

    @staticmethod
    def merged(x):
        return x.reshape(*x.shape[:-2], -1)

    @staticmethod
    def mean_of_words(x):
        return x.mean(1)
