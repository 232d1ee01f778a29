"""What whole rounds win, against every order of a small shoe: results, variance, and splits to four hands."""

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import pytest

from feltlab.cards import cards
from feltlab.exact.blackjack.game import Blackjack
from feltlab.exact.shoe import ShoeComposition
from feltlab.sheets import load
from feltlab.strategy import parse_chart
from feltlab.tables import set_up

UPS = "2   3   4   5   6   7   8   9   T   A"


def chart(hits=("14",), doubles=("13",), splits=("8",)):
    """Always stand, but hit and double some hard totals and split some pairs."""
    codes = {("hard", total): "H" for total in hits} | {("hard", total): "D" for total in doubles}
    codes |= {("pair", card): "P" for card in splits}
    rows = [("hard", str(total)) for total in range(4, 22)] + [("soft", str(total)) for total in range(12, 22)]
    rows += [("pair", card) for card in "23456789TA"]
    return parse_chart(
        "\n".join([UPS, *(f"{k} {n} " + " ".join([codes.get((k, n), "S")] * 10) for k, n in rows)]), "simple"
    )


def every_round(counts, most_hands):
    """All rounds of a shoe of fives, sixes, eights and nines with their chances, played by that chart: no aces, no tens."""
    found = defaultdict(Fraction)

    def draw(left, then, chance):
        size = sum(left.values())
        for card, count in left.items():
            if count:
                then({**left, card: count - 1}, card, chance * count / size)

    def dealer(left, total, hands, chance):
        if total < 17:
            draw(left, lambda rest, card, weight: dealer(rest, total + card, hands, weight), chance)
            return
        net = 0
        for mine, stake in hands:
            won = mine <= 21 and (total > 21 or mine > total)
            net += stake * (1 if won else 0 if mine == total and mine <= 21 else -1)
        found[net] += chance

    def hand(left, cards, done, waiting, chance, up, hole):
        """Play one hand; then the next one that waits for its second card."""
        total, count = sum(cards), len(done) + len(waiting) + 1
        if cards == (8, 8) and count < most_hands:
            second(left, done, ((8,), *waiting), chance, up, hole, 8)
        elif total == 13 and len(cards) == 2:
            draw(
                left,
                lambda rest, card, weight: after(rest, (*done, (total + card, 2)), waiting, weight, up, hole),
                chance,
            )
        elif total == 14:
            draw(left, lambda rest, card, weight: hand(rest, (*cards, card), done, waiting, weight, up, hole), chance)
        else:
            after(left, (*done, (total, 1)), waiting, chance, up, hole)

    def second(left, done, waiting, chance, up, hole, first):
        draw(left, lambda rest, card, weight: hand(rest, (first, card), done, waiting, weight, up, hole), chance)

    def after(left, done, waiting, chance, up, hole):
        if waiting:
            second(left, done, waiting[1:], chance, up, hole, waiting[0][0])
        else:
            dealer(left, up + hole, done, chance)

    draw(counts, lambda a, one, p: draw(a, lambda b, up, q: draw(b, lambda c, two, r: draw(
        c, lambda d, hole, s: hand(d, (one, two), (), (), s, up, hole), r), q), p), Fraction(1))  # fmt: skip
    return found


@pytest.mark.parametrize("most_hands", [2, 3, 4])
def test_results_of_every_order(most_hands):
    counts = {5: 3, 6: 2, 8: 6, 9: 3 + most_hands}
    found = every_round(counts, most_hands)
    assert sum(found.values()) == 1
    mean = sum(net * chance for net, chance in found.items())
    variance = sum(net**2 * chance for net, chance in found.items()) - mean**2
    shoe = [0] * 52
    for points, count in counts.items():
        for place in range(count):
            shoe[4 * (points - 1) + place % 4] += 1
    setup = set_up(load("bad-beat-blackjack"), rules={"resplit": str(most_hands)})
    game = Blackjack(ShoeComposition(tuple(shoe)), setup.house, setup.wagers["main"])
    played = game.play(chart())
    assert abs(played.expected - mean) < 1e-12
    assert abs(played.results.variance - variance) < 1e-8
    if most_hands == 2:
        for net in {*found, *played.results.chances}:
            assert abs(played.results.chances.get(Fraction(net), 0.0) - found.get(int(net), 0)) < 1e-12
    else:
        assert played.results.sampled > 0.001


def hits_of_every_deal(deck, lines):
    """Each card that is hit on a hard 13 or 14, one way of dealing after another: the outcome and the ways of each."""
    found = defaultdict(Fraction)

    def points(card):
        return min(card // 4 + 1, 10)

    def take(held, up, left, chance):
        if sum(map(points, held)) in (13, 14):  # an ace can only count 1 there
            for place, card in enumerate(left):
                weight = chance / len(left)
                found[lines(card, up)] += weight
                take([*held, card], up, left[:place] + left[place + 1 :], weight)

    for first, up, second, hole in permutations(range(len(deck)), 4):
        dealt = [deck[place] for place in (first, up, second, hole)]
        if sorted((points(dealt[1]), points(dealt[3]))) != [1, 10]:
            left = [card for place, card in enumerate(deck) if place not in (first, up, second, hole)]
            take([dealt[0], dealt[2]], dealt[1], left, Fraction(1))
    total = sum(found.values())
    return {outcome: ways / total for outcome, ways in found.items()}


def test_action_match_of_every_deal():
    """A wager on each hit card: ranks and suits, peek and the player's own cards, against every deal of a small deck."""
    deck = cards("Ac Ad 4h 5s 6c 6d 7h 8s 8c 9d 9h Ts Kc Kd Qh")
    expected = hits_of_every_deal(
        deck, lambda card, up: "rank" if card // 4 == up // 4 else "suit" if card % 4 == up % 4 else ""
    )
    setup = set_up(load("big-slick-blackjack"), decks=2, paytables=["action-match=A"])
    wager = setup.wagers["action-match"]
    game = Blackjack(ShoeComposition(tuple(deck.count(card) for card in range(52))), setup.house, setup.wagers["main"])
    law = game.play(chart(hits=("13", "14"), doubles=(), splits=())).law(wager)
    names = {
        wager.line_ids(outcome): float(law.probability(place)) for place, outcome in enumerate(wager.cells.outcomes)
    }
    assert abs(names[("match",)] - expected["rank"]) < 1e-12
    assert abs(names[("same-suit",)] - expected["suit"]) < 1e-12
    assert abs(names[()] - expected[""]) < 1e-12
