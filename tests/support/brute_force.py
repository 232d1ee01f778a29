"""Blackjack by brute force: every card of a round, one after another, with the rules restated in fractions.

It is plain and slow on purpose, and for small shoes only: it is what the exact engine is held against, and uses nothing
of it. A shoe is a tuple of 13 counts, from aces to kings; a hand's cards are their points in rising order.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import NamedTuple

ONE, HALF = Fraction(1), Fraction(1, 2)
BUST, DEALER_BUST, NATURAL = -1, 0, 22  # strengths of hands that are not totals; the stronger hand always wins


class Hand(NamedTuple):
    """A finished hand: its strength, its stake, whether it is a later hand of a split, and whether the bonus is alive."""

    strength: int
    stake: int = 1
    later: bool = False
    surrendered: bool = False
    bonus: bool = False


def total(cards):
    """The best total: one ace counts 11 where that does not bust."""
    return sum(cards) + 10 if 1 in cards and sum(cards) <= 11 else sum(cards)


def is_natural(cards):
    """An ace and a ten as dealt."""
    return len(cards) == 2 and total(cards) == 21


def strength(cards, split=False):
    """The strength of a player's hand."""
    if is_natural(cards) and not split:
        return NATURAL
    return total(cards) if total(cards) <= 21 else BUST


def with_card(cards, rank):
    """A hand with one more card."""
    return tuple(sorted((*cards, min(rank, 10))))


def less(shoe, *ranks):
    """A shoe without some cards."""
    left = list(shoe)
    for rank in ranks:
        left[rank - 1] -= 1
    return tuple(left)


@cache
def draws(shoe):
    """Each possible next rank, its probability, and the shoe without it."""
    if not sum(shoe):
        raise ValueError("the shoe ran out")
    return [(rank, Fraction(count, sum(shoe)), less(shoe, rank)) for rank, count in enumerate(shoe, start=1) if count]


def mix(parts):
    """Several distributions combined, each with its weight."""
    found = Counter()
    for weight, table in parts:
        for key, chance in table.items():
            found[key] += weight * chance
    return found


