"""Conversations in the thread store: each message is one row, which names the row before it.

LangGraph's saver writes the whole state after every step, so a thread of n turns would hold each
message some n times. Here a checkpoint only names the last row of its conversation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import aiosqlite
from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.constants import START

from hopyard.state.errors import HopyardError

HEADS: Final = "hopyard_messages"
"""The key of a checkpoint's metadata with the last row of each conversation, by channel."""

_DIGEST_BYTES: Final = 16
_START: Final = f"{START}:"
"""Before the name of a key of the state that a strategy's graph started with, the agent's."""

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS messages (
    thread_id TEXT NOT NULL,
    id TEXT NOT NULL,
    previous TEXT NOT NULL,
    type TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (thread_id, id)
) WITHOUT ROWID;
"""

DELETE_UNUSED: Final = f"""
WITH RECURSIVE asked(thread_id) AS (SELECT value FROM json_each(?)),
used(thread_id, id) AS (
    SELECT checkpoints.thread_id, heads.value FROM asked JOIN checkpoints USING (thread_id),
        json_each(CAST(metadata AS TEXT), '$.{HEADS}') AS heads
    UNION
    SELECT messages.thread_id, previous FROM used JOIN messages USING (thread_id, id)
)
DELETE FROM messages WHERE thread_id IN asked AND (thread_id, id) NOT IN used
"""
"""Deletes the messages of some threads that no checkpoint has any more."""

_CHAIN: Final = """
WITH RECURSIVE chain(id, previous, type, value) AS (
    SELECT id, previous, type, value FROM messages WHERE thread_id = ?1 AND id = ?2
    UNION ALL
    SELECT messages.id, messages.previous, messages.type, messages.value
    FROM chain JOIN messages ON messages.thread_id = ?1 AND messages.id = chain.previous
)
SELECT * FROM chain
"""

Known = dict[tuple[str, str], tuple[str, BaseMessage]]
"""The row before it and the message of a row, by its thread and id."""


class Conversations:
    """The table of messages of a thread store.

    Args:
        connection: To the store, which has the table.
        serde: How a message is written.
        key: A hash of a message depends on it. Without the key, a hash would tell whether a
            message is a given text.
    """

    def __init__(
        self, connection: aiosqlite.Connection, serde: SerializerProtocol, key: bytes = b""
    ) -> None:
        self._connection = connection
        self._serde = serde
        self._key = key

    async def put(
        self, thread_id: str, values: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Write the conversations of a state; nothing is committed.

        Args:
            values: The state, by channel.

        Returns:
            The state without its conversations, and the last row of each of them.
        """
        others = {**values}
        heads = await self._take(thread_id, others, "")
        if isinstance(started_with := others.get(START), dict):
            others[START] = {**started_with}
            heads |= await self._take(thread_id, others[START], _START)
        return others, heads

    async def _take(self, thread_id: str, values: dict[str, Any], place: str) -> dict[str, str]:
        """Write the conversations among some values, and take them out."""
        found = [name for name, value in values.items() if _is_conversation(value)]
        return {f"{place}{name}": await self._put(thread_id, values.pop(name)) for name in found}

    async def _put(self, thread_id: str, messages: Sequence[BaseMessage]) -> str:
        ids = [""]
        for message in messages:
            ids.append(self._digest(f"{ids[-1]} {_as_text(message)}"))
        there = await self._connection.execute_fetchall(
            "SELECT id FROM messages WHERE thread_id = ? "
            "AND id IN (SELECT value FROM json_each(?))",
            (thread_id, json.dumps(ids)),
        )
        written = {row[0] for row in there}
        await self._connection.executemany(
            "INSERT OR IGNORE INTO messages (thread_id, id, previous, type, value) "
            "VALUES (?, ?, ?, ?, ?)",
            [
                (thread_id, name, previous, *self._serde.dumps_typed(message))
                for previous, name, message in zip(ids, ids[1:], messages, strict=False)
                if name not in written
            ],
        )
        return ids[-1]

    def _digest(self, text: str) -> str:
        data = text.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=self._key).hexdigest()

    async def get(
        self, thread_id: str, values: Mapping[str, Any], heads: Mapping[str, str], known: Known
    ) -> dict[str, Any]:
        """Read the conversations of a state.

        Args:
            heads: The last row of each of them.
            known: Rows that were read before; it grows.

        Returns:
            The state with them.
        """
        whole = {**values}
        for place, head in heads.items():
            messages = await self._get(thread_id, head, known)
            if place.startswith(_START):
                whole[START] = {**whole[START], place.removeprefix(_START): messages}
            else:
                whole[place] = messages
        return whole

    async def _get(self, thread_id: str, head: str, known: Known) -> list[BaseMessage]:
        if (thread_id, head) not in known:
            rows = await self._connection.execute_fetchall(_CHAIN, (thread_id, head))
            for name, previous, kind, value in rows:
                message = self._serde.loads_typed((kind, value))
                known.setdefault((thread_id, name), (previous, message))
        messages: list[BaseMessage] = []
        while head:
            if (thread_id, head) not in known:
                raise HopyardError(
                    f"The thread {thread_id!r} is missing a message: it was deleted in the "
                    "meantime, or the thread store is damaged; ask in another thread."
                )
            head, message = known[thread_id, head]
            messages.append(message)
        return messages[::-1]


def _as_text(message: BaseMessage) -> str:
    """A message as a text, the same before and after the store, which makes lists of tuples."""
    fields = message.model_dump()
    try:
        return json.dumps(fields, default=repr)
    except TypeError:  # a key that JSON does not have
        return repr(fields)


def _is_conversation(value: object) -> bool:
    """Whether it is several messages. A single one, such as a new question, stays in the state."""
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(message, BaseMessage) for message in value)
    )
