"""The moments of a round at which something can happen to a wager, and what is known at each.

The round engine reaches these moments in its game's order; a wager's clauses say which of them matter to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

SEEN = frozenset({"deal", "hand"})
SEEN_WITH_HIT = SEEN | {"hit"}
NOTHING_SEEN: frozenset[str] = frozenset()
DEALER_SECOND, DEALER_FINISHED = "dealer-two-cards", "dealer-finished"


class Moments(NamedTuple):
    """For each kind of clause, its moments and the facts that its condition may use."""

    placed: Mapping[str, frozenset[str]]
    settled: Mapping[str, frozenset[str]]
    take: Mapping[str, frozenset[str]]
    needs: Mapping[str, frozenset[str]]


MOMENTS: Mapping[str, Moments] = {
    "blackjack": Moments(
        placed={"before-deal": NOTHING_SEEN, "insurance": SEEN, "before-hit": SEEN, "before-double": SEEN},
        settled={
            "deal": SEEN,  # all first cards are out
            "insurance": SEEN,  # insurance and even money have been answered
            "naturals": SEEN,  # the dealer is known to have no natural
            "hit": SEEN_WITH_HIT,  # the card that the wager was placed on has been dealt
            "action": SEEN,  # the player has acted on the hand it rides on
            "end": SEEN | {"second", "dealer", "result"},
        },
        take={"deal": SEEN, "action": SEEN},
        needs={DEALER_SECOND: SEEN, DEALER_FINISHED: SEEN},
    ),
    "baccarat": Moments(
        placed={"before-deal": NOTHING_SEEN},
        settled={"end": frozenset({"result"})},
        take={},
        needs={},
    ),
}


def known_to_lines(game: str, settled: list[str], needs: list[str]) -> tuple[frozenset[str], str]:
    """The facts that lines may use, and what to say of one they may not."""
    last = settled[-1]
    known = MOMENTS[game].settled[last]
    if game == "baccarat" or last != "end":
        return known, f"the wager is settled at '{last}', before it is known; say settled = \"end\""
    if DEALER_FINISHED not in needs:
        known -= {"dealer"}
    if not needs:
        known -= {"second"}
    if "second" not in known:
        return known, f'it is only sure to be dealt if the wager says needs = "{DEALER_SECOND}" or "{DEALER_FINISHED}"'
    return (
        known,
        f'it is only sure to be known if the wager says needs = "{DEALER_FINISHED}" (a hit card: settled = "hit")',
    )
