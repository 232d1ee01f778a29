"""A server behind a real nginx, with the configuration that the page for operators gives."""

import json
import ssl
from contextlib import contextmanager

import httpx
import pytest

from support.service.proxies import NAME, Nginx
from support.service.requests import API, problem
from support.service.servers import Server

SHEET = "bad-beat-blackjack"
WRONG = {"name": "house", "password": "a wrong password"}
LONG = httpx.Timeout(120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("proxy")


@pytest.fixture(scope="module")
def server(folder):
    """Started as the page says, with the limits that everybody has."""
    more = ["--trusted-proxy", "127.0.0.1", "--allow-host", NAME, "--metrics-port", "0"]
    with Server(f"sqlite:///{folder / 'felt.db'}", folder, sheets=[SHEET], writes=20, arguments=more) as found:
        yield found


@pytest.fixture(scope="module")
def proxy(folder, server):
    with Nginx(folder, server.port) as found:
        yield found


@contextmanager
def visitor(proxy, address, **headers):
    """Somebody at one of the machine's own addresses: nginx sees that, and the server what nginx says."""
    trusting = ssl.create_default_context(cafile=str(proxy.certificate))
    transport = httpx.HTTPTransport(local_address=address, verify=trusting)
    place = f"https://{NAME}:{proxy.port}"
    with httpx.Client(
        base_url=place, transport=_ToLoopback(transport, proxy.port), headers=headers, timeout=LONG
    ) as web:
        yield web


class _ToLoopback(httpx.BaseTransport):
    """Finds the proxy by its name without asking anybody."""

    def __init__(self, transport, port):
        self._transport, self._port = transport, port

    def handle_request(self, request):
        here = request.url.copy_with(host="127.0.0.1", port=self._port)
        more = {**request.extensions, "sni_hostname": NAME}
        sent = httpx.Request(request.method, here, headers=request.headers, stream=request.stream, extensions=more)
        return self._transport.handle_request(sent)

    def close(self):
        self._transport.close()


def test_a_busy_address_locks_nobody_out_elsewhere(server, proxy):
    """Junk log-ins use up the limit of their own address, whatever they say of where they come from."""
    spoofed = ({"X-Forwarded-For": f"127.0.0.{n}"} for n in range(40, 80))
    codes = []
    with visitor(proxy, "127.0.0.2") as junk:
        for n, headers in enumerate(spoofed):
            guess = {**WRONG, "name": f"nobody {n}"}  # an account has limits of its own
            codes.append(junk.post(f"{API}/sessions", json=guess, headers=headers).status_code)
            if codes[-1] == 429:
                break
        assert codes[:10] == [401] * 10 and codes[-1] == 429
        assert junk.post(f"{API}/guests").status_code == 201, "guests are counted apart"
    with visitor(proxy, "127.0.0.3") as house:
        answer = house.post(f"{API}/sessions", json={**WRONG, "password": server.house_password})
        assert answer.status_code == 201


def test_what_is_said_past_the_proxy_is_not_believed(server, proxy):
    """Somebody who reaches the server itself from elsewhere on the machine is who they are."""
    transport = httpx.HTTPTransport(local_address="127.0.0.9")
    with httpx.Client(base_url=server.url, transport=transport, timeout=LONG) as web:
        codes = []
        for n in range(40):
            given = {"X-Forwarded-For": f"198.51.100.{n}", "X-Forwarded-Proto": "https"}
            answer = web.post(f"{API}/sessions", json=WRONG, headers=given)
            assert "strict-transport-security" not in answer.headers
            codes.append(answer.status_code)
            if codes[-1] == 429:
                break
    assert codes[-1] == 429


def test_the_cookie_and_the_page_are_for_https(proxy):
    with visitor(proxy, "127.0.0.4") as web:
        answer = web.post(f"{API}/guests", headers={"Origin": f"https://{NAME}:{proxy.port}"})
        assert answer.status_code == 201
        marks = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
        assert {"secure", "httponly", "samesite=strict"} <= marks
        assert "max-age=" in answer.headers["strict-transport-security"]
        assert web.get(f"{API}/me").json()["kind"] == "guest"
        given = {"X-CSRF-Token": answer.json()["csrf"], "Idempotency-Key": "a-key-of-mine"}
        done = web.post(
            f"{API}/me/chips", json={"amount": 5}, headers={**given, "Origin": f"https://{NAME}:{proxy.port}"}
        )
        assert done.status_code == 200
        problem(
            web.post(f"{API}/me/chips", json={"amount": 5}, headers={**given, "Origin": "https://evil.example"}), 403
        )
        problem(web.get(f"{API}/tables", headers={"Host": "evil.example"}), 421)


def test_metrics_are_not_for_who_comes_through_the_proxy(server, proxy):
    with visitor(proxy, "127.0.0.5") as web:
        problem(web.get("/metrics"), 401)
        problem(web.get("/metrics", headers={"X-Forwarded-For": "127.0.0.1", "X-Real-IP": "127.0.0.1"}), 401)
        place = server.output.read_text().partition("metrics are at ")[2].strip()
        problem(web.get("/metrics", headers={"Host": place.split("/")[2]}), (401, 421))
    assert 'feltlab_requests_total{method="GET",route="/metrics"' in httpx.get(place).text


def test_events_come_through_at_once(proxy):
    """Each is read before the next one is made: a proxy that kept them back would keep this waiting."""
    with visitor(proxy, "127.0.0.6") as ada, visitor(proxy, "127.0.0.6") as acts:
        csrf = ada.post(f"{API}/guests").json()["csrf"]
        acts.cookies = ada.cookies
        keys = iter(range(100))

        def change(method, path, body):
            headers = {"X-CSRF-Token": csrf, "Idempotency-Key": f"key-{next(keys):08}"}
            answer = acts.request(method, f"{API}{path}", json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            return answer.json()

        change("POST", "/me/chips", {"amount": 100_000})
        with ada.stream("GET", f"{API}/tables/1/events") as stream:
            data = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
            seen = next(data)["seq"]
            for amount in range(3):
                made = change("POST", "/tables/1/seat" if not amount else "/tables/1/chips", {"spots": [1], "chips": 100} if not amount else {"amount": amount})  # fmt: skip
                assert next(data)["seq"] == made["seq"] == seen + 1 + amount


@pytest.mark.parametrize("name", ["Cookie", "X-CSRF-Token", "Idempotency-Key", "Origin"])
def test_what_is_said_twice_gets_no_further(proxy, name):
    with visitor(proxy, "127.0.0.7") as web:
        twice = httpx.Headers([(name, "one-of-two"), (name, "two-of-two"), ("Host", f"{NAME}:{proxy.port}")])
        answer = web.send(httpx.Request("POST", web.base_url.join(f"{API}/guests"), headers=twice))
        assert answer.status_code == 400 and "set-cookie" not in answer.headers


def test_a_session_is_ended_for_its_stream_too(proxy):
    with visitor(proxy, "127.0.0.8") as ada, visitor(proxy, "127.0.0.8") as acts:
        csrf = ada.post(f"{API}/guests").json()["csrf"]
        acts.cookies = ada.cookies
        with ada.stream("GET", f"{API}/tables/1/events") as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("retry")
            assert acts.delete(f"{API}/sessions", headers={"X-CSRF-Token": csrf}).status_code == 204
            list(lines)
