"""Sheets: rule sheets as data, loaded, checked, and set up for play.

>>> sheet = load("bad-beat-blackjack")
>>> set_up(sheet, option="1", paytables=["P5"]).headline()
'6 decks, option 1, paytable bad-beat P5'
"""

from feltlab.sheets.loader import builtin, builtin_names, load, load_text
from feltlab.sheets.setup import Difference, Setup, set_up
from feltlab.sheets.sheet import Sheet

__all__ = ["Difference", "Setup", "Sheet", "builtin", "builtin_names", "load", "load_text", "set_up"]
