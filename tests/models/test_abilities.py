"""What a server refuses is left out."""

from __future__ import annotations

import pytest

from hopyard.models.servers.abilities import Abilities, Form, without_refused


class RefusalError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status_code = status
        self.body = {"message": message}


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' or 'max_completion_tokens' is too large: 4000. This model's maximum context "
        "length is 4096 tokens and your request has 1200 input tokens (4000 > 4096 - 1200).",
        "max_completion_tokens: the prompt is longer than the model's context window",
    ],
)
def test_an_error_about_a_length_refuses_no_option(message: str) -> None:
    assert without_refused(Abilities(), RefusalError(400, message), "Answer") is None


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 4000. This model supports at most 2048 completion tokens, "
        "whereas you provided 4000.",
        "The parameter `max_completion_tokens` is not valid: integer above maximum value, expected "
        "a value <= 2048, but got 4000 instead.",
        "`max_tokens` must be less than or equal to `2048`, the maximum value for this model",
        "max_tokens: 4000 > 2048, which is the maximum allowed number of output tokens",
    ],
)
def test_a_limit_of_answers_is_kept_to(message: str) -> None:
    weaker = without_refused(Abilities(), RefusalError(400, message), "Answer")
    assert weaker == Abilities(longest_answer=2048)
    assert without_refused(weaker, RefusalError(400, message), "Answer") is None


@pytest.mark.parametrize(
    "message",
    ["m does not support feature: structured-outputs", "This model has no Structured Outputs"],
)
def test_schemas_are_refused_in_several_spellings(message: str) -> None:
    weaker = without_refused(Abilities(), RefusalError(400, message), "Answer")
    assert weaker is not None
    assert weaker.form is Form.TOOL


def test_a_refusal_that_names_a_schema_counts_for_that_schema_only() -> None:
    message = "Invalid schema for response_format 'ChainStep': 'kind' is missing"
    weaker = without_refused(Abilities(), RefusalError(400, message), "ChainStep")
    assert weaker == Abilities(forms={"ChainStep": Form.TOOL})
    assert (weaker.form_of("ChainStep"), weaker.form_of("Answer")) == (Form.TOOL, Form.JSON_SCHEMA)
