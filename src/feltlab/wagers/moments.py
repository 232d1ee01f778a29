"""The moments of a round at which something can happen to a wager, and the facts known at each.

The round engine reaches these moments in the order of its game; a wager's clauses name the ones that it reacts to.
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
            "insurance": SEEN,  # even money has been taken; only for the main wager
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


ON_CARD = frozenset({"before-hit", "before-double"})
ALWAYS_REACHED = frozenset({"deal", "hit", "end"})


def moments_fit(placed: list[str], settled: list[str]) -> str | None:
    """What is wrong with the combination of a wager's moments; None if nothing is."""
    on_card = [at for at in placed if at in ON_CARD]
    if on_card and (len(on_card) < len(placed) or settled != ["hit"]):
        return "a wager on a hit card is placed only at 'before-hit' or 'before-double', with settled = \"hit\""
    if not on_card and "hit" in settled:
        return "only a wager that is placed 'before-hit' or 'before-double' can be settled at 'hit'"
    if settled[-1] not in ALWAYS_REACHED:
        return f"settled: not every round reaches '{settled[-1]}'; end the list with {{ at = \"end\" }}"
    return None


def known_to_lines(game: str, settled: list[str], needs: list[str]) -> tuple[frozenset[str], str]:
    """The facts that lines may use, and the error for one that they may not."""
    last = settled[-1]
    known = MOMENTS[game].settled[last]
    if game == "baccarat" or last != "end":
        return known, f"the wager is settled at '{last}', before it is known; write settled = \"end\""
    if DEALER_FINISHED not in needs:
        known -= {"dealer"}
    if not needs:  # the result of a natural is only known with the dealer's second card
        known -= {"second", "result"}
    if "second" not in known:
        return (
            known,
            f'it is only certain to be dealt if the wager has needs = "{DEALER_SECOND}" or "{DEALER_FINISHED}"',
        )
    return (
        known,
        f'it is only certain to be known if the wager has needs = "{DEALER_FINISHED}" (a hit card: settled = "hit")',
    )
