"""A table of a sheet: its choices, its limits, and the most that it may have to pay.

>>> from feltlab.sheets import load
>>> set_up(load("bad-beat-blackjack"), option="1", paytables=["P5"]).headline()
'6 decks, option 1, paytable bad-beat P5'
"""

from feltlab.tables.choice import TableChoice, with_choice_arguments
from feltlab.tables.setup import Difference, Setup, set_up, setup_of

__all__ = ["Difference", "Setup", "TableChoice", "set_up", "setup_of", "with_choice_arguments"]
