"""What whole rounds win, against every order of a small shoe: results, variance, and splits to four hands."""

from collections import defaultdict
from fractions import Fraction

import pytest

from feltlab.exact.blackjack import Blackjack
from feltlab.exact.shoe import Composition
from feltlab.sheets import load, set_up
from feltlab.strategy import parse

UPS = "2   3   4   5   6   7   8   9   T   A"


def chart():
    """Always stand, but split eights, hit a hard 14 and double a hard 13."""
    codes = {("hard", "14"): "H", ("hard", "13"): "D", ("pair", "8"): "P"}
    rows = [("hard", str(total)) for total in range(4, 22)] + [("soft", str(total)) for total in range(12, 22)]
    rows += [("pair", card) for card in "23456789TA"]
    return parse("\n".join([UPS, *(f"{k} {n} " + " ".join([codes.get((k, n), "S")] * 10) for k, n in rows)]), "simple")


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
    cards = [0] * 52
    for points, count in counts.items():
        for place in range(count):
            cards[4 * (points - 1) + place % 4] += 1
    setup = set_up(load("bad-beat-blackjack"), rules={"resplit": str(most_hands)})
    game = Blackjack(Composition(tuple(cards)), setup.house, setup.wagers["main"])
    played = game.play(chart())
    assert abs(played.expected - mean) < 1e-12
    assert abs(played.results.variance - variance) < 1e-8
    if most_hands == 2:
        for net in {*found, *played.results.chances}:
            assert abs(played.results.chances.get(Fraction(net), 0.0) - found.get(int(net), 0)) < 1e-12
    else:
        assert played.results.sampled > 0.001
