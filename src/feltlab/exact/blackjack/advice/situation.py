"""A decision and what its actions are worth: plain data, passed from a table to the analysis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from feltlab.exact.methods import is_counted
from feltlab.tables import Setup


class Situation(Struct, frozen=True, forbid_unknown_fields=True):
    """A decision, as far as the worth of its actions depends on it. `ratio` is the bonus's stake to the hand's main one."""

    kind: Literal["action", "insurance", "surrender"]
    cards: list[int]
    up: int
    actions: list[str]
    hand: int = 1  # which of the spot's hands it is
    hands: int = 1
    bonus: str = ""
    ratio: float = 0.0


class Worth(Struct, frozen=True):
    """What an action is worth for a stake of 1: to the main wager, and to the bonus if that can be figured out."""

    action: str
    main: float
    side: float | None


def in_play(setup: Setup, riding: Iterable[str]) -> list[str]:
    """The side wagers riding on a hand that depend on how it is played."""
    sides = [id for id in riding if id not in setup.sheet.base_ids]
    return [id for id in sides if not is_counted(setup.sheet.game, setup.wagers[id])]
