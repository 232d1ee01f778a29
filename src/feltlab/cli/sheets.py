"""`feltlab sheets`: lists the built-in sheets."""

from __future__ import annotations

from feltlab.cli.common import Json, console, print_grid, print_json


def sheets(json: Json = False) -> None:
    """List the built-in sheets."""
    from rich.table import Table

    from feltlab.sheets import builtin_names, load

    found = [load(name) for name in builtin_names()]
    if json:
        keys = ("name", "game", "version", "summary", "decks")
        print_json(
            [
                {
                    "id": sheet.id,
                    **{key: getattr(sheet.file, key) for key in keys},
                    "options": list(sheet.options),
                    "wagers": [wager.id for wager in sheet.side_wagers],
                }
                for sheet in found
            ]
        )
        return
    table = Table("sheet", "game", "decks", "wagers beside the game's own", box=None, pad_edge=False)
    for sheet in found:
        wagers = ", ".join(wager.id for wager in sheet.side_wagers)
        table.add_row(f"[bold]{sheet.id}[/]", sheet.game, " ".join(map(str, sheet.decks)), wagers)
    screen = console()
    print_grid(screen, table)
    screen.print("\nfeltlab show SHEET shows all of one; the path of your own TOML file works as well.", style="dim")
