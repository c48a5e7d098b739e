"""Who may talk to the server: programs and pages of this machine, or those that have the token.

A page of the web can make a browser send requests to this machine. Three checks keep it out. A
request must name a host that the server serves, else a name of the attacker could lead here (DNS
rebinding). A request from a page must come from the server's own page. And a request that changes
something must be JSON or plain bytes, which a form cannot send.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ("LOOPBACK", "Guard")

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_COOKIE: Final = "hopyard_token"
_YEAR: Final = 365 * 24 * 3600
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Checks each request, and gives each response its policy.

    Args:
        app: The application.
        hosts: The host names that requests may name, without ports.
        token: The token that a request must bring, by the header for bearers or by a cookie that
            `/?token=…` sets; "" for none.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str = "") -> None:
        self._app, self._hosts, self._token = app, frozenset(hosts), token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        answer = self._refusal(request) or self._signed_in(request) or self._app
        await answer(scope, receive, with_policy)

    def _refusal(self, request: Request) -> Response | None:
        if _host(request.headers.get("host", "")) not in self._hosts:
            return _refused(421, "The server does not serve this host; see `--host`.")
        origin = request.headers.get("origin", "")
        if origin and not self._is_own(origin, request.headers):
            return _refused(403, "A page of another site may not use this server.")
        if request.method not in _READING and not _is_from_script(request.headers):
            return _refused(415, "Send JSON, with the content type application/json.")
        return None

    def _is_own(self, origin: str, headers: Headers) -> bool:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()

    def _signed_in(self, request: Request) -> Response | None:
        """The answer to a request that has not brought the token, or that brings it by address."""
        if not self._token:
            return None
        by_address = request.query_params.get("token", "")
        if request.method == "GET" and request.url.path == "/" and self._is_token(by_address):
            answer = RedirectResponse("/", 303)
            secure = request.url.scheme == "https"
            answer.set_cookie(
                _COOKIE, self._token, _YEAR, httponly=True, samesite="strict", secure=secure
            )
            return answer
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        given = bearer.strip() if scheme.lower() == "bearer" else request.cookies.get(_COOKIE, "")
        return None if self._is_token(given) else _refused(401, "The server needs its token.")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def _host(header: str) -> str:
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


def _is_from_script(headers: Headers) -> bool:
    """Whether no form can have sent it: JSON, or a file whose kind no form has."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in {"application/json", "application/octet-stream", ""}


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": {"message": why}}, status)
