"""Where a table's numbers lie: what a kernel of blackjack gets instead of rules."""

from __future__ import annotations

from typing import NamedTuple


class Game(NamedTuple):
    """Blackjack for one table, one strategy and all of its wagers: where each table begins in one array of small
    numbers, where the questions are described in one of large numbers, and where each thing is counted.
    """

    spots: int
    peek: int
    most_hands: int
    early_asked: int  # whether a spot may surrender before the dealer looks for a natural
    any_tens: int  # whether unlike tens may be split
    codes: int
    positions: int
    roles: int
    ways: int
    column_count: int
    main_count: int
    card_codes: int
    hit_codes: int
    hit_count: int
    nets_middle: int
    # in small numbers
    deck: int
    ups: int  # by card: what the tables know of an up card
    start: int
    stopped: int
    early: int
    go: int
    doubles: int
    splits: int
    pairs: int
    again: int
    need: int
    closing: int  # by ending: the action that ended the hand, if it took no card; for a trace
    second: int
    next: int
    columns: int
    main: int
    card_ends: int
    card_need: int
    hit_facts: int
    hit_ends: int
    answers_deal: int
    answers_hole: int
    answers_cards: int
    answers_cards_hole: int
    answers_hits: int
    # in large numbers
    units: int
    ask_deal: int
    ask_hole: int
    ask_cards: int
    ask_cards_hole: int
    ask_hits: int
    on_deal: int  # whether there are questions at the deal, about the hole card, of wagers on cards alone, of hit cards
    on_hole: int
    on_cards: int
    on_cards_hole: int
    on_hits: int
    cards_need: int  # whether a wager on cards alone may need more of the dealer than is dealt
    # in counts
    at_cross: int
    at_nets: int
    at_cards: int
    at_hits: int
    at_hit_cross: int
    at_rounds: int
    at_lost: int
    at_slow: int  # a scratch cell for slow rounds
