"""The most that a table may have to pay: what wagers can bring back, whatever is dealt and however it is played.

This is an upper bound, in whole cents and rounded as the table rounds: it assumes a wager's best cell even if no cards
make it, and hands that are split as often as the house allows, doubled, and hit as often as possible.
"""

from __future__ import annotations

from collections.abc import Mapping

from feltlab.errors import SetupError
from feltlab.money import LARGEST_BALANCE, PUSH, amount_text, back
from feltlab.sheets.sheet import MAIN
from feltlab.tables.table import Table

MOST_HITS = 20  # a hand that can be hit has between 2 and 21 points, and every card adds at least one


def most_back(table: Table, bets: Mapping[str, int]) -> int:
    """The most that a spot with these wagers before the deal can get back, including what it may add later."""
    if not bets:
        return 0
    main = min(bets.get(MAIN, 0), table.most(MAIN)) if MAIN in table.limits else 0
    return sum(_most_back(table, id, bets.get(id, 0), main) for id in table.setup.wagers)


def check_payments(table: Table, spots: int, most: int = LARGEST_BALANCE) -> None:
    """Refuse a table that might have to pay more than a bound: for one wager, or in a round with every spot in play."""
    limits = {id: table.most(id) for id in table.setup.wagers}
    main = limits.get(MAIN, 0)
    bound = f"more than the {amount_text(most)} that this table may pay"
    for id, stake in limits.items():
        if (pays := _most_back(table, id, stake, main)) > most:
            raise SetupError(
                f"limits of {id}: {amount_text(stake)} can bring {amount_text(pays)} back, {bound}; lower its limit"
            )
    if (pays := spots * most_back(table, limits)) > most:
        raise SetupError(
            f"limits: a round with all {spots} spots and every wager at its limit can bring {amount_text(pays)} back,"
            f" {bound} at once; lower the limits, or offer fewer wagers or seats"
        )


def _most_back(table: Table, id: str, stake: int, main: int) -> int:
    """The most for one wager of a spot, counting every time that it can be placed again in the round."""
    wager, most = table.setup.wagers[id], table.most(id)
    pays = max(wager.top_pay(), PUSH)  # a void round returns the stake, even if no cell does
    hands = table.setup.house.most_hands if table.setup.sheet.game == "blackjack" else 1
    total = 0
    if wager.before_deal:
        laid = max(0, min(stake, most))
        again = hands if id == MAIN else 1
        total += again * back(2 * laid if id == MAIN else laid, pays, table.rounding) if laid else 0
    if not wager.before_deal or wager.on_hit_cards:
        later = most if wager.at_most is None else min(most, int(main * wager.at_most))
        times = hands * MOST_HITS if wager.on_hit_cards else 1
        total += times * back(later, pays, table.rounding) if later else 0
    return total
