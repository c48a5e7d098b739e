"""The two wordings of each prompt: the built-in one never changes, the capable one is shorter."""

from __future__ import annotations

import hashlib
import json
from string import Template
from typing import Any

import pytest
from pydantic import ValidationError

from hopyard.models.prompt import Prompt, Shorter
from hopyard.prompts import answer, rerank, rewrite
from hopyard.prompts.answer import writing
from hopyard.prompts.indexes import passage_graph
from hopyard.prompts.route import choice_prompt, route_prompt
from hopyard.prompts.strategies import aggregate, cor, decompose, direct, hop, tree
from hopyard.state.schemas import RouteLabel
from hopyard.state.settings.fields import AnswerSettings, Context, profile_of
from hopyard.state.strategy import STRATEGIES

WORDINGS = {
    "answer": "07fb132792c8a740",
    "direct": "69738ca3b39008e3",
    "decompose": "2a23d57f8211234f",
    "replace": "5def00707514ee5f",
    "judge decomposition": "a592fa9b263c1d67",
    "judge branch": "773f9ddc05c52ff4",
    "next question": "54d70ca02cb5e582",
    "aggregate": "4ba2e78e1ddb3321",
    "rewrite": "1db16d6f310bb008",
    "judge edges": "74ad3d9a8f0d1333",
    "judge passages": "5806a17910bb4a45",
    "questions": "96298302062784f6",
    "route": "788ca52b39982565",
    "route with hop": "1d40ff3920d25681",
}
"""Digests of the first version's wordings, on which the adapter and the gate were trained."""


def route(*names: str) -> Prompt[Any]:
    return route_prompt({name: STRATEGIES[name].route for name in names})


PROMPTS: dict[str, Prompt[Any]] = {
    "answer": answer.ANSWER,
    "direct": direct.DIRECT,
    "decompose": decompose.DECOMPOSE,
    "replace": decompose.REPLACE,
    "judge decomposition": tree.JUDGE_DECOMPOSITION,
    "judge branch": tree.JUDGE_BRANCH,
    "next question": cor.NEXT_QUESTION,
    "aggregate": aggregate.AGGREGATE,
    "rewrite": rewrite.REWRITE,
    "judge edges": hop.judge_prompt(3),
    "judge passages": rerank.passages_prompt(4),
    "questions": passage_graph.QUESTIONS,
    "route": route("direct", "single", "tree"),
    "route with hop": route("direct", "single", "tree", "hop"),
}


def values(prompt: Prompt[Any]) -> dict[str, str]:
    found = Template.pattern.findall(prompt.template)
    return {name: name for name in sorted(named or braced for _, named, braced, _ in found)}


def digest(prompt: Prompt[Any]) -> str:
    messages = [(message.type, message.content) for message in prompt.messages(values(prompt))]
    parts = [prompt.name, prompt.version, prompt.max_tokens]
    text = json.dumps(
        [*parts, prompt.output.model_json_schema(), messages], sort_keys=True, ensure_ascii=False
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", PROMPTS)
def test_the_builtin_wording_is_the_one_that_the_adapter_learned(name: str) -> None:
    assert digest(PROMPTS[name].of("builtin")) == WORDINGS[name]


@pytest.mark.parametrize(
    "name", sorted(set(PROMPTS) - {"questions", "judge edges", "route", "route with hop"})
)
def test_the_capable_wording_shows_fewer_examples_and_leaves_more_room(name: str) -> None:
    builtin, capable = PROMPTS[name], PROMPTS[name].of("capable")
    assert len(capable.examples) < len(builtin.examples)
    assert capable.max_tokens > builtin.max_tokens
    assert capable.output.model_json_schema()["title"] == builtin.output.__name__
    assert "answer" not in builtin.output.model_fields or "answer" in capable.output.model_fields


@pytest.mark.parametrize("name", PROMPTS)
def test_the_small_wording_has_the_examples_and_room_for_a_short_answer(name: str) -> None:
    prompt, small = PROMPTS[name], PROMPTS[name].of("small")
    assert small.output.model_json_schema()["title"] == prompt.output.__name__
    assert not small.typographic_quotes
    if isinstance(prompt.capable, Shorter) or name == "answer":
        assert len(small.examples) == len(prompt.examples)
        assert 300 <= small.max_tokens <= 600


def test_a_small_model_is_not_told_of_yes_and_no_unless_it_is_asked() -> None:
    short = AnswerSettings(style="short")
    assert "yes or no" in writing(short)
    assert "yes or no" not in writing(short, small=True)
    assert writing(AnswerSettings(), small=True) == writing(AnswerSettings())


def test_only_the_builtin_model_is_spared_straight_quotes() -> None:
    asked = {"question": 'Who sang "Dear Brother" on a 5" disk?', "rejected": ""}
    builtin = str(decompose.DECOMPOSE.messages(asked)[-1].content)
    capable = str(decompose.DECOMPOSE.of("capable").messages(asked)[-1].content)
    assert builtin == "Question: Who sang “Dear Brother” on a 5” disk?"
    assert capable == 'Question: Who sang "Dear Brother" on a 5" disk?'


def test_a_packages_strategy_is_offered_with_its_own_examples() -> None:
    label = RouteLabel("it asks how words are spelt", ("How is gauge spelt?",))
    names = ("direct", "single")
    prompt = route_prompt({name: STRATEGIES[name].route for name in names} | {"spell": label})
    assert "spell: it asks how words are spelt." in prompt.system
    assert [
        example.output.strategy
        for example in prompt.examples
        if example.values == {"question": "How is gauge spelt?"}
    ] == ["spell"]
    assert {example.output.strategy for example in prompt.examples} == {*names, "spell"}


def test_a_capable_model_is_offered_what_each_strategy_says_of_itself() -> None:
    prompt = choice_prompt({"single": "One search.", "chain": "Many.", "spell": "Spells."})
    assert "single: One search.\nchain: Many.\nspell: Spells." in prompt.system
    schema = prompt.output.model_json_schema()
    assert list(schema["properties"]) == ["thought", "strategy", "confidence"]
    assert schema["properties"]["strategy"]["enum"] == ["single", "chain", "spell"]
    assert prompt.output.model_validate({"strategy": "chain", "confidence": 0.5}).probability == 0.5
    with pytest.raises(ValidationError):
        prompt.output.model_validate({"strategy": "hop"})


@pytest.mark.parametrize(
    ("settings", "profile"),
    [
        ({"model": "builtin"}, "builtin"),
        ({"model": "embedded:base"}, "builtin"),
        ({"model": "ollama:llama3.1:8b"}, "small"),
        ({"model": "ollama:llama3.1:70b"}, "capable"),
        ({"model": "openai:gpt-4.1-mini"}, "capable"),
        ({"model": "openai:gpt-4.1-mini", "profile": "small"}, "small"),
        ({"model": "builtin", "profile": "capable"}, "capable"),
        ({"model": "openai:small", "profile": "builtin"}, "builtin"),
    ],
)
def test_the_profile_goes_by_the_model_unless_it_is_set(
    settings: dict[str, str], profile: str
) -> None:
    assert profile_of(Context.model_validate(settings)) == profile
