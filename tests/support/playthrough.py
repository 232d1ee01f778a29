"""Reads playthroughs, which are rounds written by hand from the sheets, and plays them at a real table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

from feltlab.cards import card
from feltlab.money import LOSE, PUSH, parse_amount
from feltlab.rounds.blackjack import BlackjackRound
from feltlab.rounds.commands import Act, AnyCommand, Deal, EvenMoney, Insure, PlaceBet
from feltlab.rounds.open import open_round
from feltlab.rounds.shoe import Stacked
from feltlab.sheets import load
from feltlab.tables import set_up
from feltlab.tables.table import open_table
from support.paths import ROOT, TESTS

FILES = sorted((TESTS / "playthroughs").glob("*/*.txt"))


def sheet_name(said: str) -> str:
    """A built-in sheet by its name; an example by its path in the project."""
    return str(ROOT / said) if said.endswith(".toml") else said


def cents(text: str) -> int:
    """Parse money as in playthroughs, including 0.00."""
    return 0 if text == "0.00" else parse_amount(text)


def ratio(text: str) -> Fraction:
    """Parse a pay as printed in sheets, independently of the engine that is being checked."""
    if text in ("push", "lose"):
        return PUSH if text == "push" else LOSE
    sign = -1 if text.startswith("lose ") else 1
    pays, to = text.removeprefix("lose ").split(" to ")
    return sign * Fraction(int(pays), int(to))


def table_rows(text: str) -> list[dict[str, str]]:
    """The rows of a table drawn with bars."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


class Row(NamedTuple):
    """The expected result of one bet."""

    wager: str
    paytable: str
    decks: str
    line: str
    pays: str
    stake: int
    back: int


@dataclass
class Playthrough:
    """One round as described in its file."""

    name: str
    fields: dict[str, str]
    rows: list[Row]

    @classmethod
    def read(cls, path: Path) -> Playthrough:
        text = path.read_text()
        head = text.split("\n|")[0]
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        rows = [Row(**{**row, "stake": cents(row["stake"]), "back": cents(row["back"])}) for row in table_rows(text)]  # type: ignore[arg-type]
        return cls(f"{path.parent.name}/{path.stem}", fields, rows)

    def items(self, field: str, between: str = "; ") -> list[str]:
        value = self.fields.get(field, "-")
        return [] if value == "-" else value.split(between)

    @property
    def rules(self) -> dict[str, str]:
        return dict(item.split("=") for item in self.items("Rules", ", "))

    def runs(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Every deck count with every combination of the paytables that the rows name."""
        for decks in map(int, self.fields["Decks"].split()):
            named: dict[str, dict[str, None]] = {}
            for row in self.rows:
                if row.paytable != "any" and row.decks in ("any", str(decks)):
                    named.setdefault(row.wager, {})[row.paytable] = None
            for chosen in product(*named.values()):
                yield decks, dict(zip(named, chosen, strict=True))

    def expected(self, decks: int, paytables: dict[str, str]) -> dict[str, list[Row]]:
        """The rows that hold in one run, by wager."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            if row.decks in ("any", str(decks)) and row.paytable in ("any", paytables.get(row.wager, "-")):
                found.setdefault(row.wager, []).append(row)
        return found

    def play(self, decks: int, paytables: dict[str, str]):
        """The round, dealt with the file's cards and played by its decisions."""
        setup = set_up(
            load(sheet_name(self.fields["Sheet"])),
            decks=decks,
            option=self.fields.get("Option"),
            paytables=[f"{wager}={id}" for wager, id in paytables.items()],
            rules=self.rules,
            offered=self.items("Offer", ", ") or None,
        )
        source = Stacked(card(item.split()[-1]) for item in self.items("Cards"))
        round_ = open_round(open_table(setup), source)
        for item in self.items("Bets"):
            _, spot, wager, amount = item.split()
            round_.do(PlaceBet(int(spot), wager, parse_amount(amount)))
        round_.do(Deal())
        for item in self.items("Play"):
            round_.do(self.command(item))
        return round_, source

    @staticmethod
    def command(item: str) -> AnyCommand:
        _, number, *words = item.split()
        spot = int(number)
        match words:
            case ["insure", amount]:
                return Insure(spot, parse_amount(amount))
            case ["no", "insurance"]:
                return Insure(spot)
            case ["even", "money"]:
                return EvenMoney(spot)
            case [action, "with", wager, amount]:
                return Act(spot, action, {wager: parse_amount(amount)})
            case [action]:
                return Act(spot, action)
        raise AssertionError(f"no such decision: {item}")


def settled(round_) -> dict[str, list]:
    """How each bet ended, by wager, in the order of spots and hands."""
    bets = list(round_.felt.bets.values())
    if isinstance(round_, BlackjackRound):
        bets.sort(key=lambda bet: (bet.spot, round_.hands.spots[bet.spot].place(bet.hand), bet.id))
    found: dict[str, list] = {}
    for bet in bets:
        found.setdefault(bet.wager, []).append(bet.settled)
    return found
