"""`direct`: one call, no document."""

from __future__ import annotations

from hopyard.graphs import direct
from hopyard.prompts.style import writing
from hopyard.state.settings import Context

from .script import Script


async def test_it_shows_the_model_no_passage(context: Context, script: Script) -> None:
    question = "What is 12 plus 30?"
    output = await direct.graph.ainvoke({"question": question}, context=context)
    assert script.turns == [f"{writing(context.answer, passages=False)}\n\nQuestion: {question}"]
    assert output["citations"] == output["evidence"] == output["steps"] == []
