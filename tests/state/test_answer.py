"""State's dicts and the models of an answer have the same keys."""

from __future__ import annotations

import pytest

from hopyard.agent.answer import Answer
from hopyard.cli.mcp.results import ToolAnswer
from hopyard.state import answer, schemas, usage

PAIRS = [
    (answer.Source, schemas.Source),
    (answer.Citation, schemas.Citation),
    (answer.Step, schemas.Step),
    (answer.Usage, usage.Usage),
    (answer.PassageShare, schemas.PassageShare),
    (answer.Explanation, schemas.Explanation),
    (answer.Gate, schemas.GateDecision),
    (answer.Route, schemas.RouteDecision),
]


@pytest.mark.parametrize(("model", "state"), PAIRS)
def test_a_part_has_the_keys_of_the_state(model: type[answer.Model], state: type) -> None:
    assert set(model.model_fields) == set(state.__annotations__)


def test_evidence_names_its_passages_by_their_sources() -> None:
    keys = set(schemas.Evidence.__annotations__)
    assert set(answer.Evidence.model_fields) == keys - {"passages"}


def test_an_answer_has_all_that_a_strategy_gives() -> None:
    keys = set(schemas.StrategyOutput.__annotations__)
    assert keys - {"answer"} <= set(Answer.model_fields)
    assert keys - {"steps"} <= set(ToolAnswer.model_fields)


def test_a_description_is_written_once() -> None:
    schema = ToolAnswer.model_json_schema()
    parts = schema["$defs"]
    assert parts["Citation"]["properties"]["quote"]["description"].startswith("The sentence")
    assert schema["properties"]["citations"]["description"] == "[1] in the answer is the first."
    assert schema["properties"]["thread_id"]["description"] == "For continue_thread."


def test_a_program_without_its_source_has_a_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    def packed(_: object) -> str:
        raise OSError("could not get source code")

    monkeypatch.setattr(answer, "getsource", packed)
    assert set(answer.Gate.model_json_schema()["properties"]) == set(answer.Gate.model_fields)


def test_the_only_quote_is_all_that_is_quoted() -> None:
    assert answer.Citation.model_validate({"passage_id": "p", "quote": "Q."}).quotes == ("Q.",)