class BruteForce:
    """The game from a shoe: house rules by name, the bonus's option and pays by line, and what a player wants.

    `aim` is "main" for the main wager alone, "bonus" for the bonus first, or how many times the main wager the bonus is.
    Among equals a player takes the first of stand, hit, double, surrender, split.
    """

    def __init__(self, shoe, rules, option, pays, aim="main"):
        self.shoe, self.rules, self.option, self.pays, self.aim = tuple(shoe), rules, option, pays, aim
        self.by_points = (*self.shoe[:9], sum(self.shoe[9:]), 0, 0, 0)
        if rules["unlike-tens"] == "yes":  # then all tens are alike, and a pair is always of one rank
            self.shoe = self.by_points
        self.peeks = rules["hole-card"] == "peek"
        for slow in (self.dealer, self.next_cards, self.faced, self.hit, self.double, self.as_dealt, self.split_worth,
                     self.finish, self.split_hand, self.split, self.together):  # fmt: skip
            setattr(self, slow.__name__, cache(slow))

    # ---- the dealer, and what wagers pay

    def dealer(self, shoe, cards):
        """The distribution of the dealer's final strength, from one card or more."""
        if is_natural(cards):
            return {NATURAL: ONE}
        hard_17 = sum(cards) == 17 or self.rules["soft17"] == "stand"
        if total(cards) > 17 or (total(cards) == 17 and hard_17):
            return {total(cards) if total(cards) <= 21 else DEALER_BUST: ONE}
        return mix((chance, self.dealer(rest, with_card(cards, rank))) for rank, chance, rest in draws(shoe))

    def main(self, hand, end):
        """What the main wager wins on a hand."""
        if hand.surrendered and not (end == NATURAL and self.rules["surrender"] == "late"):
            return -HALF
        if end == NATURAL > hand.strength and self.rules["hole-card"] == "none-original":
            return 0 if hand.later else -1
        if hand.strength > end:
            return Fraction(self.rules["natural"].replace(":", "/")) if hand.strength == NATURAL else hand.stake
        return 0 if hand.strength == end else -hand.stake

    def line(self, hand, end):
        """The bonus's line for a hand, or 'lost'."""
        sum_of = min(hand.strength, 21)
        if not hand.bonus or sum_of < 19 or (hand.strength == 21 and end == NATURAL):
            return "lost"
        if hand.strength > end:
            return "win"
        return f"{sum_of} push" if hand.strength == end else f"{sum_of} beaten"

    def settle(self, states, dealer_cards):
        """What the main wager wins on average and the chance of each line of the bonus, from how the hands ended."""
        tally = Counter()
        for (shoe, hands), chance in states.items():
            for end, more in self.dealer(shoe, dealer_cards).items():
                tally["main"] += chance * more * sum(self.main(hand, end) for hand in hands)
                tally[self.line(hands[0], end)] += chance * more
        return tally

    def worth(self, tally):
        """What a tally is worth: (main, bonus)."""
        return tally["main"], sum(chance * self.pays[line] for line, chance in tally.items() if line != "main")

    # ---- a hand by itself: only its own cards and the up card are known

    def holes(self, shoe, up):
        """The dealer's second card as a player sees it: where the dealer has looked, it makes no natural."""
        found = [hole for hole in draws(shoe) if not (self.peeks and is_natural(with_card((up,), hole[0])))]
        whole = sum(chance for _, chance, _ in found)
        return [(hole, chance / whole, rest) for hole, chance, rest in found]

    def next_cards(self, shoe, up):
        """The chance of each card to the player, with the dealer's second card unseen."""
        return mix((chance, {card: more for card, more, _ in draws(rest)}) for _, chance, rest in self.holes(shoe, up))

    def grown(self, cards, up):
        """A hand with one more card, and its chance."""
        shoe = less(self.by_points, up, *cards)
        return [(with_card(cards, rank), chance) for rank, chance in self.next_cards(shoe, up).items()]

    def faced(self, hand, cards, up):
        """What a finished hand is worth: (main, bonus)."""
        holes = self.holes(less(self.by_points, up, *cards), up)
        ends = [(chance, self.settle({(rest, (hand,)): ONE}, with_card((up,), hole))) for hole, chance, rest in holes]
        return self.worth(mix(ends))

    def stand(self, cards, up):
        """What standing is worth to the main wager."""
        return self.faced(Hand(strength(cards)), cards, up)[0]

    def hit(self, cards, up):
        """What hitting is worth to the main wager, with the best decisions later."""
        after = self.grown(cards, up)
        return sum(part * (self.hit(more, up) if self.hits(more, up) else self.stand(more, up)) for more, part in after)

    def hits(self, cards, up):
        """Whether a hand that can only be stood on or hit is better hit."""
        return total(cards) < 21 and self.hit(cards, up) > self.stand(cards, up)

    def double(self, cards, up):
        """What doubling is worth to the main wager."""
        return sum(part * self.faced(Hand(strength(more), 2), more, up)[0] for more, part in self.grown(cards, up))

    # ---- decisions on two cards

    def options(self, cards, up, bonus=False, split=False, ace=False):
        """What each legal action but splitting is worth: (main, bonus). `ace` is a split ace's hand."""
        found = {"stand": self.faced(Hand(strength(cards), bonus=bonus), cards, up)}
        if total(cards) < 21 and not (ace and self.rules["hit-split-aces"] == "no"):
            found["hit"] = self.hit(cards, up), -1
            totals = {"any": range(22), "9-11": (9, 10, 11), "10-11": (10, 11)}[self.rules["double"]]
            if total(cards) in totals and not (split and self.rules["das"] == "no"):
                found["double"] = self.double(cards, up), -1
        if total(cards) < 21 and not split and self.rules["surrender"] != "none":
            found["surrender"] = self.faced(Hand(total(cards), surrendered=True), cards, up)[0], -1
        return found

    def best(self, options, bonus):
        """The action that is worth most to what the player wants; without a live bonus, to the main wager."""
        if bonus and self.aim == "bonus":
            return max(options, key=lambda action: options[action][::-1])
        ratio = self.aim if bonus and self.aim != "main" else 0
        return max(options, key=lambda action: options[action][0] + ratio * options[action][1])

    def asked_early(self, up):
        """Whether a player may surrender before the dealer checks for a natural."""
        return self.rules["surrender"] == "early" and self.peeks and up in (1, 10)

    def as_dealt(self, cards, up, bonus, pair, split_worth=None):
        """The action on two cards as dealt after the peek, and its value; `pair` says whether they can be split."""
        found = self.options(cards, up, bonus)
        if self.asked_early(up):
            found.pop("surrender", None)
        if pair:
            found["split"] = (split_worth or self.split_worth)(cards[0], up, bonus)
        action = self.best(found, bonus)
        return action, found[action]

    def splits_again(self, pair, up):
        """Whether splitting a pair is right without the bonus; after a split, without surrender."""
        found = {**self.options((pair, pair), up), "split": self.split_worth(pair, up, False)}
        found.pop("surrender", None)
        return self.best(found, False) == "split"

    def gives_up_early(self, cards, up, bonus, pair):
        """Whether a hand is surrendered before the peek."""
        if not self.asked_early(up) or total(cards) == 21:
            return False
        shoe, hand = less(self.by_points, up, *cards), Hand(total(cards), bonus=bonus)
        natural = Fraction(shoe[9 if up == 1 else 0], sum(shoe))
        stopped = self.main(hand, NATURAL), self.pays[self.line(hand, NATURAL)]
        played = self.as_dealt(cards, up, bonus, pair)[1]
        kept = tuple(natural * lost + (1 - natural) * won for lost, won in zip(stopped, played, strict=True))
        return self.best({"keep": kept, "surrender": (-HALF, -1)}, bonus) == "surrender"

    def split_worth(self, pair, up, bonus, again=True):
        """What splitting a pair is worth, by playing out every deal of such a pair and up card without a natural.

        `again`: is the pair split again wherever it may be? A strategy that splits a pair does so.
        """
        found, whole = [], 0
        for first, up_card, second, chance, shoe in self.deals():
            if first == second and (min(first, 10), min(up_card, 10)) == (pair, up):
                for dealer_cards, more, rest in self.second_cards(shoe, up):
                    if not is_natural(dealer_cards):
                        whole += chance * more
                        found.append((chance * more, self.split(rest, first, up, bonus, dealer_cards, again)))
        return self.worth(mix((weight / whole, tally) for weight, tally in found))

    def split_at_best(self, pair, up, bonus):
        """The value of splitting a pair for a player who splits again only where that pays."""
        found = {again: self.split_worth(pair, up, bonus, again) for again in (False, True)}
        return found[self.best(found, bonus)]

    # ---- a round, card by card in the order of dealing

    def deals(self):
        """The player's first card, the up card, the player's second card, their chance, and the shoe after them."""
        for first, chance, after_first in draws(self.shoe):
            for up, more, after_up in draws(after_first):
                for second, most, rest in draws(after_up):
                    yield first, up, second, chance * more * most, rest

    def second_cards(self, shoe, up):
        """The dealer's cards before the player acts, their chance, and the shoe after them."""
        if not self.peeks:
            return [((up,), ONE, shoe)]
        return [(with_card((up,), hole), chance, rest) for hole, chance, rest in draws(shoe)]

    def finish(self, shoe, cards, up, action, hand):
        """Play one hand from an action to its end: the chance of each (shoe, finished hand)."""
        if action == "stand":
            return {(shoe, hand): ONE}
        if action == "surrender":
            return {(shoe, hand._replace(surrendered=True, bonus=False)): ONE}
        found = []
        for rank, chance, rest in draws(shoe):
            more = with_card(cards, rank)
            then = "hit" if action == "hit" and self.hits(more, up) else "stand"
            grown = hand._replace(strength=strength(more), stake=2 if action == "double" else 1, bonus=False)
            found.append((chance, self.finish(rest, more, up, then, grown)))
        return mix(found)

    def split_hand(self, shoe, rank, up, hands, later, bonus, again):
        """Play a split hand from its one card: the chance of each (shoe, finished hand, hands of the spot)."""
        found = []
        again = again and hands < int(self.rules["resplit"]) and (rank > 1 or self.rules["resplit-aces"] == "yes")
        for second, chance, rest in draws(shoe):
            if again and second == rank:
                ends = self.split_hand(rest, rank, up, hands + 1, later, bonus, again)
            else:
                cards = with_card(with_card((), rank), second)
                hand = Hand(strength(cards, split=True), later=later, bonus=bonus)
                action = self.best(self.options(cards, up, bonus, split=True, ace=rank == 1), bonus)
                ends = {(*end, hands): more for end, more in self.finish(rest, cards, up, action, hand).items()}
            found.append((chance, ends))
        return mix(found)

    def split(self, shoe, rank, up, bonus, dealer_cards, again=True):
        """Play all hands of a split, each to its end before the next, and settle them.

        With `again` the first is split again wherever it may be if the bonus rides on it, and so are all hands where
        there is no bonus to play for; hands without the bonus that a player has in view only where that is right by
        itself.
        """
        rides = bonus and self.option == 2
        others = self.splits_again(min(rank, 10), up) if bonus and self.aim != "main" else again
        states, ended = {(shoe, (), 2): ONE}, Counter()
        while states:
            following = Counter()
            for (before, done, hands), chance in states.items():
                kind = (True, False, others) if done else (False, rides, again if rides else others)
                for (rest, hand, now), more in self.split_hand(before, rank, up, hands, *kind).items():
                    all_done = (*done[:1], *sorted((*done[1:], hand)))  # in what order later hands came does not matter
                    if len(all_done) == now:
                        ended[rest, all_done] += chance * more
                    else:
                        following[rest, all_done, now] += chance * more
            states = following
        return self.settle(ended, dealer_cards)

    def play(self, first, up, second, shoe):
        """Play a deal: what the main wager wins on average, and the chance of each line of the bonus."""
        cards, up, pair = with_card(with_card((), first), second), min(up, 10), first == second
        bonus = total(cards) >= 19 or (self.option == 2 and cards in ((1, 1), (8, 8), (9, 9), (10, 10)))
        hand, found = Hand(strength(cards), bonus=bonus), []
        if self.gives_up_early(cards, up, bonus, pair):
            return {"main": -HALF, "lost": ONE}
        action = self.as_dealt(cards, up, bonus, pair)[0]
        for dealer_cards, chance, rest in self.second_cards(shoe, up):
            if is_natural(dealer_cards):
                tally = self.settle({(rest, (hand,)): ONE}, dealer_cards)
            elif action == "split":
                tally = self.split(rest, first, up, bonus, dealer_cards)
            else:
                ended = self.finish(rest, cards, up, action, hand)
                tally = self.settle({(after, (one,)): more for (after, one), more in ended.items()}, dealer_cards)
            found.append((chance, tally))
        return mix(found)

    def law(self):
        """What the main wager wins on average, and the chance of each line of the bonus."""
        return mix((chance, self.play(first, up, second, rest)) for first, up, second, chance, rest in self.deals())

    def together(self, shoe, up, done, cards, waiting):
        """What the best play for all hands together is worth, by all cards in sight.

        Some hands are done, one is in play, and single cards of a pair wait to be played.
        """
        if not cards and not waiting:
            holes = self.holes(shoe, up)
            tallies = [(part, self.settle({(rest, done): ONE}, with_card((up,), hole))) for hole, part, rest in holes]
            return mix(tallies)["main"]
        cards, waiting = (cards, waiting) if cards else (waiting[:1], waiting[1:])
        values = []
        if len(cards) > 1:
            values.append(self.together(shoe, up, (*done, Hand(strength(cards, split=True))), (), waiting))
        if total(cards) < 21:
            after = [
                (part, less(shoe, rank), with_card(cards, rank)) for rank, part in self.next_cards(shoe, up).items()
            ]
            values.append(sum(part * self.together(rest, up, done, more, waiting) for part, rest, more in after))
            if len(cards) == 2 and self.rules["das"] == "yes":
                ends = [(part, rest, (*done, Hand(strength(more), 2))) for part, rest, more in after]
                values.append(sum(part * self.together(rest, up, hands, (), waiting) for part, rest, hands in ends))
        return max(values)
