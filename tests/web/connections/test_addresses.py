"""Whose request it is: what proxies say, and what those who are none would have us believe."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltlab.errors import FeltlabError
from feltlab.web.connections.addresses import MOST_HOPS, Proxies, limited_as, parse_address, parse_networks
from feltlab.web.http.limits import MOST_KNOWN, Buckets

LOCAL = Proxies(parse_networks(["127.0.0.1", "10.0.0.0/8", "fd00::/8", "::1"]))


@pytest.mark.parametrize(
    ("peer", "said", "client"),
    [
        ("127.0.0.1", [], "127.0.0.1"),  # it says nothing: it is itself who asks
        ("127.0.0.1", ["203.0.113.5"], "203.0.113.5"),
        ("127.0.0.1", ["198.51.100.1, 203.0.113.5"], "203.0.113.5"),  # the left one is what the client says
        ("127.0.0.1", ["198.51.100.1", "203.0.113.5"], "203.0.113.5"),  # on two lines
        ("127.0.0.1", ["203.0.113.5", "10.1.2.3"], "203.0.113.5"),  # through two proxies of ours
        ("127.0.0.1", ["198.51.100.1, 203.0.113.5, 10.1.2.3, 127.0.0.1"], "203.0.113.5"),
        ("127.0.0.1", ["10.9.9.9, 10.1.2.3"], "10.9.9.9"),  # somebody within our own network
        ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),  # no proxy of ours
        ("203.0.113.9", ["127.0.0.1"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.5:41234"], "203.0.113.5"),
        ("127.0.0.1", ["2001:db8::7"], "2001:db8::7"),
        ("127.0.0.1", ["[2001:db8::7]"], "2001:db8::7"),
        ("127.0.0.1", ["[2001:db8::7]:443"], "2001:db8::7"),
        ("127.0.0.1", [" 203.0.113.5\t"], "203.0.113.5"),
        ("::1", ["::ffff:203.0.113.5"], "203.0.113.5"),
        ("::ffff:127.0.0.1", ["203.0.113.5"], "203.0.113.5"),
        ("fd00::5", ["2001:db8::7"], "2001:db8::7"),
        ("fe80::1%eth0", ["203.0.113.5"], "fe80::1%eth0"),
        ("127.0.0.1", ["203.0.113.5, unknown"], "127.0.0.1"),  # what is left of it could be from anybody
        ("127.0.0.1", ["203.0.113.5, _hidden, 10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", ["203.0.113.5,"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.5", ""], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.256"], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.5:port"], "127.0.0.1"),
        ("127.0.0.1", ["2001:db8::7]"], "127.0.0.1"),
        ("127.0.0.1", ["٢٠٣.0.113.5"], "127.0.0.1"),
        ("127.0.0.1", ["1" * 30_000], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.5" + " " * 30_000], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.5" + ", 10.0.0.1" * 3000], "10.0.0.1"),  # more proxies than anybody has
        ("", ["203.0.113.5"], ""),
        ("testclient", ["203.0.113.5"], "testclient"),
    ],
)
def test_the_client_is_the_first_from_the_right_who_is_no_proxy_of_ours(peer, said, client):
    assert LOCAL.client(peer, said) == client


def test_nobody_is_believed_where_no_proxy_is_named():
    assert Proxies(()).client("127.0.0.1", ["203.0.113.5"]) == "127.0.0.1"
    assert not Proxies(()).encrypted("127.0.0.1", ["https"]) and not Proxies(()).trusts("127.0.0.1")


ADDRESSES = st.ip_addresses().map(str)


@given(st.lists(st.one_of(ADDRESSES, st.text(max_size=20)), max_size=6), ADDRESSES)
def test_whatever_a_client_says_of_itself_it_is_where_our_proxy_heard_it(said, client):
    """The proxy adds the client's address at the right end, as nginx does."""
    if LOCAL.trusts(client):
        return
    lines = [*said, client]
    for given_ in (lines, [", ".join(lines)]):
        assert LOCAL.client("127.0.0.1", given_) == str(parse_address(client))
    assert LOCAL.client("127.0.0.1", [", ".join([*said, client, "10.0.0.7"])]) == str(parse_address(client))


@given(st.text(max_size=80))
def test_an_address_is_one_or_none(words):
    found = parse_address(words)
    assert found is None or parse_address(str(found)) == found


def test_hops_are_counted_from_the_right():
    ours = ["10.0.0.1"] * (MOST_HOPS - 1)
    assert LOCAL.client("127.0.0.1", [", ".join(["203.0.113.5", *ours])]) == "203.0.113.5"
    assert LOCAL.client("127.0.0.1", [", ".join(["203.0.113.5", "10.0.0.1", *ours])]) == "10.0.0.1"


@pytest.mark.parametrize(
    ("peer", "said", "encrypted"),
    [
        ("127.0.0.1", ["https"], True),
        ("127.0.0.1", ["http, https"], True),
        ("127.0.0.1", ["https", "http"], False),
        ("127.0.0.1", ["https, http"], False),
        ("127.0.0.1", [], False),
        ("127.0.0.1", ["HTTPSx"], False),
        ("203.0.113.9", ["https"], False),
    ],
)
def test_only_a_proxy_of_ours_says_how_its_client_came(peer, said, encrypted):
    assert LOCAL.encrypted(peer, said) is encrypted


def test_a_customer_of_ipv6_is_one_however_many_addresses_they_have():
    assert len({limited_as(f"2001:db8:0:7::{n:x}") for n in range(300)}) == 1
    assert limited_as("2001:db8:0:7::1") != limited_as("2001:db8:0:8::1")
    assert limited_as("::ffff:192.0.2.7") == limited_as("192.0.2.7") != limited_as("192.0.2.8")
    assert limited_as("fe80::1%eth0") == limited_as("fe80::2%eth1")


@pytest.mark.parametrize("words", ["", "localhost", "10.0.0.1/8", "10.0.0.0/33", "::1/129", "127.0.0.1:80", "*"])
def test_a_proxy_is_an_address_or_a_network(words):
    with pytest.raises(FeltlabError, match="--trusted-proxy .* is no address or network; write it as"):
        parse_networks([words])


def test_a_limit_remembers_only_so_many():
    """Whoever comes from more addresses than that cannot make the server remember them all."""
    buckets = Buckets(per_second=0.001, at_once=2, clock=lambda: 0.0)
    for number in range(MOST_KNOWN + 10_000):
        buckets.take(number)
    assert len(buckets) == MOST_KNOWN
    last = MOST_KNOWN + 9_999
    assert buckets.take(last) == 0 and buckets.take(last) > 0, "the latest are remembered"
