"""A strategy drawn as a chart: hands summarised in cells, with the hands that are played differently listed beside it.

The input is how every hand is played, whether by a computed strategy, a built-in chart or a user's own file.

>>> stands = [Play(hand, 4, "S") for hand in ((3, 9), (4, 8), (5, 7))]
>>> drawing = draw([*stands, Play((2, 10), 4, "H")])
>>> drawing.cells[Cell("hard", 12, 4)]
'S'
>>> drawing.hand_lines()
['hand T,2 v 4: H']
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from feltlab.games.blackjack import is_soft, total
from feltlab.strategy.chart import Actions, Cell, card_letter
from feltlab.strategy.chart_text import CODES, ROWS, UP_CARDS

AFTER_SPLIT = ("stand", "hit", "double")
MORE_CARDS = ("stand", "hit")
NO_SUCH_CARD = "-"
"""Shown in a chart against an up card that the shoe does not have."""


class Play(NamedTuple):
    """How one hand is played against an up card, in the codes of charts.

    `bonus` is the code while the bonus wager can still win, where it differs. `unsplit` is how a pair that is split is
    played once it cannot be split again. `dealt` is the probability of the hand as two cards; a hand that is not
    `reached` is ignored, unless its cell has no other hand.
    """

    cards: tuple[int, ...]
    up: int
    code: str
    bonus: str | None = None
    unsplit: str | None = None
    dealt: float = 1.0
    reached: bool = True

    @property
    def name(self) -> str:
        """The hand as players write it, the highest card first.

        >>> Play((1, 8), 6, "S").name, Play((2, 3, 10), 6, "S").name
        ('A,8', 'T,3,2')
        """
        return ",".join(card_letter(count) for count in sorted(self.cards, key=UP_CARDS.index, reverse=True))

    @property
    def is_pair(self) -> bool:
        """Whether the hand is two cards of equal points."""
        return len(self.cards) == 2 and self.cards[0] == self.cards[1]

    @property
    def by_total(self) -> Cell:
        """The cell of its total."""
        hard, aces = sum(self.cards), self.cards.count(1)
        return Cell("soft" if is_soft(hard, aces) else "hard", total(hard, aces), self.up)

    @property
    def cell(self) -> Cell:
        """The cell of the hand: a pair has one among the pairs."""
        return Cell("pair", self.cards[0], self.up) if self.is_pair else self.by_total


def code_of(actions: Sequence[str]) -> str:
    """The code for some actions, best first. What is played instead of a split is left to the total's cell.

    >>> code_of(("surrender", "split", "hit", "stand")), code_of(("double", "stand")), code_of(("split", "hit", "stand"))
    ('Rp', 'Ds', 'P')
    """
    first, then = actions[0], actions[1] if len(actions) > 1 else "stand"
    if first == "surrender":
        return {"split": "Rp", "double": "Rd", "hit": "Rh", "stand": "Rs"}[then]
    if first == "double":
        return "Ds" if then == "stand" else "D"
    return {"stand": "S", "hit": "H", "split": "P"}[first]


def meaning(code: str) -> str:
    """A code in words.

    >>> meaning("H"), meaning("Ds"), meaning("Rp")
    ('hit', 'double, else stand', 'surrender, else split')
    """
    actions = CODES[code]
    return actions[0] if actions[0] == "hit" else ", else ".join(actions[:2])


def row_label(kind: str, total: int) -> str:
    """The label of a row within its block."""
    return card_letter(total) if kind == "pair" else str(total)


@dataclass(frozen=True)
class Drawing:
    """A chart, and what its cells leave out.

    `cells` is the play without a bonus wager, `marked` the play with one alive in the cells where that differs.
    `exceptions` are hands that are not played as their cells say, `changes` those that are played differently while the
    bonus is alive, `unsplit` split pairs that are not played as their total once they cannot be split again.
    """

    cells: Mapping[Cell, str]
    marked: Mapping[Cell, str]
    exceptions: tuple[Play, ...]
    changes: tuple[Play, ...]
    unsplit: tuple[Play, ...]

    def rows(self) -> Iterator[tuple[str, str, list[str]]]:
        """Each row: its block, its label, and its codes against 2 to A."""
        for kind, totals in ROWS.items():
            for place in totals:
                codes = [self.cells.get(Cell(kind, place, up), NO_SUCH_CARD) for up in UP_CARDS]
                yield kind, row_label(kind, place), codes

    def hand_lines(self) -> list[str]:
        """The exceptions as a chart's file writes them."""
        return [f"hand {play.name} v {card_letter(play.up)}: {play.code}" for play in self.exceptions]

    def text(self, remarks: Iterable[str] = (), facts: Mapping[str, str] | None = None) -> str:
        """The chart as a file that `parse_chart` reads back to the same play; `facts` are its lines for decks and rules."""
        lines = [f"# {remark}".replace("\n", " ") for remark in remarks]
        lines += [f"{key}: {value}" for key, value in (facts or {}).items()]
        if any(NO_SUCH_CARD in codes for *_, codes in self.rows()):
            lines.append("# Where a whole column says S, the shoe has no such up card.")
        lines += ["", "         " + "   ".join(card_letter(up) for up in UP_CARDS)]
        unsplit = {play.cell: play.unsplit for play in self.unsplit}
        for kind, totals in ROWS.items():
            for place in totals:
                cells = [Cell(kind, place, up) for up in UP_CARDS]
                codes = [unsplit.get(cell) or self.cells.get(cell, "S") for cell in cells]
                label = f"{kind} {row_label(kind, place)}"
                lines.append(f"{label:<9}" + "".join(f"{code:<4}" for code in codes).rstrip())
        lines += ["", *self.hand_lines()]
        for play in self.unsplit:
            line = f"hand {play.name} v {card_letter(play.up)}: {play.code}"
            lines.append(f"{line:<24}# the row of pairs applies once it cannot be split again")
        lines += [f"hand {play.name} v {card_letter(play.up)} bonus: {play.bonus}" for play in self.changes]
        return "\n".join(lines).rstrip() + "\n"

    def csv(self) -> str:
        """The chart as comma separated values: kind, total, and a code for each up card from 2 to A.

        The kinds are hard, soft and pair; then `hand`, an exact hand that is not played as its row says, and `bonus`, one
        that is played this way while the bonus wager is alive. These two have the hand in the column `total`, and a code
        only against the up cards where it differs.
        """
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "total", *map(card_letter, UP_CARDS)])
        writer.writerows([kind, label, *codes] for kind, label, codes in self.rows())
        listed = [("hand", play, play.code) for play in self.exceptions]
        listed += [("bonus", play, play.bonus or play.code) for play in self.changes]
        hands: dict[tuple[str, str], dict[int, str]] = {}
        for kind, play, code in listed:
            hands.setdefault((kind, play.name), {})[play.up] = code
        writer.writerows([*hand, *(codes.get(up, "") for up in UP_CARDS)] for hand, codes in hands.items())
        return file.getvalue()


