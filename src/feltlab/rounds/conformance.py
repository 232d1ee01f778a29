"""The conformance suite, for built-in sheets and a user's own: deals rounds with every wager on the felt and checks them.

Money and cards are conserved, a log replays to the same state, and a wager that was taken or settled early would have
ended in the same way. A sheet that passes can be used by every engine. Where a wager is taken or settled on certain
cards, however rare, rounds that begin with such cards are dealt as well.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from feltlab.cards import NO_CARD
from feltlab.errors import SheetError
from feltlab.games.blackjack import card_points
from feltlab.games.rules import ANY_RATIO
from feltlab.rounds.baccarat import BaccaratRound
from feltlab.rounds.bets import Bet, Cash
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Act, AnyCommand, Deal, Decision, EvenMoney, Insure
from feltlab.rounds.events import BetSettled, CardDealt
from feltlab.rounds.open import open_round, replay
from feltlab.rounds.player import default_bets, place_bets
from feltlab.rounds.shoe import Shoe, unbiased
from feltlab.sheets import Sheet
from feltlab.tables import Setup, set_up
from feltlab.tables.table import Table, open_table
from feltlab.wagers.blackjack_facts import HandView, hand_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.wager import Timed

ROUNDS_A_TABLE = 20
MOST_TABLES = 20
MOST_RARE = 600  # rounds that begin with certain cards, for all conditions together
MOST_OF_ONE = 120  # of these, for one condition
MOST_TRIED = 300_000  # first cards tried to find them


class Conformance(NamedTuple):
    """How many tables and rounds were tried, and the lines that no round happened to reach."""

    tables: int
    rounds: int
    unreached: list[str]


def check_sheet(sheet: Sheet, *, seed: int = 1, rounds: int = ROUNDS_A_TABLE) -> Conformance:
    """Deal rounds at tables of many kinds; raise `SheetError` if a check fails."""
    chance = random.Random(seed)  # noqa: S311 # no money
    reached: set[tuple[str, str]] = set()
    setups = list(_setups(sheet, chance))
    for setup in setups:
        table = open_table(setup)
        for _ in range(rounds):
            round_ = deal_at_random(table, chance)
            check_round(round_)
            for event in round_.log:
                if isinstance(event, BetSettled):
                    reached.update((event.wager, line) for line in event.lines)
    for table, first in _rare_deals(setups, chance):
        if (source := _beginning_with(first, table.setup.decks, chance)) is not None:
            check_round(deal_at_random(table, chance, 1, source))
    lines = [(wager.id, line.key) for wager in sheet.side_wagers for line in wager.line]
    return Conformance(
        len(setups), len(setups) * rounds, [f"{id}/{line}" for id, line in lines if (id, line) not in reached]
    )


def _setups(sheet: Sheet, chance: random.Random) -> Iterator[Setup]:
    """Every deck count, option and printed paytable at least once, each with house rules drawn at random."""
    printed: list[tuple[int, str]] = [
        (decks, f"{wager.id}={table.id}")
        for wager in sheet.side_wagers
        for table in wager.paytable
        for decks in sheet.decks_of(table)
    ]
    options: list[str | None] = list(sheet.options) or [None]
    # A paytable that is printed for all deck counts is tried with a few of them, so that no sheet takes long.
    step = max(1, len(printed) // MOST_TABLES)
    usual = [(decks, "") for decks in sheet.decks]
    for number, (decks, paytable) in enumerate([*usual, *printed[::step]]):
        rules = {rule.key: chance.choice(rule.values) for rule in sheet.rules if rule.values != ANY_RATIO}
        posted = [paytable] if paytable else []
        yield set_up(sheet, decks=decks, option=options[number % len(options)], paytables=posted, rules=rules)


class First(NamedTuple):
    """The two cards of a spot and the up card."""

    first: int
    second: int
    up: int

    def view(self) -> HandView:
        """The view of a wager when the first cards are out."""
        hard = card_points(self.first) + card_points(self.second)
        aces = (card_points(self.first) == 1) + (card_points(self.second) == 1)
        return hand_view(*self, NO_CARD, NO_CARD, hard, aces, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0)


def _rare_deals(setups: list[Setup], chance: random.Random) -> Iterator[tuple[Table, First]]:
    """First cards on which a wager is taken or settled, for each condition on them that the sheet has."""
    clauses: dict[object, tuple[Setup, Timed]] = {}
    for setup in sorted(setups, key=lambda setup: -setup.decks):  # more decks make more deals possible
        for wager in setup.wagers.values():
            for timed in (*wager.take, *wager.settled):
                cards_alone = all(atom.detail is not None for atom in timed.when.atoms)
                if timed.when.atoms and timed.at != "end" and (timed.at == "deal" or cards_alone):
                    clauses.setdefault((wager.shape, timed.when.text), (setup, timed))
    left = MOST_TRIED
    for setup, timed in list(clauses.values())[:MOST_RARE]:
        named = [place for place in range(3) if any(place in _looks_at(atom) for atom in timed.when.atoms)]
        deals = 52 ** len(named)
        if deals > left:
            return
        left -= deals
        firsts = []
        for chosen in product(range(52), repeat=len(named)):
            cards = [chance.randrange(52) for _ in range(3)] if len(named) < 3 else [0, 0, 0]
            for at, card in zip(named, chosen, strict=True):
                cards[at] = card
            first = First(*cards)
            view = first.view()
            if timed.when.holds_by(lambda atom, view=view: atom.read(view)):  # type: ignore[misc]
                firsts.append(first)
        rounds = min(MOST_OF_ONE, MOST_RARE // len(clauses))
        table = open_table(setup)
        yield from ((table, firsts[number * len(firsts) // rounds]) for number in range(rounds if firsts else 0))


def _looks_at(atom: Atom) -> tuple[int, ...]:
    """The first cards that an atom depends on: those that it names, or both of the hand."""
    return atom.fields if atom.detail is not None else (0, 1)


def _beginning_with(first: First, decks: int, chance: random.Random) -> Shoe | None:
    """A shoe that deals these cards to one spot; None if the decks do not have them."""
    shoe = Shoe(decks, unbiased(chance.getrandbits), behind_cut=0, burn=0)
    for turn, card in enumerate((first.first, first.up, first.second)):  # the order of the deal
        if card not in shoe.order[turn:]:
            return None
        at = shoe.order.index(card, turn)
        shoe.order[turn], shoe.order[at] = card, shoe.order[turn]
    return shoe


def deal_at_random(
    table: Table, chance: random.Random, spots: int = 2, source: Shoe | None = None
) -> BlackjackRound | BaccaratRound:
    """Deal a round with every wager placed and every decision drawn at random from the legal ones."""
    source = source or Shoe(table.setup.decks, unbiased(chance.getrandbits), behind_cut=0, burn=0)
    round_ = open_round(table, source)
    bets = default_bets(table)
    place_bets(round_, spots, bets)
    round_.do(Deal())
    while (waits := round_.waits_for) is not None:
        round_.do(random_answer(waits, bets, chance))
    return round_


def random_answer(waits: Decision, bets: dict[str, int], chance: random.Random) -> AnyCommand:
    """A random legal answer; side wagers are placed wherever possible."""
    if waits.kind == "insurance":
        if waits.even_money and chance.random() < 0.5:
            return EvenMoney(waits.spot)
        return Insure(waits.spot, chance.choice([0, waits.most]))
    action = chance.choice(waits.actions)
    return Act(waits.spot, action, {id: bets[id] for id in waits.side.get(action, ())})


def check_round(round_: BlackjackRound | BaccaratRound) -> None:
    """Check what must hold for every finished round."""
    cash = Cash.of(round_.log)
    left = [bet.wager for bet in round_.felt.open()]
    _must(not left, f"{', '.join(left)} was left on the felt")
    _must(cash.total == 0 and cash.felt == 0, "money was made or lost")
    _must(cash.players == round_.felt.nets(), "what the spots won is not what they were paid")
    dealt = Counter(event.card for event in round_.log if isinstance(event, CardDealt))
    _must(max(dealt.values()) <= round_.table.setup.decks, "a card was dealt more often than the decks have it")
    again = replay(round_.table, round_.log)
    _must(again.felt == round_.felt and again.step == round_.step, "its log does not replay to the same state")
    _check_early(round_)


def _check_early(round_: BlackjackRound | BaccaratRound) -> None:
    """A wager that was settled before its last moment must end as it would have at that moment.

    If the last moment is the end, everything is known. A wager whose last moment is the deal looks at the hand as dealt:
    settling it then is not early, and taking it then must agree with the cards on the felt at that time.
    """
    for bet in round_.felt.bets.values():
        wager, settled = round_.table.setup.wagers[bet.wager], bet.settled
        last = wager.settled[-1].at
        if settled is None or last == "hit":
            continue  # a hit card is seen only once
        outcome = wager.outcome(_dealt(round_, bet) if last == "deal" else round_.view(bet))
        lines = wager.line_ids(outcome)
        if settled.taken:
            _must(outcome.pays == -1, f"{bet.wager} was taken early but would have been paid ({', '.join(lines)})")
        else:
            _must(
                lines == settled.lines,
                f"{bet.wager} was settled early as {_lines(settled.lines)} but ended as {_lines(lines)}",
            )


def _dealt(round_: BlackjackRound | BaccaratRound, bet: Bet) -> tuple[int, ...]:
    """The view of a bet that was settled at the deal, from a replay of the log up to that event."""
    place = next(number for number, event in enumerate(round_.log) if event is bet.settled)
    return replay(round_.table, round_.log[:place]).view(bet)


def _lines(ids: tuple[str, ...]) -> str:
    return " and ".join(f"'{id}'" for id in ids) or "lost"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SheetError(f"a round with this sheet went wrong: {otherwise}")
