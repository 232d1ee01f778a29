"""Heads of the hash chains: the length and the last link of each. Whoever keeps them can detect later changes.

As text they have one line per chain, always the same for the same chains, and an optional signature:

    feltlab heads 1
    acts 12 8d0f…
    table-3 57 04b1…
    signed PUBLIC-KEY SIGNATURE

Closed tables are not listed: the act of closing a table has its last link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct
from sqlalchemy import Connection, select

from feltlab.errors import FeltlabError
from feltlab.floor.records.links import START
from feltlab.floor.storage import schema

TITLE = "feltlab heads 1"
ACTS = "acts"
LARGEST = 2**26  # bytes of a file of heads
_LINE = re.compile(r"(acts|table-[1-9][0-9]{0,15}) ([0-9]{1,16}) ([0-9a-f]{64})")
_SIGNED = re.compile(r"signed ([0-9a-f]{64}) ([0-9a-f]{128})")


class Forged(FeltlabError):
    """Heads that contradict each other, or have a wrong signature."""


class Head(Struct, frozen=True):
    """The end of a chain at some time."""

    chain: str
    length: int
    link: str


def of_table(table: int) -> str:
    """The name of a table's chain."""
    return f"table-{table}"


def heads_of(db: Connection) -> list[Head]:
    """The heads of all chains that can still grow."""
    a, t, p = schema.acts, schema.tables, schema.steps
    last = db.execute(select(a.c.id, a.c.link).order_by(a.c.id.desc()).limit(1)).first()
    ends = select(t.c.id, t.c.seq, p.c.link).join(p, (p.c.table_id == t.c.id) & (p.c.seq == t.c.seq))
    tables = db.execute(ends.where(t.c.status == "open").order_by(t.c.id))
    return [
        Head(ACTS, last.id if last else 0, last.link if last else START),
        *(Head(of_table(row.id), row.seq, row.link) for row in tables),
    ]


def write(heads: Iterable[Head], signer: Ed25519PrivateKey | None = None) -> str:
    """Heads as text, signed if there is a signer."""
    text = "".join(f"{line}\n" for line in (TITLE, *(f"{head.chain} {head.length} {head.link}" for head in heads)))
    if signer is None:
        return text
    key = signer.public_key().public_bytes_raw().hex()
    return f"{text}signed {key} {signer.sign(text.encode()).hex()}\n"


class KeptHeads:
    """Heads that somebody kept, one text after another: the link of each chain at each length.

    A text has at least one head; no text stands for no heads. With a public key, all parts must be signed by it.
    """

    def __init__(self, text: str | None = None, public_key: str | None = None) -> None:
        self.links: dict[str, dict[int, str]] = {}
        self.count = 0
        if text is not None:
            self._read(text.replace("\r\n", "\n"), public_key)  # as mail ends its lines

    def _read(self, text: str, public_key: str | None) -> None:
        if len(text) > LARGEST:
            raise FeltlabError(f"the heads are more than {LARGEST >> 20} MiB; leave the oldest out")
        parts = re.split(rf"^(?={re.escape(TITLE)}$)", text, flags=re.MULTILINE)
        if parts[0].strip():
            raise FeltlabError(f"these are not heads, which begin with the line '{TITLE}'")
        for part in parts[1:]:
            self._take(part, public_key)
        if not self.count:
            raise FeltlabError("there is no head in this text, so nothing can be proven from it")

    def _take(self, part: str, public_key: str | None) -> None:
        lines = part.rstrip("\n").split("\n")[1:]
        signed = _SIGNED.fullmatch(lines[-1]) if lines else None
        if signed:
            key, signature = signed.groups()
            text = "".join(f"{line}\n" for line in (TITLE, *lines[:-1]))
            try:
                Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), text.encode())
            except InvalidSignature:
                raise Forged(f"heads that are signed by {key} were altered since") from None
        if public_key and (signed is None or signed[1] != public_key.strip().lower()):
            raise Forged(f"heads are signed by {signed[1] if signed else 'nobody'}, not by {public_key[:64]}")
        for line in lines[:-1] if signed else lines:
            found = _LINE.fullmatch(line)
            if found is None or (int(found[2]) == 0 and (found[1], found[3]) != (ACTS, START)):
                raise FeltlabError(f"'{line[:60]}' is not a head; it consists of a chain, its length and its link")
            chain, length, link = found[1], int(found[2]), found[3]
            if self.links.setdefault(chain, {}).setdefault(length, link) != link:
                raise Forged(f"two heads say what link {length} of {chain} is, and not the same")
            self.count += 1

    def differs(self, chain: str, length: int, link: str) -> bool:
        """Whether a kept head has another link at this length."""
        return self.links.get(chain, {}).get(length, link) != link

    def longest(self, chain: str) -> int:
        """The greatest length of a chain in the kept heads."""
        return max(self.links.get(chain, {}), default=0)
