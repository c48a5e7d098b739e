"""The stream code of Agent Chat UI (`useStream`) with a running server, in Node.

npm ci --prefix tests/agent_chat_ui
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ..graphs.script import said
from .conftest import IRON, QUESTION, STONE, Server

CHAT = Path(__file__).parents[1] / "agent_chat_ui" / "chat.mjs"

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node"),
    pytest.mark.skipif(
        not (CHAT.parent / "node_modules").exists(),
        reason="run npm ci --prefix tests/agent_chat_ui",
    ),
]


async def chat(server: Server, *turns: Any, **settings: Any) -> list[dict[str, Any]]:
    """What the page shows after each turn: a text, or decisions."""
    given = {"url": server.address, "context": server.context(**settings), "turns": turns}
    process = await asyncio.create_subprocess_exec(
        *("node", str(CHAT)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(json.dumps(given).encode())
    assert process.returncode == 0, err.decode()
    pages: list[dict[str, Any]] = json.loads(out)
    assert [page["error"] for page in pages] == [None] * len(turns)
    return pages


async def test_a_conversation_grows_word_by_word(comparison: Server) -> None:
    words = "The Stone Bridge, completed in 1146"
    comparison.script.lines |= {
        ("aggregate", QUESTION): said(words),
        ("rewrite", "And the other?"): {"question": IRON},
    }
    first, second = await chat(comparison, QUESTION, "And the other?", seed=41)
    assert first["messages"] == [["human", QUESTION], ["ai", words]]
    assert len(set(first["partial"])) > 3
    assert all(words.startswith(text) for text in first["partial"])
    assert second["messages"][2:] == [["human", "And the other?"], ["ai", f"read: {IRON}"]]


async def test_an_approval_has_what_the_page_draws_buttons_for(comparison: Server) -> None:
    edited = {"name": "decomposition", "args": {"sub_questions": json.dumps([IRON, STONE])}}
    decisions = ([{"type": "edit", "edited_action": edited}],)
    asked, done = await chat(
        comparison, QUESTION, *decisions, seed=42, strategy="tree", approve=["decomposition"]
    )
    [request] = asked["interrupt"]["action_requests"]
    [config] = asked["interrupt"]["review_configs"]
    assert request["args"] == {"question": QUESTION, "sub_questions": [IRON, STONE]}
    assert config["action_name"] == request["name"] == "decomposition"
    assert config["allowed_decisions"] == ["approve", "edit", "reject"]
    assert done["interrupt"] is None
    assert done["messages"] == [["human", QUESTION], ["ai", "Stone Bridge"]]
