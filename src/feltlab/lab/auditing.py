"""The audit of a sheet for the page: every printed figure beside the computed one."""

from __future__ import annotations

from msgspec import Struct

from feltlab.audit import alternatives, audit
from feltlab.sheets import Sheet


class OtherReading(Struct, frozen=True):
    """The same figure under another reading."""

    reading: str
    wager: str
    computed: float


class AuditFinding(Struct, frozen=True):
    """A printed figure, the computed one as a range over the deck counts, and the verdict."""

    wager: str
    paytable: str
    figure: str
    decks: list[int]
    option: str | None
    strategy: str | None
    printed: str
    claimed: float
    computed: tuple[float, float]
    verdict: str
    words: str
    source: str
    others: list[OtherReading]


class AuditAlternative(Struct, frozen=True):
    """The house edge of a wager under the reading `other`; `read` is the edge under the sheet's own reading, if any."""

    reading: str
    wager: str
    paytable: str
    decks: int
    read: float | None
    other: str
    computed: float


class AuditAnswer(Struct, frozen=True):
    """The audit's findings, and the house edges under other readings."""

    findings: list[AuditFinding]
    alternatives: list[AuditAlternative]


def audited(sheet: Sheet) -> AuditAnswer:
    """The audit of a sheet."""
    return AuditAnswer(
        [
            AuditFinding(
                wager=one.wager,
                paytable=one.paytable,
                figure=one.figure,
                decks=list(one.decks),
                option=one.option,
                strategy=one.strategy,
                printed=one.printed,
                claimed=one.claimed,
                computed=one.computed,
                verdict=one.verdict,
                words=one.words,
                source=one.source,
                others=[OtherReading(*other) for other in one.others],
            )
            for one in audit(sheet)
        ],
        [
            AuditAlternative(
                *(one.reading, one.wager, one.paytable, one.decks, one.read, _named(sheet, one.other), one.computed)
            )
            for one in alternatives(sheet)
        ],
    )


def _named(sheet: Sheet, other: str) -> str:
    """Another reading in words: the name of its wager, or the value of its rule."""
    rule, _, value = other.partition("=")
    return f"{rule.replace('-', ' ')}: {value}" if value else sheet.wager(other).name
