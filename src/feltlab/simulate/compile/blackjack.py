"""Blackjack for one table, strategy and number of spots: all tables of the kernel, and what its counts mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feltlab.errors import FeltlabError
from feltlab.games.blackjack import EARLY, PEEK, House
from feltlab.simulate.compile.card_questions import Questions, questions
from feltlab.simulate.compile.card_tables import pack_questions
from feltlab.simulate.compile.card_wagers import HIT, HOLE, OnDeal, OnHits, Outcomes
from feltlab.simulate.compile.dealer import STEP, columns, dealer_automaton
from feltlab.simulate.compile.explore import FIRST_CARD, SECOND_CARD, UP, Deals, Explored
from feltlab.simulate.compile.hands import CLOSING, Automaton
from feltlab.simulate.compile.layout import Game
from feltlab.simulate.compile.tabulated import TabulatedWager
from feltlab.simulate.compile.wagers_on_hand import WagersOnHand
from feltlab.simulate.kernels import quick
from feltlab.simulate.kernels.rounds import NO_ACTION, ON_TWO
from feltlab.strategy.plan import Plan
from feltlab.wagers.wager import Wager

Ints = NDArray[np.int64]
Small = NDArray[np.int16]
LARGEST = np.iinfo(np.int16).max


class Parts(NamedTuple):
    """The wagers of a table by what they need: those on played hands, those on cards alone, those on hit cards."""

    play: tuple[Wager, ...]
    cards: tuple[Wager, ...]
    hits: tuple[Wager, ...]


def parts(wagers: Iterable[Wager], in_view: str | None) -> Parts:
    """Sort wagers; the main one comes first among those on played hands."""
    by_kind: dict[str, list[Wager]] = {"play": [], "cards": [], "hits": []}
    for wager in wagers:
        tabulated = TabulatedWager(wager)
        # One that a strategy has in view changes how hands are played while it rides, whatever it looks at.
        watched = wager.id == in_view and set(tabulated.settled) != {"deal"}
        kind = "hits" if wager.on_hit_cards else "cards" if tabulated.by_cards and not watched else "play"
        by_kind[kind].append(wager)
    return Parts(*(tuple(by_kind[kind]) for kind in Parts._fields))


class StakedOutcome(NamedTuple):
    """How a wager ended, and how many times the first stake lay on it."""

    outcome: int
    stake: int = 1


@dataclass(frozen=True)
class BlackjackTables:
    """The kernel's tables, and the meaning of each cell that it counts in."""

    game: Game
    quick: quick.Quick
    tab: Small
    spec: Ints
    wagers: Parts
    endings: NDArray[np.int64]  # by ending, column and wager on played hands: its outcome
    stakes: Ints  # by ending
    split: Ints  # by ending: whether the hand comes from a split
    how: tuple[str, ...]  # by ending, in words
    main_kinds: tuple[StakedOutcome, ...]
    unit: int  # the main wager's pays are whole numbers of these parts of a stake
    card_kinds: tuple[Outcomes, ...]
    hit_kinds: tuple[Outcomes, ...]
    cells: int


