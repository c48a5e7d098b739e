"""The people of a server: their tokens, their groups, and the threads that are theirs."""

from __future__ import annotations

import hmac
import os
import tomllib
from collections.abc import Collection
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

from hopyard.agent.threads.threads import new_thread_id, thread_missing
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.rights import group_names
from hopyard.state.settings.sources import change_context

SHARED: Final = {"day_tokens", "person_tokens", "person", "minute_requests", "minute_tokens"}
"""The limits of `budget` that no request changes."""
PEOPLE_FILE: Final = "HOPYARD_PEOPLE"
"""The variable that names the file of people, for servers without a flag for it."""
_SHORTEST: Final = 16


class Person(BaseModel, frozen=True, extra="forbid"):
    """A caller of a server."""

    name: str = ""
    """The beginning of the names of the person's threads; "" if threads have no owners."""
    token: str = Field("", min_length=_SHORTEST)
    groups: Annotated[tuple[str, ...] | None, BeforeValidator(group_names)] = None
    """None for a person without restriction."""

    def within(self, groups: tuple[str, ...] | None) -> Person:
        """The person on a server that has groups itself: these restrict a person without any."""
        return self if self.groups is not None else self.model_copy(update={"groups": groups})

    def settings(self, context: Context) -> Context:
        """A server's settings for this person."""
        return change_context(context, self.changes(context))

    def changes(self, server: Context) -> dict[str, Any]:
        """The settings of a server that threads of the person cannot change."""
        budget = server.budget.model_dump(include=SHARED) | {"person": self.name}
        changes: dict[str, Any] = {"budget": budget} if self.name else {}
        return changes if self.groups is None else {**changes, "groups": self.groups}

    def thread(self, wanted: str = "") -> str:
        """A thread of the person, or the name of a new thread.

        Raises:
            ThreadMissingError: The thread is somebody else's. The error is that of no thread.
        """
        if not self.owns(wanted or self._prefix):
            raise thread_missing(wanted)
        return wanted or f"{self._prefix}{new_thread_id()}"

    def owns(self, thread: str) -> bool:
        """Whether a thread is the person's."""
        return thread.startswith(self._prefix)

    @property
    def _prefix(self) -> str:
        return f"{self.name}/" if self.name else ""


ANYBODY: Final = Person()
"""The caller of a server without people: it may read all and has all threads."""
CALLER: Final[ContextVar[Person]] = ContextVar("caller", default=ANYBODY)
"""Who sent the request that is answered, where a framework calls without it."""
_AS_PEOPLE: Final = TypeAdapter(dict[str, Person])


def read_people(file: Path) -> tuple[Person, ...]:
    """The people of a TOML file: a table for each name, with `token` and `groups`.

    Raises:
        UsageError: The file cannot be read or names nobody, a token is short or given twice, or a
            name has a slash.
    """
    try:
        people = _AS_PEOPLE.validate_python(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
        raise UsageError(f"The file of people {str(file)!r} cannot be used: {why}.") from error
    if not people:  # a server without people lets everybody in
        raise UsageError(f"The file of people {str(file)!r} names nobody: give a person a table.")
    tokens = {person.token for person in people.values()}
    if len(tokens) < len(people) or any("/" in name or not name for name in people):
        raise UsageError(
            f"The file of people {str(file)!r} gives a token twice, or a name has a slash: each "
            "person needs a name and a token of their own."
        )
    if missing := [name for name, person in people.items() if not person.token]:
        raise UsageError(f"The file of people {str(file)!r} gives {missing[0]!r} no token.")
    return tuple(person.model_copy(update={"name": name}) for name, person in people.items())


def people_of_server() -> tuple[Person, ...]:
    """The people of the file that `HOPYARD_PEOPLE` names; none without it."""
    file = os.environ.get(PEOPLE_FILE, "")
    return read_people(Path(file)) if file else ()


def whose(token: str, people: Collection[Person]) -> Person | None:
    """The person of a token, in the same time whoever it is."""
    same = [each for each in people if hmac.compare_digest(each.token.encode(), token.encode())]
    return same[0] if same else None


def bearer(header: str) -> str:
    """The token of an `Authorization` header; "" for none."""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class PeopleOnly:
    """Lets in requests with a person's token, and notes the person as `CALLER`.

    `/ok` stays open: load balancers ask LangGraph's server there whether it lives.

    Args:
        people: The people; none lets everybody in.
    """

    def __init__(self, app: Any, people: Collection[Person]) -> None:
        self._app, self._people = app, people

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and scope["path"] != "/ok" and self._people:
            headers = dict(scope["headers"])
            person = whose(
                bearer(headers.get(b"authorization", b"").decode("latin-1")), self._people
            )
            if person is None:
                start = {"type": "http.response.start", "status": 401, "headers": []}
                await send({**start, "headers": [(b"www-authenticate", b"Bearer")]})
                await send({"type": "http.response.body", "body": b"The server needs a token."})
                return
            CALLER.set(person)
        await self._app(scope, receive, send)
