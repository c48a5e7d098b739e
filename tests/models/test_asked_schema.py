"""The schema of a request leaves a constrained decoder no way to write what does not fit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from ollama_server import Model, OllamaServer, Tokens
from protocols import ProtocolServer, Script

import hopyard.prompts
from hopyard.models.calls.asked_schema import LONGEST_ITEM, asked_schema
from hopyard.models.calls.parse import json_schema, parse
from hopyard.models.chat import chat_provider
from hopyard.models.prompt import Output, Prompt
from hopyard.models.servers import abilities
from hopyard.prompts.strategies.chain import CHAIN_STEP, ChainStep, ChainStepInside
from hopyard.prompts.strategies.cor import NextQuestion
from hopyard.prompts.strategies.plan import Closing, PartAnswerInside
from hopyard.state.settings.fields import Context, Profile

from .asking import model_caller

pytestmark = pytest.mark.usefixtures("one_attempt")

PROFILES: tuple[Profile, ...] = ("builtin", "small", "capable")
OUTPUTS = {
    prompt.of(profile).output
    for module in pkgutil.iter_modules(hopyard.prompts.__path__)
    for prompt in vars(importlib.import_module(f"hopyard.prompts.{module.name}")).values()
    if isinstance(prompt, Prompt)
    for profile in PROFILES
} | {ChainStepInside, PartAnswerInside}
VALUES = dict.fromkeys(("question", "style", "findings", "searches", "passages", "left"), "none")
STEP = (
    '{"thought": "", "findings": [], "kind": "direct", "searches": [], "unconfirmed": "", '
    '"answer": "Hello!"}'
)


@pytest.fixture(autouse=True)
def forget_abilities() -> Iterator[None]:
    yield
    abilities._known.clear()


def objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects of a schema, at any depth."""
    if schema.get("type") == "object":
        yield schema
    for value in schema.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from objects(part)


@pytest.mark.parametrize("output", sorted(OUTPUTS, key=str), ids=lambda output: output.__name__)
def test_every_field_is_required_and_every_limit_is_of_a_field(output: type[Output]) -> None:
    for schema in objects(asked_schema(output, variants=True)):
        assert schema["required"] == list(schema["properties"])
        assert not [name for name, field in schema["properties"].items() if "default" in field]
    assert output.limits.keys() <= output.model_fields.keys()
    assert {name for names in output.kinds.values() for name in names} <= output.model_fields.keys()


def test_the_ledger_knows_a_call_by_the_schema_of_its_class() -> None:
    assert json_schema(ChainStep)["required"] == ["kind"]
    assert "anyOf" not in json_schema(ChainStep)


def test_texts_and_lists_of_a_step_have_limits() -> None:
    schema = asked_schema(ChainStep, variants=False)
    assert "anyOf" not in schema
    fields = schema["properties"]
    assert fields["thought"]["maxLength"] == 600
    assert fields["findings"]["maxItems"] == 12
    assert schema["$defs"]["NotedFact"]["properties"]["fact"]["maxLength"] == 500
    assert fields["searches"]["maxItems"] == 3
    assert fields["searches"]["items"] == {"type": "string", "maxLength": LONGEST_ITEM}
    assert "maxLength" not in fields["answer"]  # the limit of the call, where a cut is marked


def test_a_step_has_an_object_for_each_kind() -> None:
    variants = asked_schema(ChainStep, variants=True)["anyOf"]
    by_kind = {each["properties"]["kind"]["const"]: each["properties"] for each in variants}
    assert list(by_kind) == ["search", "answer", "direct", "not_found"]
    assert all(list(fields) == list(ChainStep.model_fields) for fields in by_kind.values())
    assert by_kind["search"]["searches"]["minItems"] == 1
    assert by_kind["search"]["answer"] == by_kind["search"]["unconfirmed"] == {"const": ""}
    assert by_kind["answer"]["searches"] == {"const": []}
    assert by_kind["answer"]["answer"]["minLength"] == 1
    assert "minLength" not in by_kind["answer"]["unconfirmed"]


def test_a_step_in_long_documents_may_search_find_or_open() -> None:
    variants = asked_schema(ChainStepInside, variants=True)["anyOf"]
    by_kind = {each["properties"]["kind"]["const"]: each["properties"] for each in variants}
    assert list(ChainStepInside.model_fields) == [*ChainStep.model_fields, "finds", "opens"]
    assert not any("minItems" in by_kind["search"][name] for name in ("searches", "finds", "opens"))
    assert by_kind["search"]["finds"]["maxItems"] == 3
    assert by_kind["answer"]["finds"] == by_kind["answer"]["opens"] == {"const": []}


@pytest.mark.parametrize("output", sorted(OUTPUTS, key=str), ids=lambda output: output.__name__)
def test_the_least_that_each_variant_allows_fits(output: type[Output]) -> None:
    for variant in asked_schema(output, variants=True).get("anyOf", []):
        least = {
            name: field["const"] if "const" in field else _least(field, output)
            for name, field in variant["properties"].items()
        }
        assert output.model_validate(least)


def _least(field: dict[str, Any], output: type[Output]) -> Any:
    if field.get("type") == "array":
        item = field["items"]
        if "$ref" in item:
            parts = asked_schema(output, variants=False)["$defs"][item["$ref"].split("/")[-1]]
            one: Any = {name: _least(own, output) for name, own in parts["properties"].items()}
        else:
            one = "a"
        return [one] * field.get("minItems", 0)
    kinds: dict[str, Any] = {"boolean": False, "integer": 0, "number": 0.0}
    return kinds.get(field.get("type", ""), "a" * field.get("minLength", 0))


def test_what_does_not_keep_to_the_limits_still_counts() -> None:
    said = {"kind": "answer", "answer": "1781", "thought": "so " * 900, "unconfirmed": "no"}
    assert ChainStep.model_validate(said).answer == "1781"
    assert Closing.model_validate({"thought": "", "answer": "1781", "unconfirmed": "None"})
    assert parse('{"kind": "enough"}', NextQuestion)[0].question == ""


async def ask_step(model: str) -> ChainStep:
    context = Context(model=model)
    return await model_caller(model).call(CHAIN_STEP, VALUES, context, "run")


def asked_format(request: dict[str, Any]) -> dict[str, Any]:
    """The schema in an OpenAI request."""
    schema: dict[str, Any] = request["response_format"]["json_schema"]["schema"]
    return schema


async def test_ollama_is_asked_for_one_of_the_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(_: dict[str, Any]) -> Tokens:
        yield STEP
        yield 1, 1

    with OllamaServer({"llama:latest": Model(chat=step)}) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        await ask_step("ollama:llama")
        [sent] = server.payloads("/api/chat")
    assert len(sent["format"]["anyOf"]) == 4
    assert sent["format"]["required"] == list(ChainStep.model_fields)


async def test_a_server_that_refuses_variants_is_asked_without_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusal = Script(status=400, error="Invalid schema: anyOf is not allowed at the top level.")
    with ProtocolServer([refusal, Script(STEP)]) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        assert (await ask_step("openai:m")).answer == "Hello!"
        assert ["anyOf" in asked_format(sent) for sent in server.requests] == [True, False]


@pytest.mark.parametrize("model", ["groq:m", "anthropic:claude-m"])
async def test_providers_of_the_internet_get_one_object(
    monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    with ProtocolServer([Script(STEP)]) as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        assert (await ask_step(model)).answer == "Hello!"
        assert "anyOf" not in str(server.requests)


def test_the_built_in_model_gets_the_schema_that_it_learned() -> None:
    assert chat_provider("builtin").schema == "own"
