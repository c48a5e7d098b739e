"""Who may talk to the server: programs and pages of this machine, or those that have the token.

A page of the web can make a browser send requests to this machine. Three checks keep it out. A
request must name a host that the server serves, else a name of the attacker could lead here (DNS
rebinding). A request from a page must come from the server's own page. And a request that changes
something must be JSON or plain bytes, which a form cannot send. A page of another site may use the
endpoint for OpenAI clients if it sends the token itself, which it cannot know from the browser.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hopyard.agent.people import ANYBODY, Person, bearer, whose
from hopyard.agent.threads.threads import thread_missing
from hopyard.web.requests import person_of, refused

__all__ = ("LOOPBACK", "Guard")

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_COOKIE: Final = "hopyard_token"
_OF_READERS: Final = (
    *("/assets/", "/api/status", "/api/threads", "/threads/", "/api/document", "/api/search"),
    *("/api/entities", "/api/place", "/api/picture", "/api/original", "/v1/"),
)
"""The beginnings of the addresses that keep to the groups of a person. The others ask the whole
index, or change it."""
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

_NOBODY: Final = (
    "The server needs a token. A browser opens the address /?token=… once, with the token in place "
    "of the dots; a program sends it as a bearer token."
)


class Guard:
    """Checks each request, and gives each response its policy.

    Args:
        app: The application.
        hosts: The host names that requests may name, without ports.
        token: The token that a request must bring, by the header for bearers or by a cookie that
            `/?token=…` sets; "" for none.
        people: People with tokens, groups and threads of their own.
        groups: The groups of callers that have none of their own; None restricts nothing.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        token: str = "",
        people: Collection[Person] = (),
        groups: tuple[str, ...] | None = None,
    ) -> None:
        self._app, self._hosts = app, frozenset(map(str.lower, hosts))
        known = (*people, *([Person.model_construct(token=token)] if token else ()))
        self._people = tuple(person.within(groups) for person in known)
        self._anybody = ANYBODY.within(groups)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        request = Request(scope)
        given = _HEADERS | self._for_pages(request)

        async def with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in given.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(request) or self._signed_in(request) or self._closed(request)
        answer = refusal or self._app
        await answer(scope, receive, with_policy)

    def _refusal(self, request: Request) -> Response | None:
        if _host(request.headers.get("host", "")) not in self._hosts:
            return refused(421, "The server does not serve this host; name it with `--allow-host`.")
        foreign = _is_foreign(request.headers)
        if foreign and request.method == "OPTIONS" and self._for_pages(request):
            return Response(status_code=204)
        if foreign and not (self._for_pages(request) and self._is_token(_bearer(request))):
            why = "A page of another site may use only /v1, and only if it sends the token."
            return refused(403, why)
        if request.method not in _READING and not _is_from_script(request.headers):
            return refused(415, "Send JSON, with the content type application/json.")
        return None

    def _for_pages(self, request: Request) -> dict[str, str]:
        """The headers that let a page of another site send the token, where it may."""
        origin = request.headers.get("origin")
        if not (origin and self._people and request.scope["path"].startswith("/v1/")):
            return {}
        return {
            "access-control-allow-origin": origin,
            "access-control-allow-headers": request.headers.get(
                "access-control-request-headers", ""
            ),
            "vary": "origin",
        }

    def _signed_in(self, request: Request) -> Response | None:
        """The answer to a request that has not brought the token, or that brings it by address."""
        if not self._people:
            request.state.person = self._anybody
            return None
        by_address = request.query_params.get("token", "")
        if request.method == "GET" and request.scope["path"] == "/" and self._is_token(by_address):
            answer = RedirectResponse("/", 303)
            secure = request.url.scheme == "https"
            # Lax: the address of a citation opens from another program's page.
            answer.set_cookie(
                _COOKIE, by_address, _YEAR, httponly=True, samesite="lax", secure=secure
            )
            return answer
        given = _bearer(request) or request.cookies.get(_COOKIE, "")
        if (person := whose(given, self._people)) is None:
            if "text/html" in request.headers.get("accept", ""):  # a person reads no JSON
                return PlainTextResponse(_NOBODY, 401)
            return refused(401, _NOBODY)
        request.state.person = person
        return None

    def _closed(self, request: Request) -> Response | None:
        """The answer to a person who asks for somebody else's thread, or for the whole index."""
        person, path = person_of(request), str(request.scope["path"])
        _, is_thread, thread = path.partition("/threads/")
        if is_thread and not person.owns(thread):
            return refused(404, str(thread_missing(thread)))
        if person.groups is not None and path != "/" and not path.startswith(_OF_READERS):
            return refused(403, "Only a person without groups may change the index or measure it.")
        return None

    def _is_token(self, given: str) -> bool:
        return whose(given, self._people) is not None


def _bearer(request: Request) -> str:
    return bearer(request.headers.get("authorization", ""))


def _is_foreign(headers: Headers) -> bool:
    """Whether a page of another site sent it. A link there that a person follows is no page's."""
    if origin := headers.get("origin"):
        return origin.partition("://")[2].lower() != headers.get("host", "").lower()
    within = headers.get("sec-fetch-site", "none") in {"none", "same-origin"}
    return not within and headers.get("sec-fetch-mode") != "navigate"


def _host(header: str) -> str:
    try:
        return (urlsplit(f"//{header}").hostname or "").lower()
    except ValueError:
        return ""


def _is_from_script(headers: Headers) -> bool:
    """Whether no form can have sent it: JSON, or a file whose kind no form has."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind in {"application/json", "application/octet-stream", ""}
