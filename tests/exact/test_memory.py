"""Memory has a bound: caches are bounded in bytes, and a game that nobody holds is gone at once."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from feltlab import analysis
from feltlab.analysis import analyse
from feltlab.exact.blackjack import settling
from feltlab.memory import BoundedCache, resident_bytes, size_of
from feltlab.strategy import Composition, Joint

MB = 1 << 20


def test_what_is_kept_is_bounded_in_bytes():
    kept = BoundedCache(10_000)
    for number in range(100):
        kept.find(number, lambda: np.zeros(100))
        assert kept.bytes <= 10_000
    assert len(kept) > 5 and 99 in kept and 0 not in kept
    assert size_of([kept.get(key) for key in kept]) <= 10_000 + 1000  # the list itself
    kept.put("large", np.zeros(10_000))
    assert "large" not in kept and kept.bytes == 0


def test_a_value_that_grows_is_weighed_again():
    kept = BoundedCache(100_000, growing=True)
    first = kept.find("first", dict)
    first["much"] = np.zeros(10_000)  # 80 kB
    kept.find("second", dict)
    assert "first" in kept and kept.bytes > 80_000
    kept.find("second", dict)["much"] = np.zeros(10_000)
    kept.find("third", dict)
    assert list(kept) == ["second", "third"] and kept.bytes <= 100_000


def test_a_size_counts_data_once_and_nothing_that_is_everybodys():
    data = np.zeros(1000)
    assert 8000 < size_of(data) < 8300
    assert size_of([data, data[10:], data.reshape(10, 100)]) < 8800
    assert size_of(np) == 0
    seen: set[int] = set()
    assert size_of(data, seen) > 8000
    assert size_of([data], seen) < 200


def test_a_game_that_nobody_holds_is_gone_at_once():
    """Held in a ring it would stay until Python looks for rings: hundreds of megabytes, for thousands of its objects."""
    gc.collect()
    gc.disable()
    try:
        found = analyse("bad-beat-blackjack", decks=1)
        played = found.play("bonus")
        assert played.results and played.chart and played.expected
        found.figures("bad-beat", "joint:0.5")
        found.action_values("8s 8h", "Tc")
        game = weakref.ref(found.game)
        analysis._games.clear()
        del found, played
        assert game() is None
    finally:
        gc.enable()


def test_games_are_kept_up_to_a_bound(monkeypatch):
    """Each takes about 130 MB: the least used is let go."""
    analysis._games.clear()
    monkeypatch.setattr(analysis._games, "most_bytes", 200 * MB)
    for card in "23456":
        assert analyse("bad-beat-blackjack", decks=6, remove=f"{card}s").play("composition").expected
        kept = analysis._games
        assert kept.bytes <= 200 * MB and size_of([kept.get(key) for key in kept]) <= 2 * 200 * MB
    assert 1 <= len(analysis._games) <= 2
    analysis._games.clear()


def test_the_strategies_of_a_game_are_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr("feltlab.exact.blackjack.game.MOST_PLAYS_BYTES", 4 * MB)
    game = analyse("bad-beat-blackjack", decks=1).game
    wager = analyse("bad-beat-blackjack", decks=1).wager("bad-beat")
    known = []
    for ratio in np.linspace(0, 2, 12).tolist():
        assert game.play(Joint(ratio), wager).expected < 0.1
        known.append(len(game._plays))
    assert max(known) < 12, "none was let go"
    assert game.play(Joint(0.0), wager).expected == pytest.approx(game.play(Composition()).expected, abs=1e-9)
    analysis._games.clear()


def test_what_wagers_were_asked_is_bounded_in_bytes(monkeypatch):
    monkeypatch.setattr(settling._outcomes, "most_bytes", MB)
    settling._outcomes.clear()
    for option in ("1", "2", "3"):
        found = (
            analyse("bad-beat-blackjack", decks=1, option=option) if option != "3" else analyse("big-slick-blackjack")
        )
        found.play("basic").expected  # noqa: B018
        assert settling._outcomes.bytes <= MB
    assert settling._outcomes.bytes == sum(table.nbytes for table in map(settling._outcomes.get, settling._outcomes))


def test_a_process_knows_its_size():
    assert resident_bytes() > 10 * MB
