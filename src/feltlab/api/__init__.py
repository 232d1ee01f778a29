"""The interface for programs and notebooks; every name here is a name of `feltlab` itself.

>>> import feltlab as fl
>>> table = fl.load_sheet("bad-beat-blackjack").table(decks=6, option="2", paytables="P1")
>>> f"{table.figures('bad-beat', strategy='bonus').house_edge:.4%}"
'9.0260%'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from feltlab.api.hand import DealtRound
from feltlab.api.sheet import RuleSheet, load_sheet
from feltlab.api.table import GameTable
from feltlab.audit import Finding
from feltlab.errors import FeltlabError, NotCountedError, Refused, SetupError, SheetError
from feltlab.figures import Figures
from feltlab.sheets import builtin_names as sheet_names
from feltlab.strategy import Basic, Bonus, Chart, Composition, Joint, Standard, load_chart, parse_chart
from feltlab.tables import TableChoice
from feltlab.wagers.law import Law

if TYPE_CHECKING:
    from feltlab.client import Client
    from feltlab.client.bot import join

_EXTRA = {"Client": "feltlab.client", "join": "feltlab.client.bot"}
"""Names that need the extra `serve`, imported when first used."""

__all__ = [
    "Basic",
    "Bonus",
    "Chart",
    "Client",
    "Composition",
    "DealtRound",
    "FeltlabError",
    "Figures",
    "Finding",
    "GameTable",
    "Joint",
    "Law",
    "NotCountedError",
    "Refused",
    "RuleSheet",
    "SetupError",
    "SheetError",
    "Standard",
    "TableChoice",
    "join",
    "load_chart",
    "load_sheet",
    "parse_chart",
    "sheet_names",
]


def __getattr__(name: str) -> Any:
    if name not in _EXTRA:
        raise AttributeError(f"feltlab has no {name!r}")
    return getattr(import_module(_EXTRA[name]), name)
