"""Every prompt: its examples fit its schema and template, and what is shared comes first."""

from __future__ import annotations

import importlib
import json
import pkgutil
from string import Template

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

import hopyard.prompts
from hopyard.models.calls.parse import json_schema, parse
from hopyard.models.prompt import Prompt
from hopyard.prompts.route import route_prompt
from hopyard.state.strategy import strategies


def every_prompt() -> dict[str, Prompt]:
    """The prompts that are constants, by their names; that of the route depends on strategies."""
    return {
        constant: value
        for module in pkgutil.walk_packages(hopyard.prompts.__path__, "hopyard.prompts.")
        for constant, value in vars(importlib.import_module(module.name)).items()
        if isinstance(value, Prompt)
    }


LABELS = {strategy.name: strategy.route for strategy in strategies() if strategy.route}
PROMPTS = every_prompt() | {"ROUTE": route_prompt(LABELS)}
STRAIGHT = str.maketrans("“”", '""')
CHARACTERS_A_TOKEN = 3
"""JSON's brackets and quotes are short tokens."""


def values_of(prompt: Prompt, text: str) -> dict[str, str]:
    return dict.fromkeys(Template(prompt.template).get_identifiers(), text)


def test_the_prompts_are_found() -> None:
    assert {"ANSWER", "DIRECT", "REWRITE", "DECOMPOSE", "AGGREGATE"} <= set(PROMPTS)
    assert len(PROMPTS) >= 8


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
class TestEveryPrompt:
    def test_it_has_instructions_examples_and_a_version(self, prompt: Prompt) -> None:
        assert prompt.system.strip() == prompt.system != ""
        assert prompt.version >= 1
        assert prompt.examples or prompt.capable is None  # the built-in model needs examples
        assert Template(prompt.template).is_valid()

    def test_its_examples_fill_its_template_and_nothing_else(self, prompt: Prompt) -> None:
        wanted = set(Template(prompt.template).get_identifiers())
        for example in prompt.examples:
            assert set(example.values) == wanted

    def test_its_examples_fit_its_own_schema(self, prompt: Prompt) -> None:
        for example in prompt.examples:
            output, repaired = parse(example.output.model_dump_json(), prompt.output)
            assert output.model_dump() == example.output.model_dump()
            assert not repaired

    def test_its_examples_fit_into_the_tokens_it_asks_for(self, prompt: Prompt) -> None:
        for example in prompt.examples:
            tokens = len(example.output.model_dump_json()) / CHARACTERS_A_TOKEN
            assert tokens <= prompt.max_tokens

    def test_its_schema_names_every_field_and_allows_no_other(self, prompt: Prompt) -> None:
        schema = json_schema(prompt.output)
        assert schema["additionalProperties"] is False
        assert json.loads(json.dumps(schema)) == schema
        assert list(schema["properties"]) == list(prompt.output.model_fields)

    def test_what_its_calls_share_comes_first(self, prompt: Prompt) -> None:
        first = prompt.messages(values_of(prompt, "One?"))
        second = prompt.messages(values_of(prompt, "Something else?"))
        assert first[:-1] == second[:-1]
        assert first[-1] != second[-1]

    def test_it_is_a_conversation_that_ends_with_the_users_turn(self, prompt: Prompt) -> None:
        kinds = [type(message) for message in prompt.messages(values_of(prompt, "One?"))]
        assert kinds == [
            SystemMessage,
            *[HumanMessage, AIMessage] * len(prompt.examples),
            HumanMessage,
        ]

    def test_a_missing_value_is_an_error(self, prompt: Prompt) -> None:
        with pytest.raises(KeyError):
            prompt.messages({})

    @given(text=st.text())
    def test_a_value_is_never_read_as_a_template(self, prompt: Prompt, text: str) -> None:
        text += " $question ${passages} $$ {question}"
        last = prompt.messages(values_of(prompt, text))[-1].text
        names = Template(prompt.template).get_identifiers()
        if prompt.typographic_quotes:
            last, text = last.translate(STRAIGHT), text.translate(STRAIGHT)
        assert last.count(text) >= len(names)

    def test_a_turn_is_shaped_as_its_examples_are(self, prompt: Prompt) -> None:
        """The last turn must look like the worked ones, or the model does not follow them."""
        if not prompt.examples:
            pytest.skip("a prompt for capable models, without examples")
        example = prompt.examples[0]
        messages = prompt.messages(example.values)
        assert messages[1] == messages[-1]