def compile_tables(
    house: House, plans: Mapping[int, Plan], wagers: Iterable[Wager], in_view: str | None, spots: int, deck: Small
) -> BlackjackTables:
    """All tables for a game by plans against each up card; `in_view` is the wager that they play for."""
    sorted_ = parts(wagers, in_view)
    for wager in (sorted_.play[0], *sorted_.hits):
        _refuse_hand_numbers(wager)
    on_hand = WagersOnHand(sorted_.play)
    hole = questions([atom for atom in on_hand.atoms if HOLE in atom.fields], on_hand.atoms)
    by_cards = any(atom.text == "dealer.cards" for wager in on_hand.wagers for atom in wager.lines.atoms)
    dealer = dealer_automaton(house, by_cards=by_cards)
    ids = [wager.id for wager in sorted_.play]
    automaton = Automaton(
        house,
        plans,
        on_hand,
        columns(dealer.ways, [hole.answers(code) for code in range(hole.size)]),
        ids.index(in_view) if in_view in ids else None,
    )
    deals = Deals(automaton)
    on_deal, on_hits = OnDeal(sorted_.cards), OnHits(sorted_.hits)
    explored = Explored(automaton, deals, on_hits)
    endings = list(automaton.endings)
    rows, column_of = np.unique(
        np.array([ending.outcomes for ending in endings], dtype=np.int64), axis=1, return_inverse=True
    )
    main, kinds, unit, units = _main_kinds(sorted_.play[0], rows, [ending.stake for ending in endings])
    hit_kinds: dict[Outcomes, int] = {}
    hit_ends = [hit_kinds.setdefault(end, len(hit_kinds)) for row in on_hits.rows for end in row]
    middle = house.most_hands * int(np.abs(units).max())
    small, large = Packed(), Packed()
    for name, values in {
        "deck": deck, "ups": deals.ups, "start": explored.start[0], "stopped": explored.start[1],
        "early": explored.start[2], "go": _stepped(explored.go), "doubles": explored.doubles,
        "splits": np.array(list(explored.splits)), "pairs": explored.pairs, "again": explored.again,
        "need": np.array([ending.need for ending in endings]),
        "closing": np.array([CLOSING.get(ending.how, NO_ACTION) for ending in endings]),
        "second": dealer.second, "next": dealer.next,
        "columns": column_of, "main": main, "card_ends": np.array(on_deal.ends), "card_need": np.array(on_deal.needs),
        "hit_facts": _stepped(explored.hits), "hit_ends": np.array(hit_ends),
    }.items():  # fmt: skip
        small.add(name, values)
    quickly = quick.quick_tables(
        explored.start[0],
        explored.start[1],
        _stepped(explored.go),
        np.array([ending.need for ending in endings]),
        dealer.second.astype(np.int64),
        dealer.next.astype(np.int64).reshape(-1, STEP),
    )
    for name, values in quickly._asdict().items():
        small.add(f"quick_{name}", values)
    large.add("units", units)
    by_purpose = {
        "deal": deals.deal,
        "hole": hole,
        "cards": on_deal.deal,
        "cards_hole": on_deal.hole,
        "hits": on_hits.cards,
    }
    for name, group in by_purpose.items():
        packed = pack_questions(group)
        small.add(f"answers_{name}", packed.table)
        large.add(f"ask_{name}", packed.spec)
    counts = Layout()
    counts.add("at_play", rows.shape[0] * rows.shape[1])
    counts.add("at_cross", len(kinds) ** 2)
    counts.add("at_nets", 2 * middle + 1)
    counts.add("at_cards", len(on_deal.kinds))
    counts.add("at_hits", len(hit_kinds))
    counts.add("at_hit_cross", len(hit_kinds) ** 2)
    counts.add("at_rounds", 1)
    counts.add("at_lost", 1)
    counts.add("at_slow", 1)
    game = Game(
        spots=spots,
        peek=int(house.hole_card == PEEK),
        most_hands=house.most_hands,
        early_asked=int(house.surrender == EARLY and house.hole_card == PEEK),
        any_tens=house.split_unlike_tens,
        codes=deals.deal.size,
        positions=explored.count,
        roles=max(len(explored.roles), 1),
        ways=len(dealer.ways),
        column_count=rows.shape[1],
        main_count=len(kinds),
        card_codes=on_deal.hole.size,
        hit_codes=on_hits.cards.size,
        hit_count=len(hit_kinds),
        nets_middle=middle,
        on_deal=_asks(deals.deal, FIRST_CARD, SECOND_CARD),
        on_hole=_asks(hole),
        on_cards=_asks(on_deal.deal, FIRST_CARD, SECOND_CARD) or int(bool(sorted_.cards)),
        on_cards_hole=_asks(on_deal.hole, UP, HOLE),
        on_hits=_asks(on_hits.cards, UP, HIT) or int(bool(sorted_.hits)),
        cards_need=int(max(on_deal.needs) > int(house.hole_card == PEEK)),
        **{name: begin for name, begin in small.begins.items() if not name.startswith("quick_")},
        **large.begins,
        **{name: begin for name, begin in counts.begins.items() if name != "at_play"},
    )
    quickly_on = spots == 1 and game.peek and not game.early_asked and not game.cards_need
    quick_game = quick.Quick(
        on=int(quickly_on),
        positions=explored.count,
        slow=explored.count + len(endings),
        states=dealer.next.size // STEP,
        late=int(quickly.next[-1, 0]),
        **{name: small.begins[f"quick_{name}"] for name in quick.QuickTables._fields},
    )
    return BlackjackTables(
        game, quick_game, _small(small.joined()), large.joined(), sorted_, rows, np.array([ending.stake for ending in endings]),
        np.array([ending.split for ending in endings]), tuple(ending.how for ending in endings), kinds, unit, tuple(on_deal.kinds), tuple(hit_kinds), counts.size,
    )  # fmt: skip


