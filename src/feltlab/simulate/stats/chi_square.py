"""How likely it is that chance alone makes a chi-square as large as this."""

from __future__ import annotations

from math import erfc, exp, sqrt


def p_value(chi_square: float, degrees: int) -> float:
    """The probability of a larger chi-square with these degrees of freedom.

    For whole degrees there is a finite sum: of a Poisson law where they are even, on top of a normal one where odd.

    >>> round(p_value(3.841459, 1), 6), round(p_value(18.307038, 10), 6)
    (0.05, 0.05)

    With none, nothing can vary, and nothing has: no chi-square is less likely than that.

    >>> p_value(0.0, 0), p_value(1.0, 0)
    (1.0, 0.0)
    """
    if degrees == 0:
        return 1.0 if chi_square <= 0 else 0.0
    half = max(chi_square, 0.0) / 2
    if half > 700:  # a float cannot tell the rest from zero
        return 0.0
    if degrees % 2:
        tail, term, start = erfc(sqrt(half)), exp(-half) * 2 * sqrt(half / 3.141592653589793), 1.5
    else:
        tail, term, start = 0.0, exp(-half), 1.0
    for step in range(degrees // 2):
        tail += term
        term *= half / (start + step)
    return min(tail, 1.0)
