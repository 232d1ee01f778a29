"""Pictures of every room, in both themes and both widths: `make screenshots` writes them into build/screenshots.

Those that the documentation shows are copied from there to docs/screenshots.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect

from support.floor.inside import Inside
from support.page.browsing import PHONE, WIDE, Visitor, chromium
from support.service.servers import SHEETS
from support.stacking import stacked

ROOT = Path(__file__).parent.parent
FOLDER, SHOWN = ROOT / "build" / "screenshots", ROOT / "docs" / "screenshots"
SHOWN_ROOMS = ("blackjack", "figures", "strategy")
SIZES = {"wide": WIDE, "narrow": PHONE}
THEMES = ("light", "dark")
# Each picture has a server of its own, so the same cards lie on every picture of a room.
STACKS = {
    "1-1": "8s 6h 8d Tc  3h Th Kd 9s",  # eights split against a six; the first hand doubled
    "2-1": "2h 3c 7s 5d  Kh 9c 6d 4s 2c  8h 6s Kc As 3d",
    "3-1": "Td 9s 2c 8d 9h",
}


def blackjack(me: Visitor) -> None:
    """A split in the middle, with the coach on."""
    me.go("/tables/1")
    me.page.get_by_test_id("coach").check()
    me.sit_here(1)
    me.bet(main=2500, bad_beat=500)
    me.click("deal")
    me.act("split")
    me.act("double")
    expect(me.page.get_by_test_id("coach-now")).to_be_visible()


def baccarat(me: Visitor) -> None:
    """A few coups, and their roads."""
    me.go("/tables/2")
    me.sit_here(1)
    me.bet(player=500, bad_beat=500)
    me.click("deal")
    me.sees("net", "+")
    for _ in range(9):
        me.click("rebet")
        me.click("deal")
        expect(me.page.get_by_test_id("deal")).to_have_text("Rebet and deal")


def slick(me: Visitor) -> None:
    """Action Match is offered with a hit."""
    me.go("/tables/3")
    me.sit_here(1)
    me.bet(main=2500, big_slick=500)
    me.click("deal")
    me.click("side-action-match-500")


def replay(me: Visitor) -> None:
    """A round that is over, told and seen again."""
    me.go("/tables/1")
    me.sit_here(1)
    me.bet(main=2500, bad_beat=500)
    me.click("deal")
    me.act("split")
    me.act("double")
    me.act("stand")
    me.sees("net", "+")
    me.click("why")
    expect(me.page.get_by_text("Settlement").first).to_be_visible()


def history(me: Visitor) -> None:
    """Some rounds."""
    baccarat(me)
    me.go("/history")
    expect(me.page.get_by_text("Bad Beat Baccarat V2").first).to_be_visible()


def strategy(me: Visitor) -> None:
    """A chart with the plays that the bonus changes."""
    me.go("/lab/bad-beat-blackjack/strategy?strategy=bonus")
    expect(me.page.get_by_test_id("strategy")).to_be_visible(timeout=60_000)


def simulation(me: Visitor) -> None:
    """A run that is over, beside the exact figures."""
    me.go("/lab/bad-beat-baccarat/simulate")
    me.page.get_by_test_id("rounds").fill("100000000")
    me.click("start")
    expect(me.page.get_by_role("link", name="Another, with the next seed")).to_be_visible(timeout=120_000)


def room(path: str, shows: str) -> Callable[[Visitor], None]:
    """A room that is there at once; `shows` is what it has when it is ready."""

    def look(me: Visitor) -> None:
        me.go(path)
        expect(me.page.get_by_text(shows).first).to_be_visible()

    return look


ROOMS: dict[str, Callable[[Visitor], None]] = {
    "lobby": room("/", "Bad Beat Blackjack"),
    "blackjack": blackjack,
    "baccarat": baccarat,
    "big-slick": slick,
    "round": replay,
    "history": history,
    "account": room("/account", "I am new here"),
    "lab": room("/lab", "Bad Beat Blackjack"),
    "figures": room("/lab/bad-beat-baccarat", "Super Shot"),
    "curves": room("/lab/bad-beat-baccarat/curves", "Edge"),
    "audit": room("/lab/big-slick-blackjack/audit", "does not follow"),
    "strategy": strategy,
    "simulation": simulation,
    "own": room("/lab/own", "A side bet of your own"),
}


@contextmanager
def served() -> Iterator[Inside]:
    """A server with a table of each sheet."""
    with (
        tempfile.TemporaryDirectory() as folder,
        stacked(STACKS),
        Inside(Path(folder), *SHEETS, practice=True) as found,
    ):
        yield found


def picture(browser: Browser, name: str, width: str, theme: str) -> None:
    """One picture."""
    with served() as server:
        me = Visitor(browser, server.url, SIZES[width], theme)
        ROOMS[name](me)
        me.page.wait_for_timeout(400)
        me.page.screenshot(path=FOLDER / f"{name}-{width}-{theme}.png")
        me.close()


def main(wanted: list[str]) -> None:
    """All of them, or those of some rooms."""
    for folder in (FOLDER, SHOWN):
        folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for name in wanted or ROOMS:
            for width in SIZES:
                for theme in THEMES:
                    picture(browser, name, width, theme)
                    sys.stdout.write(f"{name}, {width}, {theme}\n")
    for name in SHOWN_ROOMS:
        if name in (wanted or ROOMS):
            shutil.copy(FOLDER / f"{name}-wide-light.png", SHOWN / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
