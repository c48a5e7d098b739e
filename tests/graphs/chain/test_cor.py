"""`cor` asks each sub-question knowing the answers so far."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.graphs import cor
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import GARBAGE, said
from ..test_cut import LONG, MARK, check_cut
from .script import ENOUGH, BaselineScript, ask

QUESTION = "How long is the river that the Iron Bridge crosses?"
RIVER = "Which river does the Iron Bridge cross?"
LENGTH = "How long is the Severn?"
LINES = {
    ("next", QUESTION): [ask(RIVER), ask(LENGTH), ENOUGH],
    ("read", RIVER): said("Severn"),
    ("read", LENGTH): said("354 kilometres"),
    ("aggregate", QUESTION): said("354 kilometres"),
}


def copy_lines() -> dict[tuple[str, str], Any]:
    """The lines, to be used up once."""
    return {key: list(said) if isinstance(said, list) else said for key, said in LINES.items()}


async def ask_cor(context: Context, question: str = QUESTION) -> dict[str, Any]:
    return await cor.graph.ainvoke({"question": question}, context=context)


async def test_each_sub_question_is_asked_with_the_answers_so_far(
    context: Context, script: BaselineScript
) -> None:
    script.lines = copy_lines()
    output = await ask_cor(context)
    asked = [turn for turn in script.turns if "Findings:" in turn]
    assert asked[0].endswith("Findings:\nnone")
    assert asked[1].endswith(f"Findings:\n{RIVER} Severn")
    assert asked[2].endswith(f"Findings:\n{RIVER} Severn\n{LENGTH} 354 kilometres")
    links = [step for step in output["steps"] if step["kind"] == "link"]
    assert [(link["id"], link["question"], link["answer"]) for link in links] == [
        ("link-1", RIVER, "Severn"),
        ("link-2", LENGTH, "354 kilometres"),
    ]
    assert output["steps"][-1]["reason"] == "nothing is missing"
    found = [unit for link in links for unit in link["passages"]]
    assert set(passage_ids(output["evidence"])) == set(passage_ids(found))


async def test_a_simple_question_is_searched_for_as_it_is(
    context: Context, script: BaselineScript
) -> None:
    script.lines = {("read", RIVER): said("Severn")}
    output = await ask_cor(context, RIVER)
    assert output["answer"] == "Severn"
    assert script.asked == [("next", RIVER), ("read", RIVER)]


@pytest.mark.parametrize("again", [RIVER, RIVER.upper().rstrip("?"), QUESTION])
async def test_a_repeated_sub_question_ends_the_chain(
    context: Context, script: BaselineScript, again: str
) -> None:
    script.lines = {**LINES, ("next", QUESTION): [ask(RIVER), ask(again)]}
    output = await ask_cor(context)
    assert [step["kind"] for step in output["steps"]] == ["link", "aggregate"]
    assert "repeats" in output["steps"][-1]["reason"]


async def test_the_chain_is_no_longer_than_it_may_be(
    context: Context, script: BaselineScript
) -> None:
    many: Any = [ask(f"What is fact {number}?") for number in range(9)]
    script.lines = {("next", QUESTION): many, ("aggregate", QUESTION): said("so")}
    output = await ask_cor(context)
    assert [kind for kind, _ in script.asked] == ["next", "read"] * 4 + ["aggregate"]
    assert "4 sub-questions" in output["steps"][-1]["reason"]
    assert output["truncated"] is False


async def test_a_failed_closing_call_gives_the_last_answer_that_is_known(
    context: Context, script: BaselineScript
) -> None:
    script.lines = {
        **LINES,
        ("next", QUESTION): [ask(RIVER), ask(LENGTH), ENOUGH],
        ("read", LENGTH): GARBAGE,
        ("aggregate", QUESTION): GARBAGE,
    }
    output = await ask_cor(context)
    assert output["answer"] == "Severn"
    assert output["steps"][-1]["verdict"] == "fallback"
    assert "no usable output" in output["steps"][1]["reason"]


@pytest.mark.parametrize("links", [0, 1])
async def test_answers_that_are_cut_are_kept_and_marked(
    context: Context, script: BaselineScript, links: int
) -> None:
    """The question itself is looked up, or a sub-question before it."""
    script.lines = {
        ("next", QUESTION): [ask(RIVER), ENOUGH] if links else ENOUGH,
        ("read", QUESTION): said(LONG),
        ("read", RIVER): said(LONG),
        ("aggregate", QUESTION): said(LONG),
    }
    output = await ask_cor(context)
    check_cut(output["answer"])
    assert script.counts.get("aggregate", 0) == links
    for step in output["steps"]:
        assert step["verdict"] == "cut"
        assert step["reason"].endswith(MARK)


class TestSmallModels:
    """One thing a call, and no call that says what is known already."""

    async def test_one_link_is_not_read_again(
        self, context: Context, script: BaselineScript
    ) -> None:
        script.lines = {("next", QUESTION): [ask(LENGTH), ENOUGH], ("read", LENGTH): said("354 km")}
        output = await ask_cor(changed(context, profile="small"))
        assert output["answer"] == "354 km"
        assert [kind for kind, _ in script.asked] == ["next", "read", "next"]
        assert [step["kind"] for step in output["steps"]] == ["link", "aggregate"]

    async def test_one_link_is_read_again_for_an_answer_in_sentences(
        self, context: Context, script: BaselineScript
    ) -> None:
        script.lines = {
            ("next", QUESTION): [ask(LENGTH), ENOUGH],
            ("read", LENGTH): said("354 km"),
            ("aggregate", QUESTION): said("It is 354 km long."),
        }
        settings = changed(context, profile="small", answer__style="sentence")
        assert (await ask_cor(settings))["answer"] == "It is 354 km long."
        assert "Write the answer as one sentence" in script.turns[-1]

    async def test_findings_that_do_not_settle_it_leave_one_reading_of_the_question(
        self, context: Context, script: BaselineScript
    ) -> None:
        script.lines = {
            **copy_lines(),
            ("aggregate", QUESTION): said("Unknown"),
            ("read", QUESTION): said("354 kilometres"),
        }
        output = await ask_cor(changed(context, profile="small"))
        assert output["answer"] == "354 kilometres"
        assert script.asked[-2:] == [("aggregate", QUESTION), ("read", QUESTION)]
        assert output["evidence"] == output["steps"][-1]["passages"]

    async def test_the_citations_of_a_question_read_as_it_is_are_those_of_its_markers(
        self, context: Context, script: BaselineScript
    ) -> None:
        script.lines = {("read", LENGTH): said("The Severn is 354 kilometres long [1].")}
        settings = changed(context, profile="small", answer__style="auto", retrieval__k=1)
        output = await ask_cor(settings, LENGTH)
        assert output["answer"] == "The Severn is 354 kilometres long [1]."
        assert [cited["passage_id"] for cited in output["citations"]] == ["severn"]
