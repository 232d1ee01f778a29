"""The codes of actions in tables and traces: small numbers in a row, where the games use bits that add up."""

from __future__ import annotations

from feltlab.games import blackjack

STAND, HIT, DOUBLE, SPLIT, SURRENDER = 0, 1, 2, 3, 4
CODES = {
    blackjack.STAND: STAND,
    blackjack.HIT: HIT,
    blackjack.DOUBLE: DOUBLE,
    blackjack.SPLIT: SPLIT,
    blackjack.SURRENDER: SURRENDER,
}
"""The code of each of the games' actions."""
NAMES = {CODES[bit]: name for name, bit in blackjack.ACTIONS.items()}
"""What each code is called."""
