"""Where the cut card lies."""


def default_cut(size: int) -> int:
    """How many cards of a shoe lie behind the cut card unless a table says otherwise: a quarter, and 26 at least.

    >>> default_cut(312), default_cut(52)
    (78, 26)
    """
    return max(size // 4, 26)
