"""Dealing: the random numbers, the cards, the kernels compiled and not, and the same counts in any split of the work."""

import numpy as np
import pytest

from feltlab.simulate.engines.cpu import Cpu
from feltlab.simulate.kernels import coups, cursor, philox, rounds
from feltlab.simulate.kernels.cursor import FRESH, Workspace, deck_of, shoe_spec
from feltlab.simulate.kernels.drawing import draw
from feltlab.simulate.stats.tally import Tally
from feltlab.simulate.work import ORDER, READY, Work
from support.dealing import dealt, prepared

SHEETS = ["bad-beat-baccarat", "bad-beat-blackjack", "big-slick-blackjack"]


# Known answers published with the generator (Random123, kat_vectors): counter, key, result.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_philox_gives_the_published_numbers(counter, key, words):
    assert " ".join(f"{word:08x}" for word in philox.block(*counter, *key)) == words


def test_three_numbers_of_a_word_are_unbiased_once_unfair_words_are_thrown_away():
    """Every word of a smaller word size, by the same steps: each triple comes from equally many."""
    size, bounds = 1 << 12, (7, 6, 5)
    unfair = size % (7 * 6 * 5)
    counts = np.zeros(bounds, dtype=int)
    for word in range(size):
        # A word of 12 bits is one of 32 whose other bits are 0; what is left over is then below 2**32 by as much.
        a, b, c, rest = philox.three_below(word << 20, *bounds)
        if rest >> 20 >= unfair:
            counts[a, b, c] += 1
    assert counts.min() == counts.max() == size // (7 * 6 * 5)


@pytest.mark.parametrize("mode", ["fresh", "shoe"])
@pytest.mark.parametrize("sheet", SHEETS)
def test_compiled_kernels_count_what_plain_python_counts(sheet, mode):
    units = 60 if mode == "fresh" else 2
    work = prepared(sheet, mode, units, units).work
    # Lists of Python's own numbers: NumPy's warn where a product passes 64 bits, which compiled ones may do.
    row, order, ready, shoe = [0] * work.cells, [0] * ORDER, [0] * READY, work.shoe
    if work.game is None:
        deck, table = work.tab[: shoe.size].tolist(), coups.played().tolist()
        if mode == "fresh":
            coups.deal_fresh.__wrapped__(0, units, shoe, deck, table, None, None, ready, row)
        else:
            coups.deal_shoes.__wrapped__(
                0, units, shoe, deck, order, ready, work.cut, work.burn, table, None, None, row
            )
    else:
        space = Workspace(work.tab.tolist(), work.spec.tolist(), order, [0] * rounds.WORK, row)
        if mode == "fresh":
            rounds.deal_fresh.__wrapped__(0, units, work.game, shoe, space, ready, None)
        else:
            rounds.deal_shoes.__wrapped__(0, units, work.cut, work.burn, work.game, shoe, space, None)
    assert sum(row) > 0 and row == work.rows(0, 1)[0].tolist()


@pytest.mark.parametrize("mode", ["fresh", "shoe"])
@pytest.mark.parametrize("sheet", SHEETS)
def test_counts_do_not_depend_on_how_the_work_is_split(sheet, mode):
    units = 3001 if mode == "fresh" else 61
    whole = prepared(sheet, mode, units, units).work
    split = Work(**{**whole.__dict__, "batch": 100 if mode == "fresh" else 3})
    counts = dealt(whole).counts
    assert counts.sum() > 0
    one, two = dealt(split, Cpu(1)), dealt(split, Cpu(2))
    assert np.array_equal(counts, one.counts) and np.array_equal(counts, two.counts)
    assert np.array_equal(one.cross, two.cross)
    late = Tally.of(split)
    for first in reversed(range(split.batches)):
        late.add(split.part(first, 1))
    assert np.array_equal(late.counts, one.counts) and np.array_equal(late.cross, one.cross)


def test_other_seeds_deal_other_cards():
    first, other = (dealt(prepared("bad-beat-baccarat", seed=seed).work).counts for seed in (7, 7 + 2**32))
    assert first.sum() == other.sum() and not np.array_equal(first, other)


def first_cards(shoe, deck, number, count):
    """The first cards of a round from a full shoe, as a kernel draws them."""
    space = Workspace(deck, [], [], [0] * rounds.WORK, [])
    places = cursor.two_openings(shoe, number >> 1)[number & 1]
    places = cursor.other_places(shoe, number) if places == cursor.REJECTED else places
    space.work[cursor.NUMBER], space.work[cursor.OPENING] = number, places
    cards, left, found = cursor.entries_at(deck, 0, places), cursor.SIX, []
    for _ in range(count):
        entry, cards, left = draw(shoe, space, 0, cards, left)
        found.append(cursor.card_of(entry))
    return found


def test_a_round_from_a_full_shoe_has_no_card_twice_and_every_card_as_often():
    shoe, deck = shoe_spec(FRESH, 52, 3), deck_of([1] * 52, lambda card: 0)
    seen = np.zeros((12, 52), dtype=int)
    for number in range(4000):
        cards = first_cards(shoe, deck.tolist(), number, 12)
        assert len(set(cards)) == 12
        seen[np.arange(12), cards] += 1
    expected = 4000 / 52
    chi_square = ((seen - expected) ** 2 / expected).sum(axis=1)
    assert chi_square.max() < 51 + 5 * np.sqrt(2 * 51)


def test_a_tally_refuses_a_part_that_it_has():
    work = prepared("bad-beat-baccarat").work
    tally = Tally.of(work)
    tally.add(work.part(2, 3))
    with pytest.raises(ValueError, match="counted before"):
        tally.add(work.part(4, 1))
    assert tally.todo(work.batches) == [(0, 2), (5, 30)]
