"""Who is let in: programs and pages of this machine, or those that bring the token."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from hopyard.web.guard import LOOPBACK, Guard


async def _hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.method)


def guarded(token: str = "") -> TestClient:
    routes = [Route("/", _hello, methods=["GET", "POST"])]
    guard = Middleware(Guard, hosts=LOOPBACK, token=token)
    return TestClient(
        Starlette(routes=routes, middleware=[guard]), base_url="http://localhost:8420"
    )


@pytest.mark.parametrize("host", ["127.0.0.1:8420", "localhost", "LOCALHOST:1", "[::1]:8420"])
def test_this_machine_is_served(host: str) -> None:
    assert guarded().get("/", headers={"host": host}).text == "GET"


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:8420", "", "[", "10.0.0.3"]
)
def test_a_name_that_leads_here_is_refused(host: str) -> None:
    assert guarded().get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:8420", 200),
        ("http://localhost:9999", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_a_page_of_another_site_is_refused(origin: str, status: int) -> None:
    sent = guarded().post("/", json={}, headers={"origin": origin})
    assert sent.status_code == status


@pytest.mark.parametrize(
    ("site", "mode", "status"),
    [
        ("same-origin", "cors", 200),
        ("none", "navigate", 200),
        ("cross-site", "navigate", 200),
        ("cross-site", "no-cors", 403),
        ("same-site", "no-cors", 403),
    ],
)
def test_a_page_of_another_site_loads_nothing(site: str, mode: str, status: int) -> None:
    """A picture or a script in a page is asked for without an origin."""
    sent = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    assert guarded().get("/", headers=sent).status_code == status


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_a_form_is_refused(kind: str) -> None:
    assert guarded().post("/", content=b"{}", headers={"content-type": kind}).status_code == 415


def test_the_token_comes_by_header_or_by_the_cookie_of_an_address() -> None:
    client = guarded("secret")
    assert client.get("/").status_code == 401
    assert client.get("/", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    assert "once" in client.get("/").json()["error"]["message"]
    shown = client.get("/", headers={"accept": "text/html,*/*"})
    assert (shown.status_code, shown.text[:9]) == (401, "The serve")
    assert client.get("/", headers={"authorization": "Bearer secret"}).text == "GET"
    arrived = client.get("/?token=secret")
    assert (arrived.text, str(arrived.url)) == ("GET", "http://localhost:8420/")
    assert "HttpOnly" in arrived.history[0].headers["set-cookie"]
    assert client.get("/").text == "GET"  # with the cookie


def test_every_response_has_a_policy_without_exceptions() -> None:
    for answer in (guarded().get("/"), guarded("secret").get("/")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"


PAGE = {"origin": "https://chat.example", "host": "localhost:8420"}


def test_a_page_of_another_site_may_send_the_token_to_the_endpoint_for_clients() -> None:
    routes = [Route("/v1/models", _hello), Route("/api/threads", _hello)]
    guard = Middleware(Guard, hosts=LOOPBACK, token="secret")  # noqa: S106
    client = TestClient(Starlette(routes=routes, middleware=[guard]))
    asks = {"access-control-request-headers": "authorization, x-stainless-os"}
    allowed = client.options("/v1/models", headers=PAGE | asks)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == PAGE["origin"]
    assert allowed.headers["access-control-allow-headers"] == asks["access-control-request-headers"]
    assert client.options("/api/threads", headers=PAGE | asks).status_code == 403
    bearer = {"authorization": "Bearer secret"}
    for path, brought, status in (
        ("/v1/models", bearer, 200),
        ("/v1/models", {"authorization": "Bearer wrong"}, 403),
        ("/v1/models", {"cookie": "hopyard_token=secret"}, 403),
        ("/api/threads", bearer, 403),
        ("/api/threads", bearer | {"host": "localhost:8420/v1/x?"}, 403),
    ):
        assert client.get(path, headers=PAGE | brought).status_code == status


def test_a_proxy_that_speaks_tls_before_the_server() -> None:
    routes = [Route("/", _hello, methods=["GET", "POST"])]
    guard = Middleware(Guard, hosts=LOOPBACK | {"docs.example.org"}, token="secret")  # noqa: S106
    client = TestClient(Starlette(routes=routes, middleware=[guard]), base_url="https://localhost")
    name = {"host": "docs.example.org"}
    arrived = client.get("/?token=secret", headers=name, follow_redirects=False)
    assert "Secure" in arrived.headers["set-cookie"]
    own = {**name, "origin": "https://docs.example.org", "cookie": "hopyard_token=secret"}
    assert client.post("/", json={}, headers=own).text == "POST"
    other = {**own, "host": "localhost"}  # a proxy that does not pass the name on
    assert client.post("/", json={}, headers=other).status_code == 403
