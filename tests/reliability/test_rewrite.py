"""A follow-up that was killed when its rewriting was paid for: the same run, nothing paid twice."""

from __future__ import annotations

from typing import Any

import pytest
from model_server import ModelServer

from hopyard.agent.session import Session, open_session
from hopyard.nodes import receive
from hopyard.nodes.resources import close_shared_resources
from hopyard.state.settings.fields import Context

from ..graphs.conftest import changed
from .conftest import Everything


class Killed(BaseException):
    """Stands for the kill: no handler of a step sees it."""


async def _run(session: Session, question: str, context: Context) -> None:
    async for _ in session.ask(question, context, "t"):
        pass


async def test_a_killed_rewrite_keeps_its_run(
    context: Context, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.answer = Everything()
    settings = changed(context, strategy="single")
    async with open_session() as session:
        await _run(session, "First?", settings)
        before = len(model_server.calls)

        rewrite: Any = receive._stand_alone

        async def killed_after(*arguments: Any) -> Any:
            await rewrite(*arguments)
            raise Killed

        monkeypatch.setattr(receive, "_stand_alone", killed_after)
        with pytest.raises(Killed):
            await _run(session, "And then?", settings)
        assert len(model_server.calls) - before == 1
        monkeypatch.setattr(receive, "_stand_alone", rewrite)
    close_shared_resources()  # as in a new process: what was spent is read from the ledger

    async with open_session() as session:
        async for _ in session.resume("t"):
            pass
        result = await session.result("t")
    assert len(model_server.calls) - before == 2  # the rewriting, and the reading
    assert result["usage"]["model_calls"] == 2
    assert result["finished"]
