"""Where a request comes from: the socket's address, or what a proxy that is trusted says of its client."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from feltlab.errors import FeltlabError

MOST_HOPS = 16  # proxies in a row; nobody has more
LONGEST_ENTRY = 60  # characters of an address with its brackets, zone and port
IPV6_PREFIX = 64  # what a provider gives to one customer at least
MOST_KNOWN = 4096  # addresses whose limits are not looked up anew with every request

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.]+)(?:%[^\]]*)?\](?::[0-9]{1,5})?")
_WITH_PORT = re.compile(r"([0-9.]+):[0-9]{1,5}")


def parse_address(words: str) -> Address | None:
    """An address as sockets and proxies write it, with or without a port; None if it is none.

    >>> [str(parse_address(words)) for words in ("192.0.2.7:80", "[2001:db8::1]:443", "::ffff:192.0.2.7", "unknown")]
    ['192.0.2.7', '2001:db8::1', '192.0.2.7', 'None']
    """
    if len(words) > LONGEST_ENTRY or not words.isascii():
        return None
    words = words.strip(" \t")
    if found := _BRACKETED.fullmatch(words) or _WITH_PORT.fullmatch(words):
        words = found[1]
    try:
        address = ip_address(words.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@lru_cache(maxsize=MOST_KNOWN)
def limited_as(address: str) -> str:
    """What limits count together: an IPv4 address, or the IPv6 network of one customer.

    >>> [limited_as(one) for one in ("192.0.2.7", "2001:db8:1:2:3::4", "2001:db8:1:2:ffff::", "")]
    ['192.0.2.7', '2001:db8:1:2::/64', '2001:db8:1:2::/64', '']
    """
    found = parse_address(address)
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, IPV6_PREFIX), strict=False))
    return address if found is None else str(found)


def parse_networks(given: Iterable[str]) -> tuple[Network, ...]:
    """What `--trusted-proxy` names: addresses and networks.

    >>> parse_networks(["10.0.0.0/8", "::1"])
    (IPv4Network('10.0.0.0/8'), IPv6Network('::1/128'))
    """
    found = []
    for words in given:
        try:
            found.append(ip_network(words.strip()))
        except ValueError:
            raise FeltlabError(
                f"--trusted-proxy '{words[:60]}' is no address or network; write it as 127.0.0.1, 10.0.0.0/8 or fd00::/8"
            ) from None
    return tuple(found)


class Proxies:
    """The proxies that are trusted to say who their clients are.

    >>> Proxies(parse_networks(["10.0.0.0/8"])).client("10.0.0.1", ["203.0.113.5, 192.0.2.7, 10.0.0.9"])
    '192.0.2.7'
    """

    def __init__(self, networks: Sequence[Network]) -> None:
        self._networks = tuple(networks)

    def trusts(self, peer: str) -> bool:
        """Is this the address of a proxy that is trusted?"""
        address = parse_address(peer) if self._networks else None
        return address is not None and self._within(address)

    def client(self, peer: str, forwarded_for: Sequence[str]) -> str:
        """The client's address, from the lines of `X-Forwarded-For` that came with its request.

        Each proxy adds whom it heard from at the right end. So the client is the first from the right who is no trusted
        proxy; what stands further left is what that client says. Where an entry is no address, nobody knows who is
        behind the proxy that wrote it, and all of them count as that proxy.
        """
        found = parse_address(peer) if self._networks else None
        if found is None or not self._within(found):
            return peer
        said = ",".join(forwarded_for).rsplit(",", MOST_HOPS)[-MOST_HOPS:] if forwarded_for else []
        for words in reversed(said):
            address = parse_address(words)
            if address is None:
                break
            found = address
            if not self._within(found):
                break
        return str(found)

    def encrypted(self, peer: str, forwarded_proto: Sequence[str]) -> bool:
        """Does a trusted proxy say that its client came by HTTPS? Of several words the proxy's own is the last."""
        return bool(forwarded_proto) and self.trusts(peer) and forwarded_proto[-1].rpartition(",")[2].strip() == "https"

    def _within(self, address: Address) -> bool:
        return any(address in network for network in self._networks)
