"""The sentences to a capable model about the form of its answer."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.prompts.answer import ANSWER, GENERAL_KNOWLEDGE, writing
from hopyard.prompts.revise import REVISE
from hopyard.prompts.rewrite import REWRITE
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import AnswerSettings


@pytest.mark.parametrize("style", ["auto", "short", "sentence", "full"])
def test_each_style_is_told_in_its_own_words(style: Any) -> None:
    others = {"auto", "short", "sentence", "full"} - {style}
    told = writing(AnswerSettings(style=style))
    assert told not in {writing(AnswerSettings(style=other)) for other in others}
    assert ("[1][4]" in told) is (style in {"auto", "full"})
    assert "[1][4]" not in writing(AnswerSettings(style=style), passages=False)


def test_general_knowledge_is_allowed_where_it_is_set_and_there_are_passages() -> None:
    both = AnswerSettings(knowledge="both")
    assert GENERAL_KNOWLEDGE in writing(both)
    assert GENERAL_KNOWLEDGE not in writing(AnswerSettings())
    assert GENERAL_KNOWLEDGE not in writing(both, passages=False)


@pytest.mark.parametrize("prompt", [ANSWER, DIRECT, REVISE, REWRITE], ids=lambda p: p.name)
def test_a_capable_model_is_asked_for_every_field_the_thought_first(prompt: Any) -> None:
    schema = prompt.of("capable").output.model_json_schema()
    assert schema["required"] == list(schema["properties"])
    assert not any("default" in field for field in schema["properties"].values())
    assert "thought" not in schema["required"][1:]
    assert all("maxLength" not in field for field in schema["properties"].values())
