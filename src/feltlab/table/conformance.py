"""One suite for every sheet, built in or a user's own: deal rounds with every wager on the felt and check what must hold.

Money and cards are conserved, a log replays to the same state, and a wager that was taken or settled early would have
ended no other way. A sheet that passes can be given to any engine.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from feltlab.errors import SheetError
from feltlab.games.rules import ANY_RATIO
from feltlab.sheets import Setup, Sheet, set_up
from feltlab.table.baccarat import BaccaratRound
from feltlab.table.bets import Bet, Cash
from feltlab.table.blackjack import BlackjackRound
from feltlab.table.commands import Act, AnyCommand, Deal, Decision, EvenMoney, Insure
from feltlab.table.events import BetSettled, CardDealt
from feltlab.table.open import open_round, replay
from feltlab.table.player import default_bets, place
from feltlab.table.shoe import Shoe, unbiased
from feltlab.table.table import Table, open_table

ROUNDS_A_TABLE = 20
MOST_TABLES = 20


class Conformance(NamedTuple):
    """What was tried: tables, rounds, and the lines that no round happened to reach."""

    tables: int
    rounds: int
    unreached: list[str]


def check_sheet(sheet: Sheet, *, seed: int = 1, rounds: int = ROUNDS_A_TABLE) -> Conformance:
    """Deal rounds at tables of many kinds; raise `SheetError` when something that must hold does not."""
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
    # A paytable that is printed for all decks is tried with a few of them, so that no sheet takes long.
    step = max(1, len(printed) // MOST_TABLES)
    usual = [(decks, "") for decks in sheet.decks]
    for number, (decks, paytable) in enumerate([*usual, *printed[::step]]):
        rules = {rule.key: chance.choice(rule.values) for rule in sheet.rules if rule.values != ANY_RATIO}
        posted = [paytable] if paytable else []
        yield set_up(sheet, decks=decks, option=options[number % len(options)], paytables=posted, rules=rules)


def deal_at_random(table: Table, chance: random.Random, spots: int = 2) -> BlackjackRound | BaccaratRound:
    """A round in which every wager is placed and every decision is drawn from the legal ones."""
    round_ = open_round(table, Shoe(table.setup.decks, unbiased(chance.getrandbits), behind_cut=0, burn=0))
    bets = default_bets(table)
    place(round_, spots, bets)
    round_.do(Deal())
    while (waits := round_.waits_for) is not None:
        round_.do(random_answer(waits, bets, chance))
    return round_


def random_answer(waits: Decision, bets: dict[str, int], chance: random.Random) -> AnyCommand:
    """Any legal answer; side wagers are placed wherever they can be."""
    if waits.kind == "insurance":
        if waits.even_money and chance.random() < 0.5:
            return EvenMoney(waits.spot)
        return Insure(waits.spot, chance.choice([0, waits.most]))
    action = chance.choice(waits.actions)
    return Act(waits.spot, action, {id: bets[id] for id in waits.side.get(action, ())})


def check_round(round_: BlackjackRound | BaccaratRound) -> None:
    """What must hold of every finished round."""
    cash = Cash.of(round_.log)
    left = [bet.wager for bet in round_.felt.open()]
    _must(not left, f"{', '.join(left)} was left on the felt")
    _must(cash.total == 0 and cash.felt == 0, "money was made or lost")
    _must(cash.players == round_.felt.nets(), "what the spots won is not what they were paid")
    dealt = Counter(event.card for event in round_.log if isinstance(event, CardDealt))
    _must(max(dealt.values()) <= round_.table.setup.decks, "a card was dealt more often than it is in the decks")
    again = replay(round_.table, round_.log)
    _must(again.felt == round_.felt and again.step == round_.step, "its log does not replay to the same end")
    _check_early(round_)


def _check_early(round_: BlackjackRound | BaccaratRound) -> None:
    """A wager that came off the felt before its last moment must end as it would then.

    Where the last moment is the end, everything is known. A wager whose last moment is the deal looks at the hand as
    dealt, whatever becomes of it: settling it there is not early, and taking it there must fit what lay then.
    """
    for bet in round_.felt.bets.values():
        wager, settled = round_.table.setup.wagers[bet.wager], bet.settled
        last = wager.settled[-1].at
        if settled is None or last == "hit":
            continue  # a hit card is seen once
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
    """What a bet that came off at the deal saw then: the round as its log tells it up to there."""
    place = next(number for number, event in enumerate(round_.log) if event is bet.settled)
    return replay(round_.table, round_.log[:place]).view(bet)


def _lines(ids: tuple[str, ...]) -> str:
    return " and ".join(f"'{id}'" for id in ids) or "lost"


def _must(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SheetError(f"a round with this sheet went wrong: {otherwise}")
