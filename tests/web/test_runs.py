"""The events of a run, as a listener gets them."""

from __future__ import annotations

from hopyard.web.runs import Run


async def test_the_last_event_reaches_a_listener_that_was_busy_with_the_first() -> None:
    run = Run("t", "What is it?")
    heard = []
    async for happening in run.follow():
        heard.append(happening.kind)
        if happening.kind == "begin":
            run.tell("failed", {"text": "No."})
    assert heard == ["begin", "failed"]
