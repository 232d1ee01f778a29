"""Names are stored in one place, the table `people`; everything else refers to a person by a token.

So a person's name can be deleted without changing anything that was hashed. Names are put in when events are sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import Connection, bindparam, select

from feltlab.floor.storage import schema

NAMED = ("who", "by")  # the fields of events that name a person
_TOKEN = re.compile(rf'("(?:{"|".join(NAMED)})":)"#(\d+)"')  # cannot match inside a string, where quotes are escaped
_p = schema.people
_NAMES = select(_p.c.id, _p.c.name).where(_p.c.id.in_(bindparam("ids", expanding=True)))


def token(person: int) -> str:
    """The token of a person in stored events. No name begins with its first character.

    >>> token(12)
    '#12'
    """
    return f"#{person}"


def person_of(token: str) -> int:
    """The person that a token stands for; 0 for any other text.

    >>> person_of("#12"), person_of("the house")
    (12, 0)
    """
    number = token.removeprefix("#")
    return int(number) if token.startswith("#") and number.isdecimal() else 0


def people_in(texts: Iterable[str]) -> set[int]:
    """The people that stored events refer to."""
    return {int(found[2]) for text in texts for found in _TOKEN.finditer(text)}


def names_of(db: Connection, people: Iterable[int]) -> dict[int, str]:
    """The names of people."""
    ids = sorted(set(people))
    return {row.id: row.name for row in db.execute(_NAMES, {"ids": ids})} if ids else {}


def gone(person: int) -> str:
    """The name shown for a person whose name was deleted. No real name begins with a bracket."""
    return f"(gone {person})"


def with_names(text: str, names: Mapping[int, str]) -> str:
    """Stored events with names in the place of tokens.

    >>> with_names('[{"event":"ready","who":"#12"}]', {12: "Ada"})
    '[{"event":"ready","who":"Ada"}]'
    """

    def name(found: re.Match[str]) -> str:
        person = int(found[2])
        return found[1] + msgspec.json.encode(names.get(person, gone(person))).decode()

    return _TOKEN.sub(name, text)


def named_seeds(db: Connection, seeds: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The seeds of a shoe, with the names of the players who added them."""
    kept = [(person_of(who), seed) for who, seed in seeds]
    names = names_of(db, (person for person, _ in kept))
    return [(names.get(person, gone(person)), seed) for person, seed in kept]
