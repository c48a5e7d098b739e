"""How a thread grows: each turn adds as much as the turn before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from hopyard.agent.session import open_session
from hopyard.state.settings.fields import Context
from hopyard.state.storage.checkpoints import open_saver
from hopyard.testing import ScriptedChat

from .conftest import SETTINGS

TURNS = 30


async def test_later_turns_of_a_chain_add_as_many_bytes_as_earlier_ones(index: Path) -> None:
    turn = 0

    def answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        if name == "StandAlone":
            return {"kind": "question", "question": f"When was bridge {turn:02} opened?"}
        said = f"Record {turn:02} says that it was opened in 1781 [1]."
        finding = {"fact": "The Iron Bridge was opened in 1781.", "passage": 1}
        more: dict[str, Any] = {"searches": [], "unconfirmed": "", "thought": ""}
        return {"findings": [finding], "kind": "answer", "answer": said, **more}

    ScriptedChat(answer).register("scripted")
    settings = SETTINGS | {"strategy": "chain", "profile": "capable", "model": "scripted"}
    context = Context.model_validate(settings | {"index": str(index)})
    sizes = [0]
    async with open_session() as session, open_saver() as saver:
        for turn in range(1, TURNS + 1):
            question = f"And when was bridge {turn:02} opened?"
            async for _ in session.ask(question, context, "t"):
                pass
            sizes.append(await saver.thread_size("t"))
        result = await session.result("t")
    assert result["answer"] == f"Record {TURNS} says that it was opened in 1781 [1]."
    assert len(result["messages"]) == 2 * TURNS
    growth = [after - before for before, after in pairwise(sizes)]
    early, late = sum(growth[10:20]), sum(growth[20:30])
    assert abs(late - early) < 0.02 * early
