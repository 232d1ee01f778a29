"""`feltlab show`: shows all of a sheet, for a person or a program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feltlab.cli.common import Json, SheetName, console, print_grid, print_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from feltlab.sheets import Sheet
    from feltlab.wagers.definition import WagerDefinition


def show(sheet: SheetName, json: Json = False) -> None:
    """Show a sheet: options, wagers, paytables, rules with their defaults, claims, readings."""
    from rich.markup import escape

    from feltlab.sheets import load

    found = load(sheet)
    if json:
        print_json(_as_json(found))
        return
    screen = console()
    screen.print(
        f"[bold]{escape(found.file.name)}[/]  ({found.id}, {found.game}, version {escape(found.file.version)})"
    )
    if found.file.summary:
        screen.print(found.file.summary, markup=False)
    screen.print(f"\n[bold]Decks[/]  {', '.join(map(str, found.decks))}")
    if found.options:
        screen.print("\n[bold]Options[/]  (--option)")
        for option in found.options.values():
            screen.print(f"  [bold]{option.id}[/]  {escape(option.sentence)}")
    for wager in (*found.base.wager, *found.side_wagers):
        _show_wager(screen, found, wager)
    screen.print("\n[bold]House rules[/]  (--rule KEY=VALUE; the default stands in brackets)")
    print_grid(screen, _rules(found))
    _show_papers(screen, found)


def _show_wager(screen: Console, sheet: Sheet, wager: WagerDefinition) -> None:
    from rich.markup import escape
    from rich.table import Table

    from feltlab.errors import listed
    from feltlab.sheets.options import options_of_lines

    screen.print(f"\n[bold]{escape(wager.name)}[/]  ({wager.id})")
    if wager.sentence:
        screen.print(f"  {wager.sentence}", markup=False)
    tables = wager.paytables()
    several = len(tables) > 1
    labels = [
        table.id + (f" {' '.join(map(str, table.decks))}d" if table.decks else "") if several else "pays"
        for table in tables
    ]
    grid = Table("", box=None, pad_edge=False, padding=(0, 1))
    for label in labels:
        grid.add_column(escape(label), no_wrap=True)
    options = options_of_lines(sheet, wager)
    for line in wager.line:
        only = f" (option {listed(options[line.key])})" if line.key in options else ""
        grid.add_row("  " + escape(line.name + only), *(_pay(sheet, table.pays.get(line.key, "-")) for table in tables))
    print_grid(screen, grid)
    if wager.excludes:
        screen.print(f"  not offered beside {', '.join(wager.excludes)}", style="dim")


def _pay(sheet: Sheet, pays: str) -> str:
    """A printed pay; one that a house rule sets is shown with its default."""
    defaults = {f"rule {rule.key}": rule.default for rule in sheet.rules}
    if pays not in defaults:
        return pays
    default = defaults[pays]
    return f"{default if ':' in default else default + ':1'} (--{pays})"


def _rules(sheet: Sheet) -> Table:
    from rich.markup import escape
    from rich.table import Table

    grid = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2))
    for rule in sheet.rules:
        others = [value for value in rule.values if value != rule.default]
        grid.add_row(f"  [bold]{rule.key}[/]", escape(f"[{rule.default}] {' '.join(others)}"), escape(rule.sentence))
    return grid


def _show_papers(screen: Console, sheet: Sheet) -> None:
    """Print the sheet's procedure, printed figures, readings and sources."""
    from rich.markup import escape

    screen.print("\n[bold]Procedure[/]")
    for number, step in enumerate(sheet.procedure, 1):
        screen.print(f"  {number}  {step.sentence.removeprefix(f'Step {number}. ')}", markup=False)
    if sheet.file.claim:
        screen.print("\n[bold]Printed figures[/]  (the sheet's own; none of them is computed here)")
    for claim in sheet.file.claim:
        rules = [f"{key}={value}" for key, value in claim.rules.items()]
        under = [f"{claim.decks} decks" if claim.decks else "", f"option {claim.option}" if claim.option else ""]
        strategy = f"read for strategy {claim.strategy}" if claim.strategy else ""
        conditions = ", ".join(word for word in (*under, *rules, strategy, claim.note or "") if word)
        values = ", ".join(f"{paytable} {value}" for paytable, value in claim.values.items())
        screen.print(f"  {claim.wager} {claim.figure} ({conditions}): {values}", markup=False)
        screen.print(f"    Source: {claim.source}", style="dim", markup=False)
    if sheet.file.reading:
        screen.print("\n[bold]How it is read[/]")
    for reading in sheet.file.reading:
        choice = f" (--rule {reading.rule})" if reading.rule else ""
        other = f" (the other reading is written down as {reading.wager})" if reading.wager else ""
        screen.print(f"  [bold]{reading.id}[/]  {escape(reading.point)} {escape(reading.reading)}{choice}{other}")
        screen.print(f"    Evidence: {reading.evidence}", style="dim", markup=False)
    for source in sheet.file.source:
        date = f", {source.date}" if source.date else ""
        note = f" ({source.note})" if source.note else ""
        screen.print(f"\n[bold]Source[/]  {escape(source.title + date + note)}")


def _as_json(sheet: Sheet) -> dict[str, object]:
    import msgspec

    return {
        **msgspec.to_builtins(sheet.file),
        "sha256": sheet.sha256,
        "options": [msgspec.to_builtins(option) for option in sheet.options.values()],
        "base_wagers": [msgspec.to_builtins(wager) for wager in sheet.base.wager],
        "rules": [rule._asdict() for rule in sheet.rules],
        "procedure": [msgspec.to_builtins(step) for step in sheet.procedure],
    }