class Layout:
    """Where the parts of an array begin, by name."""

    def __init__(self) -> None:
        self.begins: dict[str, int] = {}
        self.size = 0

    def add(self, name: str, size: int) -> None:
        """Reserve a part."""
        self.begins[name] = self.size
        self.size += size


class Packed(Layout):
    """Arrays packed into one array."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Ints] = []

    def add(self, name: str, values: NDArray[np.integer]) -> None:  # type: ignore[override] # the part and its size
        """Append an array."""
        super().add(name, values.size)
        self._parts.append(values.reshape(-1).astype(np.int64))

    def joined(self) -> Ints:
        """The packed array."""
        return np.concatenate(self._parts)


def _main_kinds(main: Wager, endings: Ints, stakes: list[int]) -> tuple[Ints, tuple[StakedOutcome, ...], int, Ints]:
    """The kinds of hands for the main wager, by ending and column, and what each wins in whole units."""
    kinds: dict[StakedOutcome, int] = {}
    outcomes = endings[:, :, 0]
    table = np.zeros(outcomes.shape, dtype=np.int64)
    for ending, column in np.ndindex(*outcomes.shape):
        kind = StakedOutcome(int(outcomes[ending, column]), stakes[ending])
        table[ending, column] = kinds.setdefault(kind, len(kinds))
    pays = [main.cells.outcomes[kind.outcome].pays * kind.stake for kind in kinds]
    unit = lcm(*(pay.denominator for pay in pays))
    return table, tuple(kinds), unit, np.array([int(pay * unit) for pay in pays], dtype=np.int64)


def _asks(about: Questions, *two: int) -> int:
    """Whether there are questions: 0, 1, or ON_TWO if they are one table on these two cards."""
    if about.size == 1:
        return 0
    return ON_TWO if [group.fields for group in about.groups] == [two] else 1


def _stepped(rows: Ints) -> Ints:
    """Rows of ten, by what a card counts less one, as rows of 16 by what it counts."""
    wide = np.zeros((len(rows), STEP), dtype=np.int64)
    wide[:, 1:11] = rows
    return wide


def _small(values: Ints) -> Small:
    if values.size and (values.max() > LARGEST or values.min() < -LARGEST):
        raise FeltlabError("the wagers of this table tell too many hands apart to be simulated together; offer fewer")
    return np.ascontiguousarray(values.reshape(-1), dtype=np.int16)


def _refuse_hand_numbers(wager: Wager) -> None:
    """After a split, wagers can distinguish the first hand from the others, but not these from each other."""
    for _, answers in TabulatedWager(wager).tables:
        for axis, atom in enumerate(answers.atoms):
            if atom.text == "hand":
                slices = np.moveaxis(answers.table, axis, 0)
                if any(not np.array_equal(slices[1], other) for other in slices[2:]):
                    raise FeltlabError(f"{wager.id} tells the hands after a split apart; that is not simulated")