def draw(plays: Iterable[Play], after_split: Collection[str] = AFTER_SPLIT) -> Drawing:
    """Draw a chart of how hands are played: a cell shows what most of its two-card hands do, the likelier ones in a tie."""
    ordered = sorted(plays, key=_order)
    cells, alive = _cells(ordered, bonus=False), _cells(ordered, bonus=True)
    changes = tuple(play for play in ordered if play.bonus is not None and play.reached)
    return Drawing(
        cells,
        {cell: alive[cell] for cell in dict.fromkeys(play.cell for play in changes)},
        tuple(play for play in ordered if play.reached and not _fits(play, cells[play.cell])),
        changes,
        tuple(play for play in ordered if _is_lost(play, cells[play.by_total], after_split)),
    )


def _order(play: Play) -> tuple[int, ...]:
    """A sort key: hands of two cards first, then by the rows and columns of a chart."""
    return len(play.cards), list(ROWS).index(play.cell.kind), play.cell.total, UP_CARDS.index(play.up)


def _cells(plays: Sequence[Play], *, bonus: bool) -> dict[Cell, str]:
    """The code of each cell: by its two-card hands if there are any, else by longer ones, else by a pair of that total."""
    votes: dict[Cell, dict[int, dict[str, tuple[int, float]]]] = {}
    for play in plays:
        code = play.bonus if bonus and play.bonus else play.code
        rank = (0 if play.dealt else 3) if len(play.cards) == 2 else 1 if play.reached else 3
        cast = [(play.cell, rank, code)]
        cast += [(play.by_total, 2, play.unsplit or code)] if play.is_pair else []
        for cell, place, choice in cast:
            counts = votes.setdefault(cell, {}).setdefault(place, {})
            hands, dealt = counts.get(choice, (0, 0.0))
            counts[choice] = hands + 1, dealt + play.dealt
    return {cell: max(ranks[min(ranks)].items(), key=lambda vote: vote[1])[0] for cell, ranks in votes.items()}


def _first(actions: Actions, legal: Collection[str]) -> str:
    return next(action for action in actions if action in legal)


def _fits(play: Play, code: str) -> bool:
    """Whether a hand is played as its cell says. Hands of more than two cards can only be hit or stood on."""
    if len(play.cards) == 2:
        return play.code == code
    return _first(CODES[play.code], MORE_CARDS) == _first(CODES[code], MORE_CARDS)


def _is_lost(play: Play, by_total: str, after_split: Collection[str]) -> bool:
    """Whether a pair that cannot be split again is played differently from its total."""
    if play.unsplit is None or "split" not in CODES[play.code]:
        return False
    return _first(CODES[play.unsplit], after_split) != _first(CODES[by_total], after_split)
