"""Random numbers that are counted, not carried on: the same seed and counter give the same numbers anywhere.

Philox 4x32-10 by Salmon, Moraes, Dror and Shaw ("Parallel Random Numbers: As Easy as 1, 2, 3", 2011). Every round or
shoe has counters of its own, so it does not matter which engine deals it, when, or beside which others.
"""

from __future__ import annotations

from feltlab.marks import rule

WORD = 0xFFFFFFFF
RANGE = 1 << 32


@rule
def times(one: int, other: int) -> int:
    """The product of two numbers of 32 bits.

    It may pass 64 bits' sign when compiled; only the bits of both halves are used, and those are right.
    """
    return one * other


@rule
def block(low: int, high: int, number: int, stream: int, key_low: int, key_high: int) -> tuple[int, int, int, int]:
    """Four random words of 32 bits for a counter of four words and a key of two.

    >>> [f"{word:08x}" for word in block(0, 0, 0, 0, 0, 0)]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    for _ in range(10):
        one = times(0xD2511F53, low)
        other = times(0xCD9E8D57, number)
        low, high, number, stream = (
            ((other >> 32) & WORD) ^ high ^ key_low,
            other & WORD,
            ((one >> 32) & WORD) ^ stream ^ key_high,
            one & WORD,
        )
        key_low = (key_low + 0x9E3779B9) & WORD
        key_high = (key_high + 0xBB67AE85) & WORD
    return low, high, number, stream


@rule
def three_below(word: int, first: int, second: int, third: int) -> tuple[int, int, int, int]:
    """Three numbers below their bounds from one word, and what is left of it.

    Each is the whole part of a fraction times its bound, and the rest is the next fraction (Brackett-Rozinsky and
    Lemire, "Batched Ranged Random Integer Generation", 2024). They are unbiased once words are thrown away whose rest
    is below `unfair`.

    >>> three_below(1 << 31, 6, 6, 6)
    (3, 0, 0, 0)
    """
    word = times(word, first)
    one = (word >> 32) & WORD
    word = times(word & WORD, second)
    other = (word >> 32) & WORD
    word = times(word & WORD, third)
    return one, other, (word >> 32) & WORD, word & WORD


@rule
def unfair(first: int, second: int, third: int) -> int:
    """The rests below this belong to words that would make some triples likelier than others.

    >>> unfair(416, 416, 416), unfair(2, 2, 2)
    (47480832, 0)
    """
    return RANGE % (first * second * third)
