"""Rule sheets as data, loaded and checked.

>>> load("bad-beat-blackjack").usual_decks
6
"""

from feltlab.sheets.loader import builtin, builtin_names, load, load_text
from feltlab.sheets.sheet import Sheet

__all__ = ["Sheet", "builtin", "builtin_names", "load", "load_text"]
