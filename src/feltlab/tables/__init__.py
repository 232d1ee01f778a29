"""A table of a sheet: every choice made, its limits, and the most that it can have to pay.

>>> from feltlab.sheets import load
>>> set_up(load("bad-beat-blackjack"), option="1", paytables=["P5"]).headline()
'6 decks, option 1, paytable bad-beat P5'
"""

from feltlab.tables.choice import TableChoice, choosing
from feltlab.tables.setup import Difference, Setup, set_up, setup_of

__all__ = ["Difference", "Setup", "TableChoice", "choosing", "set_up", "setup_of"]
