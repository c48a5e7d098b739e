"""Human in the loop: what a run waits for, and what becomes of each answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from time import monotonic
from typing import Any

import pytest
from approvals import APPROVE, REJECT, about, action, edit, proposed, question
from langchain.agents.middleware.human_in_the_loop import HITLRequest
from model_server import ModelServer

from hopyard.agent.session import Event, Session, open_session
from hopyard.nodes.resources import close_shared_resources
from hopyard.state import usage
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.testing import plain_values

from .conftest import changed
from .script import IRON, QUESTION, SIMPLE, STONE, Script, full_tree
from .tree.trees import nodes

HALVES = ["All left?", "All right?"]


@pytest.fixture
def tree(tree: Context, script: Script) -> Context:
    """Settings for a tree of two halves, each decomposition to be approved."""
    script.lines["route", QUESTION] = {"strategy": "tree"}
    return changed(tree, approve="decomposition")


async def events(stream: AsyncIterator[Event]) -> list[Event]:
    return [event async for event in stream]


async def waiting(session: Session, thread: str = "t") -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = (await session.result(thread))["waiting"]
    return result


class TestRoute:
    async def test_nothing_is_spent_on_a_strategy_before_it_is_approved(
        self, session: Session, tree: Context, script: Script
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, strategy="auto", approve="route"), "t"))
        assert script.asked == [("route", QUESTION)]
        [asked] = await waiting(session)
        assert list(plain_values(asked))  # it can be read without this package
        assert set(asked) == {"id", *HITLRequest.__annotations__}
        assert action(asked) == "route"
        assert (question(asked), proposed(asked)) == (QUESTION, "tree")
        assert asked["review_configs"][0]["allowed_decisions"] == ["approve", "edit"]
        assert "compares" in about(asked)
        assert "direct, single, chain, tree, plan, every, react, cor." in about(asked)
        assert "hop" not in about(asked)  # no passage graph
        result = await session.result("t")
        assert (result["finished"], result["answer"]) == (False, "")

    @pytest.mark.parametrize(
        "answer",
        [
            APPROVE,
            {"type": "approve"},
            "approve",
            edit("route", strategy="tree", question=QUESTION),
            {"strategy": "tree"},
        ],
    )
    async def test_what_is_accepted_is_done_and_the_route_is_not_paid_for_again(
        self, session: Session, tree: Context, script: Script, answer: Any
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, strategy="auto", approve="route"), "t"))
        await events(session.resume("t", answer))
        result = await session.result("t")
        assert (result["answer"], result["finished"]) == ("Stone Bridge", True)
        assert (result["strategy"], result["route"]["by"]) == ("tree", "model")
        assert script.asked.count(("route", QUESTION)) == 1

    @pytest.mark.parametrize("answer", [edit("route", strategy="direct"), {"strategy": "direct"}])
    async def test_another_strategy_is_taken_in_its_place(
        self, session: Session, tree: Context, script: Script, answer: Any
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, strategy="auto", approve="route"), "t"))
        await events(session.resume("t", answer))
        result = await session.result("t")
        assert result["route"] == {
            "strategy": "direct",
            "by": "approval",
            "probability": None,
            "reason": "replaces tree",
        }
        assert [kind for kind, _ in script.asked] == ["route", "direct"]

    async def test_a_forced_strategy_needs_no_approval(
        self, session: Session, tree: Context
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, approve="route"), "t"))
        assert (await session.result("t"))["finished"] is True

    @pytest.mark.parametrize(
        "answer",
        [
            "nonsense",
            REJECT,
            {"strategy": "hop"},
            {"strategy": 7},
            {"route": "tree"},
            {"type": "edit"},
            {"decisions": []},
            {"decisions": [{"type": "approve"}, {"type": "approve"}]},
            {"decisions": ["approve"]},
            edit("decomposition", strategy="single"),
            edit("route", strategy="single", question="Another?"),
            3,
            [],
        ],
    )
    async def test_an_answer_that_does_not_fit_is_asked_for_again(
        self, session: Session, tree: Context, script: Script, answer: Any
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, strategy="auto", approve="route"), "t"))
        [first] = await waiting(session)
        await events(session.resume("t", answer))
        [again] = await waiting(session)
        problem, same = about(again).split("\n")
        assert problem.startswith("That cannot be used: ")
        assert same == about(first)
        assert question(again) == QUESTION
        assert again["review_configs"] == first["review_configs"]
        assert script.asked == [("route", QUESTION)]
        await events(session.resume("t", {"strategy": "single"}))
        assert (await session.result("t"))["strategy"] == "single"


class TestDecomposition:
    async def test_nothing_is_searched_for_before_it_is_approved(
        self, session: Session, tree: Context, script: Script
    ) -> None:
        await events(session.ask(QUESTION, tree, "t"))
        assert [kind for kind, _ in script.asked] == ["split", "rubric"]
        [asked] = await waiting(session)
        assert proposed(asked) == [IRON, STONE]
        assert question(asked) == QUESTION
        await events(session.resume("t", "approve"))
        result = await session.result("t")
        assert result["answer"] == "Stone Bridge"
        assert script.asked.count(("split", QUESTION)) == 1
        assert result["usage"]["model_calls"] == len(script.asked)

    @pytest.mark.parametrize("as_text", [False, True])
    async def test_edited_sub_questions_are_asked_and_the_proposal_is_kept(
        self, session: Session, tree: Context, script: Script, as_text: bool
    ) -> None:
        await events(session.ask(QUESTION, tree, "t"))
        edited = ["Who cast the Iron Bridge?", "How old is the Stone Bridge?"]
        given: Any = [edited[0], f" {edited[1]} "]
        if as_text:  # an interface edits a list in a text field
            given = json.dumps(given)
        answer = edit("decomposition", question=QUESTION, sub_questions=given)
        await events(session.resume("t", answer))
        found = nodes(await session.result("t"))
        assert [found[path]["question"] for path in ("1", "2")] == edited
        assert ("read", IRON) not in script.asked
        [thrown] = found[""]["replaced"]
        assert thrown["question"] == f"{IRON} / {STONE}"
        assert "approval" in thrown["reason"]
        assert "rubric" not in found[""]["facts"]  # it was the proposal's

    async def test_a_question_may_be_left_whole(
        self, session: Session, tree: Context, script: Script
    ) -> None:
        await events(session.ask(QUESTION, tree, "t"))
        await events(session.resume("t", REJECT))
        result = await session.result("t")
        assert list(nodes(result)) == [""]
        assert nodes(result)[""]["reason"] == "left whole at the approval"
        assert result["answer"] == f"read: {QUESTION}"

    @pytest.mark.parametrize(
        "answer",
        [
            {"sub_questions": ["only one?"]},
            {"sub_questions": "[1, "},
            {"sub_questions": ["a?", " "]},
            {"sub_questions": ["a?", 2]},
            {"sub_questions": ["a?", "b?" * 151]},
            {"sub_questions": ["a?", "b?"], "more": 1},
            "perhaps",
        ],
    )
    async def test_an_edit_that_does_not_fit_is_asked_for_again(
        self, session: Session, tree: Context, script: Script, answer: Any
    ) -> None:
        await events(session.ask(QUESTION, tree, "t"))
        await events(session.resume("t", answer))
        [again] = await waiting(session)
        assert about(again).startswith("That cannot be used: ")
        assert [kind for kind, _ in script.asked] == ["split", "rubric"]

    async def test_a_question_that_is_not_split_needs_no_approval(
        self, session: Session, tree: Context, script: Script
    ) -> None:
        script.lines["split", QUESTION] = SIMPLE
        await events(session.ask(QUESTION, tree, "t"))
        assert (await session.result("t"))["finished"] is True


class TestBranchesSideBySide:
    @pytest.fixture
    def halves(self, tree: Context, script: Script) -> Context:
        script.lines = full_tree("All?", 2)
        return changed(tree, tree__max_depth=2)

    async def test_each_waits_for_an_answer_of_its_own(
        self, session: Session, halves: Context, script: Script
    ) -> None:
        await events(session.ask("All?", halves, "t"))
        await events(session.resume("t", "approve"))
        left, right = await waiting(session)
        assert [question(left), question(right)] == HALVES
        assert left["id"] != right["id"]
        with pytest.raises(UsageError, match="2 answers"):
            await events(session.resume("t", REJECT))

        # One answer lets its branch go on; the other one stays where it is.
        await events(session.resume("t", {right["id"]: REJECT}))
        [still] = await waiting(session)
        assert (question(still), still["id"]) == (HALVES[0], left["id"])
        await events(session.resume("t", {left["id"]: {"sub_questions": ["A?", "B?"]}}))
        found = nodes(await session.result("t"))
        assert set(found) == {"", "1", "2", "1.1", "1.2"}
        assert found["1.2"]["question"] == "B?"
        assert found["2"]["reason"] == "left whole at the approval"
        assert script.counts["split"] == 3

    async def test_approve_is_for_all(self, session: Session, halves: Context) -> None:
        await events(session.ask("All?", halves, "t"))
        await events(session.resume("t", "approve"))
        await events(session.resume("t", "approve"))
        assert len(nodes(await session.result("t"))) == 7


class TestWaiting:
    async def test_another_process_goes_on(
        self, tree: Context, script: Script, model_server: ModelServer
    ) -> None:
        async with open_session() as session:
            await events(session.ask(QUESTION, tree, "t"))
        close_shared_resources()  # what only the first process knew
        async with open_session() as session:
            assert [proposed(asked) for asked in await waiting(session)] == [[IRON, STONE]]
            await events(session.resume("t", "approve"))
            result = await session.result("t")
        assert result["answer"] == "Stone Bridge"
        assert script.asked.count(("split", QUESTION)) == 1
        assert result["usage"]["model_calls"] == len(script.asked)

    async def test_resuming_without_an_answer_goes_on_waiting(
        self, session: Session, tree: Context, script: Script
    ) -> None:
        await events(session.ask(QUESTION, tree, "t"))
        before = await waiting(session)
        await events(session.resume("t"))
        assert await waiting(session) == before
        assert len(script.asked) == 2

    async def test_an_answer_that_nothing_waits_for_is_refused(
        self, session: Session, tree: Context
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, approve=""), "t"))
        with pytest.raises(UsageError, match="waits for no answer"):
            await events(session.resume("t", "approve"))

    async def test_waiting_is_no_working_time(
        self, session: Session, tree: Context, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await events(session.ask(QUESTION, changed(tree, budget__seconds=900), "t"))
        monkeypatch.setattr(usage, "monotonic", lambda: monotonic() + 1000)  # much later
        await events(session.resume("t", "approve"))
        result = await session.result("t")
        assert result["usage"]["seconds"] < 900
        assert (result["truncated"], result["answer"]) == (False, "Stone Bridge")

    async def test_the_settings_are_remembered(self, session: Session, tree: Context) -> None:
        await events(session.ask(QUESTION, changed(tree, approve="decomposition,route"), "t"))
        assert (await session.context("t")).approve == ("decomposition", "route")
