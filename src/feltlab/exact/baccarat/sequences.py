"""The law of a baccarat coup, as whole numbers of ordered six-card sequences, from any composition of the shoe.

A coup's totals and card counts are a *class*. Wagers that look at no cards are weighed on the 400 classes of one count;
those that name cards are weighed on those cards, as closely as they look at them, with the classes that remain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import perm, prod

from feltlab.cards import NO_CARD
from feltlab.errors import FeltlabError
from feltlab.exact.counting.named_cards import VIEW, Count, Dealt, Spend
from feltlab.exact.shoe import ShoeComposition
from feltlab.games.baccarat import NO_THIRD, banker_draws, card_points, is_natural, player_draws
from feltlab.marks import rule
from feltlab.wagers.baccarat_facts import CLASSES, VIEWS, CoupView, coup_class, coup_view
from feltlab.wagers.conditions import Atom
from feltlab.wagers.facts import Detail
from feltlab.wagers.law import Law
from feltlab.wagers.wager import Wager

COUNTED = "ordered six-card sequences"
MOST_CASES = 3_000_000

# The cards of a coup in the order of the shoe; the fifth is whoever draws first's, the sixth Banker's after Player's.
SEQUENCE = ("player_first", "banker_first", "player_second", "banker_second", "fifth", "sixth")


@rule
def count_coups(counts: Sequence[int], size: int, ways: list[int]) -> None:
    """Add up the ordered six-card sequences of every class. `counts` are the cards left by points, `ways` the sums.

    Two first cards of a hand are counted in one order and doubled. `counts` is lent: it comes back as it was.
    """
    two_more, one_more = (size - 4) * (size - 5), size - 5
    for a in range(10):
        ways_a = counts[a]
        counts[a] -= 1  # type: ignore[index] # a list, or an array in compiled code
        for b in range(a, 10):
            ways_b = ways_a * counts[b] * (1 if a == b else 2)
            if ways_b <= 0:
                continue
            counts[b] -= 1  # type: ignore[index]
            player = (a + b) % 10
            for c in range(10):
                ways_c = ways_b * counts[c]
                counts[c] -= 1  # type: ignore[index]
                for d in range(c, 10):
                    first = ways_c * counts[d] * (1 if c == d else 2)
                    if first <= 0:
                        continue
                    banker = (c + d) % 10
                    if is_natural(player) or is_natural(banker):
                        ways[coup_class(player, 2, banker, 2)] += first * two_more
                        continue
                    counts[d] -= 1  # type: ignore[index]
                    if player_draws(player, banker):
                        for x in range(10):
                            drawn = first * counts[x]
                            if drawn <= 0:
                                continue
                            total = (player + x) % 10
                            if not banker_draws(banker, x):
                                ways[coup_class(total, 3, banker, 2)] += drawn * one_more
                                continue
                            counts[x] -= 1  # type: ignore[index]
                            for y in range(10):
                                ways[coup_class(total, 3, (banker + y) % 10, 3)] += drawn * counts[y]
                            counts[x] += 1  # type: ignore[index]
                    elif banker_draws(banker, NO_THIRD):
                        for y in range(10):
                            ways[coup_class(player, 2, (banker + y) % 10, 3)] += first * counts[y] * one_more
                    else:
                        ways[coup_class(player, 2, banker, 2)] += first * two_more
                    counts[d] += 1  # type: ignore[index]
                counts[c] += 1  # type: ignore[index]
            counts[b] += 1  # type: ignore[index]
        counts[a] += 1  # type: ignore[index]


@lru_cache(maxsize=64)
def classes(shoe: ShoeComposition) -> tuple[int, ...]:
    """The ordered six-card sequences of each class, from a composition; counted once for all wagers on it."""
    ways = [0] * CLASSES
    count_coups(shoe.by_points(card_points, 10), shoe.size, ways)
    return tuple(ways)


def looks_at_cards(wager: Wager) -> bool:
    """Whether the wager looks at single cards, beside the totals and card counts."""
    return any(atom.detail is not None for atom in wager.cells.partition.atoms)


def law(wager: Wager, shoe: ShoeComposition) -> Law:
    """The law of a wager on the coup from a composition."""
    ways = [0] * len(wager.cells.outcomes)
    for outcome, weight in endings(wager, shoe):
        ways[outcome] += weight
    return Law(wager, tuple(ways), perm(shoe.size, 6), COUNTED)


def endings(wager: Wager, shoe: ShoeComposition, spend: Spend = lambda pieces: None) -> Iterator[tuple[int, int]]:
    """The outcomes of a wager on the coup, each with ways of it, case by case."""
    named, atoms = _named(wager), wager.cells.partition.atoms
    if named and max(named) < 4 and all(atom.detail is not None for atom in atoms):
        count = Count(wager, shoe, card_points, _cards_of, _cards_view, spend)
        others = perm(shoe.size - len(count.cards), 6 - len(count.cards))
        for _, outcome, weight in count.walk({}, 1):
            yield outcome, weight * others
        return
    for view, weight in _with_cards(wager, shoe, named) if named else zip(VIEWS, classes(shoe), strict=True):
        spend(VIEW + len(atoms))
        if weight:
            yield wager.cells.outcome(view), weight


def _named(wager: Wager) -> list[int]:
    """The places in the sequence of the cards that a wager looks at."""
    fields = {
        CoupView._fields[place]
        for atom in wager.cells.partition.atoms
        if atom.detail is not None
        for place in atom.fields
    }
    places = [place for place, name in enumerate(SEQUENCE) if name in fields]
    if "player_third" in fields or "banker_third" in fields:
        places.append(4)
    if "banker_third" in fields:
        places.append(5)
    return places


def _cards_of(atom: Atom) -> list[str]:
    return [CoupView._fields[place] for place in atom.fields]


def _cards_view(dealt: Dealt) -> CoupView:
    return _view({place: dealt[name] for place, name in enumerate(SEQUENCE) if name in dealt}, 2, 2)


def _with_cards(wager: Wager, shoe: ShoeComposition, named: list[int]) -> Iterator[tuple[CoupView, int]]:
    """Every case of the cards that a wager names, with every class that the other cards can make of it."""
    detail = max(atom.detail for atom in wager.cells.partition.atoms if atom.detail is not None)
    kinds = shoe.classes(Detail(detail), card_points)
    if len(kinds) ** len(named) * 60 > MOST_CASES:
        raise FeltlabError(f"{wager.id} names {len(named)} cards too closely to be counted; simulate it instead")
    remaining: dict[tuple[int, ...], list[tuple[tuple[int, int, int, int], int]]] = {}
    for chosen in product(kinds, repeat=len(named)):
        cards = [card for card, _ in chosen]
        weight = prod(count - cards[:place].count(card) for place, (card, count) in enumerate(chosen))
        if weight <= 0:
            continue
        fixed = dict(zip(named, cards, strict=True))
        points = tuple(card_points(card) for card in cards)
        if points not in remaining:
            remaining[points] = list(_rest(shoe, dict(zip(named, points, strict=True))))
        for (player, player_cards, banker, banker_cards), rest in remaining[points]:
            view = _view(fixed, player_cards, banker_cards)
            yield _with_totals(view, player, player_cards, banker, banker_cards), weight * rest


def _view(fixed: dict[int, int], player_cards: int, banker_cards: int) -> CoupView:
    """A view of the named cards alone. A third card is the fifth of the shoe, or for Banker perhaps the sixth."""
    fifth, sixth = fixed.get(4, NO_CARD), fixed.get(5, NO_CARD)
    player_third = fifth if player_cards == 3 else NO_CARD
    banker_third = NO_CARD if banker_cards == 2 else sixth if player_cards == 3 else fifth
    first = [fixed.get(place, NO_CARD) for place in range(4)]
    return coup_view(first[0], first[2], player_third, first[1], first[3], banker_third)


def _with_totals(view: CoupView, player: int, player_cards: int, banker: int, banker_cards: int) -> CoupView:
    """The named cards of one view with the facts of a class."""
    facts = VIEWS[coup_class(player, player_cards, banker, banker_cards)]
    return CoupView(*view[:6], *facts[6:])


def _rest(shoe: ShoeComposition, fixed: dict[int, int]) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """The classes that the cards which are not fixed can make, with the ways of those cards."""
    counts = shoe.by_points(card_points, 10)
    for points in fixed.values():
        counts[points] -= 1
    found: dict[tuple[int, int, int, int], int] = {}

    def place(number: int, dealt: list[int], weight: int, left: int) -> None:
        if number == 6 or (number == 4 and 4 not in fixed and 5 not in fixed and _over(dealt)):
            end = _ending(dealt)
            found[end] = found.get(end, 0) + weight * perm(left, 6 - number)
            return
        if number in fixed:
            place(number + 1, [*dealt, fixed[number]], weight, left)
            return
        for points in range(10):
            if counts[points]:
                ways = weight * counts[points]
                counts[points] -= 1
                place(number + 1, [*dealt, points], ways, left - 1)
                counts[points] += 1

    place(0, [], 1, shoe.size - len(fixed))
    yield from found.items()


def _over(dealt: list[int]) -> bool:
    """Whether the first four cards end the coup."""
    return _ending([*dealt, 0, 0])[1::2] == (2, 2)


def _ending(dealt: list[int]) -> tuple[int, int, int, int]:
    """Totals and card counts of both hands, from the points of the cards in the order of the shoe."""
    player, banker = (dealt[0] + dealt[2]) % 10, (dealt[1] + dealt[3]) % 10
    if is_natural(player) or is_natural(banker):
        return player, 2, banker, 2
    if player_draws(player, banker):
        third = dealt[4]
        total = (player + third) % 10
        if banker_draws(banker, third):
            return total, 3, (banker + dealt[5]) % 10, 3
        return total, 3, banker, 2
    if banker_draws(banker, NO_THIRD):
        return player, 2, (banker + dealt[4]) % 10, 3
    return player, 2, banker, 2
