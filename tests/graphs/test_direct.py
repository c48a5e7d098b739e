"""`direct`: one call, no document."""

from __future__ import annotations

from hopyard.graphs import direct
from hopyard.prompts.answer import writing
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import Script

SUM = "What is 12 plus 30?"


async def test_it_shows_the_model_no_passage(context: Context, script: Script) -> None:
    output = await direct.graph.ainvoke({"question": SUM}, context=context)
    assert script.turns == [SUM]
    assert output["citations"] == output["evidence"] == output["steps"] == []


async def test_a_capable_model_is_told_the_form_of_the_answer(
    context: Context, script: Script
) -> None:
    await direct.graph.ainvoke({"question": SUM}, context=changed(context, profile="capable"))
    assert script.turns == [f"{writing(context.answer, passages=False)}\n\nQuestion: {SUM}"]
