"""Proxies that the environment names: the client goes through them to other machines, and never to its own."""

import socket
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from feltlab.client import Client
from feltlab.errors import FeltlabError


@pytest.fixture
def asked(monkeypatch):
    """What a proxy is asked for, whichever way the environment names it."""
    found = []

    class Proxy(BaseHTTPRequestHandler):
        def do_POST(self):
            found.append(self.path)
            self.send_error(502)

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.server_port}")
            monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{proxy.server_port}")
        yield found
        proxy.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "localhost", "LOCALHOST", "felt.localhost", "[::1]"])
def test_a_password_for_this_machine_passes_no_proxy(asked, host):
    with closing(socket.socket()) as nobody:  # a port at which nobody listens
        nobody.bind(("127.0.0.1", 0))
        client = Client(f"http://{host}:{nobody.getsockname()[1]}", patience=0)
        with client, pytest.raises(FeltlabError, match="the server does not answer"):
            client.log_in("ada", "a long password")
    assert asked == []


def test_other_machines_are_reached_through_the_proxy(asked):
    client = Client("http://felt.example", patience=0)
    with client, pytest.raises(FeltlabError, match="the server answered 502"):
        client.log_in("ada", "a long password")
    assert asked == ["http://felt.example/api/v1/sessions"]
