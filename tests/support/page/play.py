"""Playthroughs of the sheets, played on the page as a person would: chips, buttons, and what is shown in the end."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from feltlab.rounds.commands import Act, EvenMoney, Insure
from support.page.browsing import Visitor
from support.playthrough import Playthrough

MINUS = "\N{MINUS SIGN}"
CHIPS = (100_000, 50_000, 10_000, 2500, 500, 100)


def wish(told: Playthrough) -> dict[str, object]:
    """The table that a playthrough is for: its first deck count and paytables."""
    decks, paytables = next(told.runs())
    return {
        "sheet": told.fields["Sheet"],
        "decks": decks,
        "option": told.fields.get("Option"),
        "paytables": [f"{wager}={id}" for wager, id in paytables.items()],
        "rules": told.rules,
        "offered": told.items("Offer", ", ") or None,
        "decision_seconds": 600,
    }


def cards(told: Playthrough) -> str:
    return " ".join(item.split()[-1] for item in told.items("Cards"))


def bets(told: Playthrough) -> list[tuple[int, str, int]]:
    """Spot, wager and cents of each bet before the deal."""
    return [
        (int(spot), wager, round(100 * float(amount)))
        for _, spot, wager, amount in (item.split() for item in told.items("Bets"))
    ]


def in_chips(cents: int) -> list[int]:
    """The chips that an amount is laid in."""
    found: list[int] = []
    for chip in CHIPS:
        found += [chip] * (cents // chip)
        cents %= chip
    assert cents == 0, "no chip is that small"
    return found


def lay(me: Visitor, spot: int, wager: str, cents: int) -> None:
    for chip in in_chips(cents):
        me.click(f"chip-{chip}")
        me.click(f"wager-{spot}-{wager}")


def decide(me: Visitor, item: str) -> None:
    """One decision of a playthrough."""
    match Playthrough.command(item):
        case Insure(_, 0):
            me.act("decline")
        case Insure(_, amount):
            me.page.get_by_test_id("insurance-amount").fill(str(amount / 100))
            me.act("insure")
        case EvenMoney():
            me.act("even-money")
        case Act(_, action, side):
            for wager, amount in side.items():
                for chip in in_chips(amount):
                    me.click(f"side-{wager}-{chip}")
            me.act(action)


def amount(cents: int) -> str:
    """Money as the page writes it."""
    whole = f"{cents / 100:,.2f}"
    return whole.removesuffix(".00")


def net(cents: int) -> str:
    return "push" if cents == 0 else f"+{amount(cents)}" if cents > 0 else f"{MINUS}{amount(-cents)}"


def check_end(me: Visitor, told: Playthrough) -> None:
    """Every wager's result lies at its spot, and the sum of them beside the chips."""
    rows = [row for found in told.expected(*next(told.runs())).values() for row in found]
    total = sum(row.back - row.stake for row in rows)
    expect(me.page.get_by_test_id("net")).to_have_text(net(total).replace("push", "even"))
    known = sorted({row.wager for row in rows}, key=len, reverse=True)
    shown: list[tuple[str, str]] = []
    for place in me.page.get_by_test_id(re.compile(r"^result-")).all():
        wager = (place.get_attribute("data-testid") or "").split("-", 2)[2]
        shown.append((next(id for id in known if wager.startswith(id)), place.inner_html()))
    assert sorted(shown) == sorted((row.wager, net(row.back - row.stake)) for row in rows)
    for item in told.items("Result"):
        who, _, totals = item.partition(" has ")
        if not who.startswith("spot"):
            me.sees(f"{who}-total", totals)


def play(me: Visitor, told: Playthrough, table: int) -> None:
    """From the lobby to the last payment."""
    me.go("/")
    me.click(f"table-{table}")
    laid = bets(told)
    for spot in sorted({spot for spot, _, _ in laid}):
        me.click(f"spot-{spot}")
    me.page.get_by_test_id("sit-chips").fill("5000")
    me.click("sit")
    for spot, wager, cents in laid:
        lay(me, spot, wager, cents)
    me.click("deal")
    for item in told.items("Play"):
        decide(me, item)
    check_end(me, told)
    rows = [row for found in told.expected(*next(told.runs())).values() for row in found]
    expect(me.page.get_by_test_id("my-chips")).to_have_text(amount(500_000 + sum(row.back - row.stake for row in rows)))
