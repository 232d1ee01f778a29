"""Fair shoes: committed to before use, mixed with players' seeds, revealed afterwards.

The secret of a shoe is two whole numbers from the operating system, each uniform below n! for n cards, so that every order
of the shoe is possible and equally likely (8 decks: 416! is a number of 3,025 bits). Players' seeds are hashed to a number
and added to the first one, modulo n!; the sum is uniform whatever they are. The digits of the sum in the factorial number
system are the picks of a Fisher-Yates shuffle. The second number shuffles the discards if the shoe runs out in the middle
of a round.

The commitment is the SHA-256 of the secret's text, which names the shoe it belongs to. See docs/fairness.md for the
whole recipe in plain Python.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterable
from math import factorial

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from feltlab.errors import FeltlabError
from feltlab.rounds.shoe import Shoe

NONCE = 12
LONGEST_SEED = 64
MOST_SEEDS = 50


class Secret(Struct, frozen=True, forbid_unknown_fields=True):
    """The secret of a shoe: two numbers in hexadecimal, with the shoe that they are for."""

    shoe: str
    decks: int
    burn: int
    behind_cut: int
    order: str
    reserve: str

    def text(self) -> str:
        """The text that is hashed: one line for each field.

        >>> Secret("1-1", 1, 1, 26, "ff", "0").text().splitlines()
        ['shoe 1-1', 'decks 1', 'burn 1', 'behind_cut 26', 'order ff', 'reserve 0']
        """
        return "".join(f"{field} {getattr(self, field)}\n" for field in self.__struct_fields__)

    def commitment(self) -> str:
        """The hash that is published before the first card."""
        return hashlib.sha256(self.text().encode()).hexdigest()


def new_secret(shoe: str, decks: int, burn: int, behind_cut: int) -> Secret:
    """A secret for a new shoe, from the operating system's randomness."""
    orders = factorial(52 * decks)
    width = len(f"{orders - 1:x}")  # equal lengths, so that the length of a sealed secret reveals nothing
    order, reserve = (f"{secrets.randbelow(orders):0{width}x}" for _ in range(2))
    return Secret(shoe, decks, burn, behind_cut, order, reserve)


def mixed(seeds: Iterable[str], orders: int) -> int:
    """The number from players' seeds, made from 64 bits more than a number below `orders` needs, which keeps it uniform.

    >>> mixed([], 24), mixed(["lucky"], 24) == mixed(["unlucky"], 24)
    (0, False)
    """
    text = "".join(f"{seed}\n" for seed in seeds)
    if not text:
        return 0
    digest = hashlib.shake_256(text.encode()).digest(orders.bit_length() // 8 + 9)
    return int.from_bytes(digest, "big") % orders


class Digits:
    """Picks for a shuffle: the digits of a number in the factorial number system.

    >>> digits = Digits(23)
    >>> [digits(4), digits(3), digits(2)]
    [3, 2, 1]
    """

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, bound: int) -> int:
        """The next pick, from 0 to bound - 1."""
        self.number, pick = divmod(self.number, bound)
        return pick


def fair_shoe(secret: Secret, seeds: Iterable[str]) -> Shoe:
    """The shoe of a secret and the players' seeds, with the burn cards gone."""
    orders = factorial(52 * secret.decks)
    digits = Digits((int(secret.order, 16) + mixed(seeds, orders)) % orders)
    shoe = Shoe(secret.decks, digits, behind_cut=secret.behind_cut, burn=secret.burn)
    digits.number = int(secret.reserve, 16)  # k! divides n!, so shuffles of fewer cards are uniform too
    return shoe


class WrongKey(FeltlabError):
    """Sealed data cannot be opened: it was sealed with another key, or is damaged."""


class Seal:
    """Encrypts secrets for the database (AES-256-GCM), bound to their purpose. The key is never in the database."""

    def __init__(self, key: bytes) -> None:
        if len(key) != 32:
            raise FeltlabError("the key that seals shoes is 32 bytes, written as 64 hexadecimal digits")
        self._cipher = AESGCM(key)
        seed = HKDF(SHA256(), 32, None, b"feltlab heads").derive(key)
        self.signer = Ed25519PrivateKey.from_private_bytes(seed)  # signs the heads of chains
        self._signing = hmac.digest(key, b"feltlab signs with this", "sha256")

    def close(self, secret: Secret) -> bytes:
        """Seal the secret of a shoe."""
        return self.wrap(msgspec.json.encode(secret), secret.shoe)

    def open(self, sealed: bytes, shoe: str) -> Secret:
        """Open the sealed secret of a shoe."""
        try:
            text = self.unwrap(sealed, shoe)
        except WrongKey:
            raise WrongKey(
                f"the secret of shoe {shoe} does not open: this is not the key it was sealed with (see --key)"
            ) from None
        return msgspec.json.decode(text, type=Secret)

    def sign(self, purpose: str, text: str) -> str:
        """Sign a text for a purpose (HMAC-SHA256)."""
        return hmac.digest(self._signing, f"{purpose} {text}".encode(), "sha256").hex()

    def wrap(self, data: bytes, what: str) -> bytes:
        """Seal data so that it opens only under the same label."""
        nonce = os.urandom(NONCE)
        return nonce + self._cipher.encrypt(nonce, data, what.encode())

    def unwrap(self, sealed: bytes, what: str) -> bytes:
        """Open sealed data."""
        try:
            return self._cipher.decrypt(sealed[:NONCE], sealed[NONCE:], what.encode())
        except (InvalidTag, ValueError):
            raise WrongKey(f"{what} does not open: this is not the key it was sealed with") from None
