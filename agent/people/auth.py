"""Authentication for LangGraph's server: people, their groups, and the threads that are theirs.

`python -m hopyard.agent.server` names it in `langgraph.json` if `HOPYARD_PEOPLE` names a file. A
server with its own users needs another module: its `authenticate` gives each user the key `groups`.
"""

from __future__ import annotations

from typing import Any

from langgraph_sdk import Auth

from hopyard.agent.people import bearer, people_of_server, whose

auth = Auth()


@auth.authenticate
async def _person(authorization: str | None) -> dict[str, Any]:
    """The person of a token."""
    person = whose(bearer(authorization or ""), people_of_server())
    if person is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="The server needs a token.")
    groups = {} if person.groups is None else {"groups": [*person.groups]}
    return {"identity": person.name, **groups}


@auth.on
async def _own(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, Any] | None:
    """Threads and their runs are their owner's. The graphs are everybody's, and cannot be changed.

    A timed run would have no user, and the store has no owners, so nobody gets these.
    """
    if ctx.resource == "assistants" and ctx.action in {"read", "search"}:
        return None
    if ctx.resource != "threads":
        raise Auth.exceptions.HTTPException(status_code=403, detail="This is not served.")
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)  # in place: the server drops a new dict
    return owner
