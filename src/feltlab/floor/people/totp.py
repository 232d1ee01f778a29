"""Time-based one-time passwords (TOTP, RFC 6238), which change every 30 seconds."""

from __future__ import annotations

import base64
import hmac
from urllib.parse import quote

PERIOD, DIGITS = 30, 6
SECRET_BYTES = 20


def code(secret: bytes, counter: int, digits: int = DIGITS) -> str:
    """The code for a counter (RFC 4226).

    >>> code(b"12345678901234567890", 0), code(b"12345678901234567890", 1)
    ('755224', '287082')
    """
    digest = hmac.digest(secret, counter.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**digits:0{digits}}"


def matching(secret: bytes, given: str, now: int, after: int) -> int | None:
    """The counter of a correct code at a time in milliseconds, later than those used; clocks may differ by one step."""
    here = now // 1000 // PERIOD
    for counter in (here, here - 1, here + 1):
        if counter > after and hmac.compare_digest(code(secret, counter).encode(), given.encode()):
            return counter
    return None


def uri(secret: bytes, name: str) -> str:
    """The address for an authenticator.

    >>> uri(b"12345678901234567890", "Ada Quill")
    'otpauth://totp/Feltlab:Ada%20Quill?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Feltlab'
    """
    return f"otpauth://totp/Feltlab:{quote(name)}?secret={base64.b32encode(secret).decode()}&issuer=Feltlab"
