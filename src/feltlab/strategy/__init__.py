"""Strategies for blackjack. Computed ones have names; charts are data, built in or a user's own.

>>> basic = standard_chart(6, {"soft17": "hit", "das": "yes", "surrender": "none", "hole-card": "peek"})
>>> basic.choose([card("8s"), card("8h")], card("Td"), ["stand", "hit", "double", "split"])
'split'
"""

from feltlab.cards import card
from feltlab.strategy.chart import Chart
from feltlab.strategy.chart_text import load_chart, parse_chart, standard_chart
from feltlab.strategy.spec import (
    DEFAULT,
    Basic,
    Bonus,
    Composition,
    Joint,
    Standard,
    Strategy,
    as_strategy,
    parse_strategy,
)

__all__ = [
    "DEFAULT",
    "Basic",
    "Bonus",
    "Chart",
    "Composition",
    "Joint",
    "Standard",
    "Strategy",
    "as_strategy",
    "card",
    "load_chart",
    "parse_chart",
    "parse_strategy",
    "standard_chart",
]
