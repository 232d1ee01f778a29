"""`feltlab play`: play in the terminal, with every wager of the sheet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from feltlab.cli.common import (
    Coin,
    Json,
    Law,
    Limits,
    Offered,
    OneDecks,
    OneOption,
    OnePaytables,
    Pays,
    RoundingOption,
    Rules,
    Seed,
    SheetName,
    console,
    print_heading,
    setups,
    shoe,
    tables,
)
from feltlab.errors import FeltlabError, Refused, nearest

if TYPE_CHECKING:
    from feltlab.rounds.baccarat import BaccaratRound
    from feltlab.rounds.blackjack import BlackjackRound
    from feltlab.rounds.commands import AnyCommand, Decision
    from feltlab.rounds.shoe import Shoe
    from feltlab.tables.table import Table

KEYS = {"s": "stand", "h": "hit", "d": "double", "p": "split", "r": "surrender", "c": "continue"}


def play(
    sheet: SheetName,
    seed: Seed = None,
    decks: OneDecks = None,
    option: OneOption = None,
    paytable: OnePaytables = None,
    rule: Rules = None,
    offer: Offered = None,
    pay: Pays = None,
    bankroll: Annotated[str, typer.Option(help="What you sit down with.")] = "1000",
    limit: Limits = None,
    jurisdiction: Law = None,
    rounding: RoundingOption = "down",
    coin: Coin = "0.01",
    json: Json = False,
) -> None:
    """Play at a table of your own. With --json, for programs: one JSON command per line in, one event per line out."""
    from feltlab.money import parse_amount
    from feltlab.sheets import load

    if "all" in (decks, option) or "all" in (paytable or []):
        raise FeltlabError("a person plays at one table; name one value instead of all")
    chosen = setups(load(sheet), decks, option, paytable, rule, offer, pay)
    (table,) = tables(chosen, limit, jurisdiction, rounding, coin)
    source = shoe(table, seed)
    money = parse_amount(bankroll)
    if json:
        from feltlab.cli.play_json import serve

        serve(table, source)
        return
    Terminal(table, money).sit(source)


class Terminal:
    """A person at a table in the terminal, with a bankroll."""

    def __init__(self, table: Table, bankroll: int) -> None:
        self.table = table
        self.bankroll = bankroll
        self.last: dict[str, int] = {}
        self.screen = console()

    def sit(self, source: Shoe) -> None:
        """Play rounds until the player leaves or has nothing left."""
        from feltlab.money import amount_text

        self.welcome()
        while self.bankroll > 0:
            if source.begin_round():
                self.screen.print("The cut card is out: the shoe is shuffled.", style="dim")
            bets = self.ask_bets()
            if bets is None:
                break
            self.one_round(bets, source)
        self.screen.print(f"You leave with {amount_text(self.bankroll)}.")

    def welcome(self) -> None:
        """Print what is played, what can be wagered, and how to write it."""
        from rich.markup import escape

        from feltlab.money import amount_text, pay_text

        setup = self.table.setup
        print_heading(self.screen, self.table)
        self.screen.print("\nWagers and the most they pay:")
        for id, wager in setup.wagers.items():
            limit = self.table.limits[id]
            bounds = f"{amount_text(limit.least)} to {amount_text(limit.most)}"
            when = "" if wager.before_deal else f", placed at '{wager.placed[0].at}'"
            self.screen.print(f"  [bold]{id}[/]  {escape(wager.name)}: {pay_text(wager.top_pay())} ({bounds}{when})")
        example = next(id for id, wager in setup.wagers.items() if wager.before_deal)
        self.screen.print(
            f"\nBet as '{example} 10' with more wagers behind it; Enter repeats the last bets, q leaves.", style="dim"
        )

    def ask_bets(self) -> dict[str, int] | None:
        """Ask for the bets of the next round; None to leave."""
        from feltlab.money import amount_text

        while True:
            try:
                line = self.ask(f"\n{amount_text(self.bankroll)} in chips. Your bets: ")
            except EOFError:
                self.screen.print("")
                return None
            if line in ("q", "quit", "exit"):
                return None
            try:
                bets = self.parse_bets(line.split()) if line else self.last
                if not bets:
                    raise Refused("there are no last bets yet; write a wager and an amount, or q to leave")
                self.try_bets(bets)
            except FeltlabError as error:
                self.screen.print(f"  {error}", style="red", markup=False)
                continue
            self.last = bets
            return bets

    def parse_bets(self, words: list[str]) -> dict[str, int]:
        """`main 10 bad-beat 5` in cents."""
        from feltlab.money import parse_amount

        if len(words) % 2:
            raise Refused("write each wager with its amount, for example 'main 10 bad-beat 5'")
        bets: dict[str, int] = {}
        for id, amount in zip(words[::2], words[1::2], strict=True):
            if id in bets:
                raise Refused(f"{id} is given twice")
            bets[self.table.wager(id).id] = parse_amount(amount)
        return bets

    def try_bets(self, bets: dict[str, int]) -> None:
        """Refuse bets that the bankroll or the table does not allow, before anything is dealt."""
        from feltlab.rounds.commands import Deal, PlaceBet
        from feltlab.rounds.open import open_round

        self.afford(sum(bets.values()))
        trial = open_round(self.table)
        for id, amount in bets.items():
            trial.do(PlaceBet(1, id, amount))
        trial.verify(Deal())

    def afford(self, amount: int) -> None:
        """Refuse more than the player has."""
        from feltlab.money import amount_text

        if amount > self.bankroll:
            raise Refused(f"that takes {amount_text(amount)}, and you have {amount_text(self.bankroll)}")

    def one_round(self, bets: dict[str, int], source: Shoe) -> None:
        """Play one round, and settle it with the bankroll."""
        from feltlab.rounds.commands import Deal, PlaceBet
        from feltlab.rounds.open import open_round

        round_ = open_round(self.table, source)
        printed = 0
        commands: list[AnyCommand] = [*(PlaceBet(1, id, amount) for id, amount in bets.items()), Deal()]
        start = self.bankroll
        while True:
            for command in commands:
                round_.do(command)
            printed = self.narrate(round_, printed)
            self.bankroll = start + round_.felt.nets().get(1, 0)
            waits = round_.waits_for
            if waits is None:
                return
            commands = [self.ask_decision(round_, waits)]

    def narrate(self, round_: BlackjackRound | BaccaratRound, printed: int) -> int:
        """Print what has happened since the last time, without empty steps; returns how many sentences there are."""
        from feltlab.rounds.narration import narrate

        sentences = list(narrate(self.table, round_.log))
        for sentence in sentences[printed:]:
            if not sentence.opens and sentence.step != "wagers":
                self.screen.print(f"  {sentence.text}", style="bold" if sentence.step == "over" else None, markup=False)
        return len(sentences)

    def ask_decision(self, round_: BlackjackRound | BaccaratRound, waits: Decision) -> AnyCommand:
        """Ask until the answer is legal and can be paid for."""
        while True:
            try:
                line = self.ask(self.question(waits))
            except EOFError:
                raise FeltlabError("the input ended in the middle of a round; its wagers stay on the felt") from None
            try:
                command = self.parse_decision(line.split(), waits)
                round_.verify(command)
                self.afford(self.price(round_, command))
            except FeltlabError as error:
                self.screen.print(f"  {error}", style="red", markup=False)
                continue
            return command

    def question(self, waits: Decision) -> str:
        """The question, with the keys that answer it."""
        from feltlab.money import amount_text

        if waits.kind == "insurance":
            even = ", 'even' for even money" if waits.even_money else ""
            return f"  Insurance? An amount up to {amount_text(waits.most)}{even}, or Enter for none: "
        words = ", ".join(f"{key} {action}" for key, action in KEYS.items() if action in waits.actions)
        extra = "".join(f"; '{action[0]} {ids[0]} 5' wagers on the card" for action, ids in waits.side.items())
        return f"  {words}{extra}: "

    def parse_decision(self, words: list[str], waits: Decision) -> AnyCommand:
        """The command for an answer."""
        from feltlab.money import parse_amount
        from feltlab.rounds.commands import Act, EvenMoney, Insure

        if waits.kind == "insurance":
            if not words or words[0].lower() in ("n", "no", "0"):
                return Insure(waits.spot)
            return EvenMoney(waits.spot) if words[0].lower() == "even" else Insure(waits.spot, parse_amount(words[0]))
        if not words:
            raise Refused("say what you do")
        action = KEYS.get(words[0].lower(), words[0].lower())
        if action not in KEYS.values():
            raise Refused(f"'{words[0]}' is not an action; {nearest(action, waits.actions)}")
        return Act(waits.spot, action, self.parse_bets(words[1:]))

    def price(self, round_: BlackjackRound | BaccaratRound, command: AnyCommand) -> int:
        """The price of a decision."""
        from feltlab.rounds.commands import Act, Insure

        if isinstance(command, Insure):
            return command.amount
        if not isinstance(command, Act):
            return 0
        waits = round_.waits_for
        main = round_.felt.find(command.spot, "main", waits.hand if waits else 0)
        again = main.stake if main and command.action in ("double", "split") else 0
        return again + sum(command.side.values())

    def ask(self, prompt: str) -> str:
        """Read a line from the player."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise EOFError
        return line.strip()
