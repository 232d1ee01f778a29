"""Cards, and the questions wagers ask of them, against plain restatements on every pair and many triples."""

from itertools import combinations_with_replacement, product

import pytest

from feltlab import cards
from feltlab.errors import FeltlabError

DECK = range(52)
RANK = {card: "A23456789TJQK".index(cards.name(card)[0]) + 1 for card in DECK}
SUIT = {card: cards.name(card)[1] for card in DECK}


def test_names_round_trip():
    assert [cards.card(cards.name(card)) for card in DECK] == list(DECK)
    assert cards.cards("As,10h Kd") == (3, 38, 49)
    assert cards.names((3, 49)) == "As Kd"
    assert sorted(cards.decks(3)) == sorted(list(DECK) * 3)


@pytest.mark.parametrize("text", ["", "A", "1s", "Ax", "AAs", "10", "11h", "ss", "10ss", "\x00s"])
def test_not_a_card(text):
    with pytest.raises(FeltlabError, match="is not a card"):
        cards.card(text)


def test_ranks_suits_colours():
    for card in DECK:
        assert cards.rank(card) == RANK[card]
        assert "cdhs"[cards.suit(card)] == SUIT[card]
        assert cards.color(card) == int(SUIT[card] in "dh")
    assert (cards.rank(-1), cards.suit(-1), cards.color(-1)) == (0, 4, 2)


def is_straight(hand, low, high):
    """Ranks in a row, the ace counted at one end or the other."""
    ranks = sorted(RANK[card] for card in hand)
    rows = [list(range(first, first + len(hand))) for first in range(1, 15 - len(hand) + 1)]
    as_high = sorted(14 if rank == 1 else rank for rank in ranks)
    return (low and ranks in rows and 14 not in ranks) or (high and as_high in rows and 1 not in as_high)


@pytest.mark.parametrize("size", [2, 3])
def test_questions(size):
    deck = DECK if size == 2 else range(0, 52, 3)
    for hand in product(deck, repeat=size):
        ranks, suits = {RANK[card] for card in hand}, {SUIT[card] for card in hand}
        assert cards.same_rank(*hand) == int(len(ranks) == 1)
        assert cards.same_suit(*hand) == int(len(suits) == 1)
        assert cards.same_color(*hand) == int(len({suit in "dh" for suit in suits}) == 1)
        assert cards.identical(*hand) == int(len(set(hand)) == 1)
        assert cards.straight(*hand) == int(is_straight(hand, True, True)), cards.names(hand)
        assert cards.straight_ace_high(*hand) == int(is_straight(hand, False, True))
        assert cards.matches(*hand) == sum(RANK[card] == RANK[hand[0]] for card in hand[1:])
        assert cards.suited_matches(*hand) == sum(card == hand[0] for card in hand[1:])
        for rank in (1, 7, 13):
            assert cards.count(rank, *hand) == sum(RANK[card] == rank for card in hand)


def test_four_in_a_row():
    for ranks in combinations_with_replacement(range(1, 14), 4):
        hand = tuple(4 * (rank - 1) for rank in ranks)
        assert cards.straight(*hand) == int(is_straight(hand, True, True))


def test_an_absent_card_answers_no():
    for function in (cards.same_rank, cards.same_suit, cards.same_color, cards.identical, cards.straight):
        assert function(-1, -1) == 0
        assert function(0, -1) == 0
        assert function(-1, 0) == 0
    assert cards.matches(-1, -1) == cards.matches(-1, 0) == cards.matches(0, -1) == 0
    assert cards.suited_matches(-1, -1) == cards.suited_matches(0, -1) == 0
    assert cards.count(1, -1) == 0
