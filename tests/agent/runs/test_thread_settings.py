"""A thread keeps the settings that it was run with, whoever resumes it and from where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gates import write_gate
from model_server import ModelServer, Reply

from hopyard.agent.session import Session, open_session
from hopyard.graphs import router
from hopyard.nodes.resources import close_shared_resources
from hopyard.state.errors import ModelUnreachableError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.checkpoints import open_saver

from ...graphs.conftest import changed
from ...graphs.script import QUESTION, STONE, Script, said
from .test_session import events, stop_thread


async def test_it_needs_no_setting_repeated(
    session: Session, tree: Context, model_server: ModelServer
) -> None:
    given = changed(tree, tree__max_depth=1, temperature=0.2, budget__calls=50)
    await stop_thread(session, model_server, given, "t")
    assert await session.context("t") == given
    await events(session.resume("t"))
    reasons = [step.get("reason") for step in (await session.result("t"))["steps"]]
    assert "at full depth" in reasons


async def test_it_finds_the_index_and_the_gate_from_another_folder(
    session: Session,
    tree: Context,
    model_server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(Path(tree.index).parent)
    gate = write_gate(Path(tree.index).parent / "gate", 2.0)
    given = changed(tree, index="index", gate="gate")
    await stop_thread(session, model_server, given, "t")
    monkeypatch.chdir(tmp_path)
    assert (await session.context("t")).gate == str(gate)
    await events(session.resume("t"))
    assert (await session.result("t"))["answer"] == "Stone Bridge"


async def test_a_thread_of_a_programs_own_keeps_its_settings(
    tree: Context, script: Script, model_server: ModelServer
) -> None:
    """README shows such a program: the agent compiled with a saver, and no `Session`."""
    given = changed(tree, tree__max_depth=1, seed=9)
    refused: Any = Reply(401)
    script.lines["read", STONE] = refused
    async with open_saver() as saver:
        agent = router.build().compile(checkpointer=saver)
        with pytest.raises(ModelUnreachableError):
            await agent.ainvoke(
                {"question": QUESTION},
                {"configurable": {"thread_id": "mine"}},
                context=given,
                durability="sync",
            )
    script.lines["read", STONE] = said("1146")
    close_shared_resources()
    async with open_session() as session:
        assert await session.context("mine") == given
        await events(session.resume("mine"))
        result = await session.result("mine")
    assert result["answer"] == "Stone Bridge"
    assert "at full depth" in [step.get("reason") for step in result["steps"]]
    assert {call.payload["seed"] for call in model_server.calls} == {9}


async def test_an_unknown_address_begins_no_thread(session: Session, context: Context) -> None:
    elsewhere = changed(context, index="https://host/index", strategy="single")
    with pytest.raises(UsageError, match="is an address that Hopyard does not know"):
        await events(session.ask(QUESTION, elsewhere, "t"))
    with pytest.raises(ThreadMissingError):
        await session.context("t")
