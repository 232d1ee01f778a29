"""Answers by name: the legal answers to a round's decision, and the command for each."""

from __future__ import annotations

from collections.abc import Mapping

from feltlab.rounds.commands import Act, Decision, EvenMoney, Insure
from feltlab.sheets.sheet import INSURANCE
from feltlab.tables.table import Table

INSURE, DECLINE, EVEN_MONEY = "insure", "decline", "even-money"


def legal_answers(table: Table, waits: Decision, most: int) -> tuple[str, ...]:
    """The names of the legal answers to a decision; `most` is the largest insurance the player can take."""
    if waits.kind != "insurance":
        return waits.actions
    insure = most >= table.limits[INSURANCE].least and most > 0
    return (*((INSURE,) if insure else ()), *((EVEN_MONEY,) if waits.even_money else ()), DECLINE)


def command_for(action: str, spot: int, side: Mapping[str, int], amount: int) -> Insure | EvenMoney | Act:
    """The command for an answer; `side` are wagers on the next card, `amount` is for insurance.

    >>> command_for("decline", 3, {}, 0)
    Insure(spot=3, amount=0)
    """
    match action:
        case "insure":
            return Insure(spot, amount)
        case "decline":
            return Insure(spot)
        case "even-money":
            return EvenMoney(spot)
        case _:
            return Act(spot, action, dict(side))
