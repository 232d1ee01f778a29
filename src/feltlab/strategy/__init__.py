"""Strategies: how a player plays blackjack, as data. Charts, computed strategies and a user's own are one type.

>>> basic = standard(6, {"soft17": "hit", "das": "yes", "surrender": "none", "hole-card": "peek"})
>>> basic.choose([card("8s"), card("8h")], card("Td"), ["stand", "hit", "double", "split"])
'split'
"""

from feltlab.cards import card
from feltlab.strategy.chart_text import load, parse, standard
from feltlab.strategy.model import Strategy

__all__ = ["Strategy", "card", "load", "parse", "standard"]
