"""The page in a browser: how long a first visit takes, and from a keystroke to new figures.

    python bench/page.py

A server of its own and a browser share the machine with whatever else runs there. Each edit is one key, in the field
of a pay or a choice of the table; it is over when the page shows figures that were computed for it. What whole rounds
win follows later, and is not waited for.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.floor.inside import Inside
from support.page.browsing import Visitor, chromium

GOAL_COUNTED, GOAL_PLAYED = 150, 1000  # ms
GOAL_LOBBY = 1000
SIZE = "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind)).reduce((sum, one) => sum + one.transferSize, 0)"
# Notes when the key goes down, and when the row of the wager shows another edge and is no longer busy.
WATCH = """([row, edge]) => {
  const at = (hook) => document.querySelector(`[data-testid="${hook}"]`);
  const before = at(edge).textContent;
  window.taken = new Promise((found) => {
    let start = 0;
    document.addEventListener("keydown", () => { start = performance.now(); }, { once: true, capture: true });
    const look = () => {
      if (start && at(edge).textContent !== before && at(row).getAttribute("aria-busy") === "false") {
        watching.disconnect();
        requestAnimationFrame(() => setTimeout(() => found(performance.now() - start)));
      }
    };
    const watching = new MutationObserver(look);
    watching.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}"""


def edits(visitor: Visitor, address: str, wager: str, field: str, key: str, count: int) -> list[float]:
    """Milliseconds from key to figures; each press of an arrow key is an edit."""
    visitor.go(address)
    row, edge = f"row-{wager}", f"edge-{wager}"
    visitor.page.locator(f'[data-testid="{row}"][aria-busy="false"]').wait_for()
    visitor.page.get_by_test_id(field).focus()
    taken = []
    for _ in range(count):
        visitor.page.evaluate(WATCH, [row, edge])
        visitor.page.keyboard.press(key)
        taken.append(visitor.page.evaluate("window.taken"))
    return taken


def first_visits(browser: Browser, url: str, count: int) -> tuple[list[float], int]:
    """Milliseconds from asking for the address to tables in the lobby, each by a browser that was never there; and bytes."""
    taken, size = [], 0
    for _ in range(count):
        visitor = Visitor(browser, url)
        start = time.perf_counter()
        visitor.go("/")
        visitor.page.get_by_test_id("table-1").wait_for()
        taken.append(1000 * (time.perf_counter() - start))
        visitor.page.wait_for_load_state("networkidle")
        size = visitor.page.evaluate(SIZE)
        visitor.close()
    return taken, size


BACCARAT, BLACKJACK = "/lab/bad-beat-baccarat", "/lab/bad-beat-blackjack"
CASES = (
    ("baccarat, a pay", GOAL_COUNTED, BACCARAT, "bad-beat", "pay-bad-beat-8-over-7", "ArrowUp", 20),
    ("baccarat, the pay of a tie as a rule", GOAL_COUNTED, BACCARAT, "tie", "rule-tie", "ArrowDown", 1),
    ("blackjack, a pay", GOAL_PLAYED, BLACKJACK, "bad-beat", "pay-bad-beat-20-beaten", "ArrowUp", 20),
    ("blackjack, a pay, played for it", GOAL_PLAYED, f"{BLACKJACK}?strategy=bonus", "bad-beat", "pay-bad-beat-20-beaten", "ArrowUp", 20),
    ("blackjack, decks", GOAL_PLAYED, f"{BLACKJACK}?decks=8", "main", "decks", "ArrowUp", 7),
    ("blackjack, decks, played for the bonus", GOAL_PLAYED, f"{BLACKJACK}?decks=8&strategy=bonus", "bad-beat", "decks", "ArrowUp", 7),
)  # fmt: skip


def say(name: str, taken: list[float], goal: int, more: str = "") -> None:
    median, worst = statistics.median(taken), max(taken)
    print(f"{name}: median {median:.0f} ms, worst {worst:.0f} ms of {len(taken)} (goal {goal} ms){more}", flush=True)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Inside(Path(folder), "bad-beat-blackjack") as server,
        chromium() as browser,
    ):
        taken, size = first_visits(browser, server.url, 10)
        say("the lobby, a first visit", taken, GOAL_LOBBY, f", {size / 1000:.0f} kB")
        visitor = Visitor(browser, server.url)
        for name, goal, *given in CASES:
            say(name, edits(visitor, *given), goal)
        visitor.close()


if __name__ == "__main__":
    main()
