"""Wagers on cards alone: those of the deal and the hole card, and those on hit cards, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from feltlab.cards import NO_CARD
from feltlab.hands.graph import BUST, hands
from feltlab.hands.states import ABSENT, ACTING, OPEN, HandKind, HandState, hand_as_seen
from feltlab.simulate.compile.card_questions import Questions, questions
from feltlab.simulate.compile.tabulated import TabulatedWager, any_holds, reader
from feltlab.wagers.blackjack_facts import HandView
from feltlab.wagers.conditions import Atom
from feltlab.wagers.moments import DEALER_FINISHED, DEALER_SECOND
from feltlab.wagers.wager import Wager

HOLE, HIT = (HandView._fields.index(name) for name in ("hole", "hit"))
Outcomes = tuple[int, ...]


def unseen(atom: Atom) -> Atom:
    """The question of an atom while the hole card is unseen."""
    place = atom.fields.index(HOLE) + len(atom.given)

    def ask(*cards: int) -> int:
        assert atom.function is not None
        return atom.function(*cards[:place], NO_CARD, *cards[place:])

    fields = tuple(at for at in atom.fields if at != HOLE)
    return replace(atom, text=f"{atom.text}, the hole card unseen", function=ask, fields=fields)


def before_hole(atoms: Sequence[Atom]) -> dict[Atom, Atom]:
    """The questions that can be answered at the deal, each with the question that it stands in for."""
    return {unseen(atom) if HOLE in atom.fields else atom: atom for atom in atoms}


class OnDeal:
    """Wagers on first cards, up card and hole card: how they end by the codes of both, and what they need."""

    def __init__(self, wagers: Sequence[Wager]) -> None:
        self.wagers = [TabulatedWager(wager) for wager in wagers]
        atoms = list(dict.fromkeys(atom for wager in self.wagers for _, table in wager.tables for atom in table.atoms))
        originals = before_hole(atoms)
        self.deal = questions(originals)
        self.hole = questions(atom for atom in atoms if HOLE in atom.fields)
        self.kinds: dict[Outcomes, int] = {}
        self.ends: list[int] = []
        self.needs: list[int] = []
        for code in range(self.deal.size):
            answers = {originals[atom]: value for atom, value in self.deal.answers(code).items()}
            dealt = [wager.status_after("deal", answers.__getitem__) for wager in self.wagers]
            self.needs.append(self._need(dealt, answers))
            for other in range(self.hole.size):
                known = answers | self.hole.answers(other)
                ends = (
                    wager.outcome(known.__getitem__) if status == OPEN else status
                    for wager, status in zip(self.wagers, dealt, strict=True)
                )
                self.ends.append(self.kinds.setdefault(tuple(ends), len(self.kinds)))

    def _need(self, dealt: Sequence[int], answers: Mapping[Atom, int]) -> int:
        waiting = [wager for wager, status in zip(self.wagers, dealt, strict=True) if status == OPEN]
        moments = ((2, DEALER_FINISHED), (1, DEALER_SECOND))
        return max(
            (need for need, at in moments for wager in waiting if any_holds(wager.needs, at, answers.__getitem__)),
            default=0,
        )


@dataclass
class OnHits:
    """Wagers on hit cards. A *row* says for each code of the cards how they end; hands that make no difference to them
    share a row.
    """

    wagers: Sequence[Wager]
    rows: dict[tuple[Outcomes, ...], int] = field(default_factory=dict)
    _known: dict[object, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.own = [TabulatedWager(wager) for wager in self.wagers]
        atoms = list(dict.fromkeys(atom for wager in self.own for _, table in wager.tables for atom in table.atoms))
        self.cards: Questions = questions(atoms)
        self.asks_facts = any(atom.detail is None for atom in atoms)

    def row(self, at: str, role: int, hand: int, drawn: int) -> int:
        """The row of a hand that is hit (or doubled) with a card that counts `drawn` + 1."""
        graph = hands()
        after = int(graph.child[hand, drawn])
        kind = int(graph.kind[after]) if after != BUST else int(graph.bust_kind[hand, drawn])
        key = (at, role, int(graph.kind[hand]), kind) if self.asks_facts else at
        if key not in self._known:
            before, state = graph.kinds[int(graph.kind[hand])], ACTING.after_split(role)
            made = tuple(
                self._outcomes(at, state, before, graph.kinds[kind], self.cards.answers(code))
                for code in range(self.cards.size)
            )
            self._known[key] = self.rows.setdefault(made, len(self.rows))
        return self._known[key]

    def _outcomes(
        self, at: str, state: HandState, before: HandKind, after: HandKind, answers: Mapping[Atom, int]
    ) -> Outcomes:
        placed = reader(hand_as_seen(before, state), answers)
        settled = reader(hand_as_seen(after, state), answers)
        return tuple(wager.outcome(settled) if any_holds(wager.placed, at, placed) else ABSENT for wager in self.own)
