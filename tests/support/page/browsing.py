"""A person using the page: Debian's Chromium, driven through visible elements."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WIDE, TABLET, PHONE = {"width": 1440, "height": 900}, {"width": 1024, "height": 768}, {"width": 390, "height": 844}
SECONDS = 120_000  # ms; more than even a busy machine needs
AXE = Path("frontend/node_modules/axe-core/axe.min.js")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser for some tests."""
    program = shutil.which("chromium")
    assert program, "Chromium is not installed; `make chromium` installs it where it may"
    expect.set_options(timeout=SECONDS)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=FLAGS, timeout=SECONDS)
        yield browser
        browser.close()


def axe(page: Page) -> list[str]:
    """The serious and critical violations that axe finds on a page: the rule and the elements."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['html'][:200]}" for one in grave for node in one["nodes"]]


class Visitor:
    """Somebody with a browser of their own. Whatever the page complains of, or loads from elsewhere, is kept."""

    def __init__(
        self, browser: Browser, url: str, size: Mapping[str, int] = WIDE, theme: str = "light", *, motion: bool = False
    ) -> None:
        self.url, self.wrong = url, []
        still = "no-preference" if motion else "reduce"
        context = browser.new_context(viewport=dict(size), reduced_motion=still, color_scheme=theme)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(SECONDS)
        self.page.on("pageerror", lambda error: self.wrong.append(f"error: {error}"))
        self.page.on("console", lambda said: said.type == "error" and self._heard(said.text))
        self.page.on("request", lambda sent: sent.url.startswith((url, "data:")) or self.wrong.append(sent.url))

    def _heard(self, text: str) -> None:
        if "Failed to load resource" not in text:  # an answer that says no is no fault of the page
            self.wrong.append(text)

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def click(self, hook: str) -> None:
        self.page.get_by_test_id(hook).first.click()

    def sees(self, hook: str, text: str) -> None:
        expect(self.page.get_by_test_id(hook).first).to_contain_text(text)

    def sit(self, table: int, spot: int = 1) -> None:
        """From the lobby to a seat."""
        self.go("/")
        self.click(f"table-{table}")
        self.sit_here(spot)

    def sit_here(self, spot: int = 1) -> None:
        """At the table that is on the page."""
        self.click(f"spot-{spot}")
        self.click("sit")
        expect(self.page.get_by_test_id("leave")).to_be_visible()

    def bet(self, **bets: int) -> None:
        """A chip on each wager of spot 1; wagers with dashes are written with underscores."""
        self.bet_on(1, **bets)

    def bet_on(self, spot: int, **bets: int) -> None:
        for wager, chip in bets.items():
            self.click(f"chip-{chip}")
            self.click(f"wager-{spot}-{wager.replace('_', '-')}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def tab_to(self, hook: str, most: int = 80) -> None:
        """By the tab key alone."""
        expect(self.page.get_by_test_id(hook).first).to_be_visible()
        for _ in range(most):
            self.press("Tab")
            if self.page.evaluate("document.activeElement?.getAttribute('data-testid')") == hook:
                return
        raise AssertionError(f"{hook} is not reached by the tab key")

    def act(self, action: str) -> None:
        self.click(f"action-{action}")

    def close(self) -> None:
        self.page.context.close()
        assert not self.wrong, self.wrong
