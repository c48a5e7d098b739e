"""Messages about the last answer: acted on in one call, from what it was read from."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from hopyard.agent.session import Session
from hopyard.graphs import router
from hopyard.state.settings.fields import Context
from hopyard.tracing.read import read_trace

from .conftest import changed
from .script import GARBAGE, Said, Script

QUESTION = "When was the Iron Bridge opened, and what does it cross?"
FULL = "- The Iron Bridge was opened in 1781 [1]\n- It crosses the River Severn [1]"
LENGTH = "How long is the Severn?"
CONFIG: Any = {"configurable": {"thread_id": "t"}}


def answered(answer: str, *passages: int) -> Said:
    return {"thought": "I read.", "answer": answer, "passages": list(passages)}


def about_last(question: str) -> Said:
    return {"kind": "revise", "question": question}


def revised(answer: str, *, needs_search: bool = False) -> Said:
    return {"thought": "", "needs_search": needs_search, "answer": answer}


@pytest.fixture
def script(script: Script) -> Script:
    script.lines = {("read", QUESTION): answered(FULL, 1)}
    return script


@pytest.fixture
def single(context: Context) -> Context:
    return changed(context, profile="capable", strategy="single", retrieval__k=1)


@pytest.fixture
def agent() -> CompiledStateGraph[Any, Any, Any, Any]:
    return router.build().compile(checkpointer=InMemorySaver())


async def test_three_turns(single: Context, script: Script, agent: Any) -> None:
    table = "| opened | crosses |\n|---|---|\n| 1781 [1] | the Severn [2] |"
    script.lines |= {
        ("rewrite", "As a table, please"): about_last("Give it as a table"),
        ("revise", "As a table, please"): revised(table),
        ("rewrite", "And what does it cross? Only that"): about_last("What does it cross?"),
        ("revise", "And what does it cross? Only that"): revised("The Severn [2]."),
    }
    first = await agent.ainvoke({"question": QUESTION}, CONFIG, context=single)
    quotes = ["The Iron Bridge was opened in 1781.", "It crosses the River Severn."]
    assert [cited["quote"] for cited in first["citations"]] == quotes
    assert first["answer"] == FULL.replace("Severn [1]", "Severn [2]")

    second = await agent.ainvoke({"question": "As a table, please"}, CONFIG, context=single)
    assert second["answer"] == table
    assert second["citations"] == first["citations"]
    assert second["question"] == "As a table, please"
    assert second["strategy"] == second["route"]["strategy"] == "revise"
    assert [step["id"] for step in second["steps"]] == ["rewrite", "revise"]
    assert second["usage"]["model_calls"] == 2  # no search, no route, no reading

    third = await agent.ainvoke(
        {"question": "And what does it cross? Only that"}, CONFIG, context=single
    )
    assert third["answer"] == "The Severn [1]."
    assert [cited["quote"] for cited in third["citations"]] == quotes[1:]
    turn = script.turn("revise", "And what does it cross? Only that")
    assert turn == (
        f"Conversation:\nUser: {QUESTION}\nAssistant: {' '.join(first['answer'].split())}\n"
        "User: As a table, please\n\n"
        "Passages of the last answer:\n"
        "[1] Iron Bridge: The Iron Bridge was opened in 1781. It crosses the River Severn.\n"
        "[2] Iron Bridge: It crosses the River Severn.\n\n"
        "Last answer:\n> | opened | crosses |\n> |---|---|\n> | 1781 [1] | the Severn [2] |\n\n"
        "Last message: And what does it cross? Only that"
    )
    assert script.counts == {"read": 1, "rewrite": 2, "revise": 2}


async def test_without_markers_all_citations_are_kept(
    single: Context, script: Script, agent: Any
) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Give it shorter"),
        ("revise", "Shorter!"): revised("1781; the Severn"),
    }
    first = await agent.ainvoke({"question": QUESTION}, CONFIG, context=single)
    second = await agent.ainvoke({"question": "Shorter!"}, CONFIG, context=single)
    assert second["answer"] == "1781; the Severn"
    assert second["citations"] == first["citations"]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (revised("", needs_search=True), "it needs a search"),
        (revised("Unknown"), "it needs a search"),
        (GARBAGE, "treated as a question: The prompt 'revise' got no usable output"),
    ],
)
async def test_what_takes_a_search_is_asked_as_a_question(
    single: Context, script: Script, agent: Any, said: Said, reason: str
) -> None:
    script.lines |= {
        ("rewrite", "And how long is that?"): about_last(LENGTH),
        ("revise", "And how long is that?"): said,
        ("read", LENGTH): answered("354 kilometres", 1),
    }
    await agent.ainvoke({"question": QUESTION}, CONFIG, context=single)
    second = await agent.ainvoke({"question": "And how long is that?"}, CONFIG, context=single)
    assert second["question"] == LENGTH
    assert second["answer"] == "354 kilometres"
    assert second["strategy"] == "single"
    assert [step["id"] for step in second["steps"]] == ["rewrite", "revise", "search", "read"]
    assert second["steps"][1]["reason"].startswith(reason)
    assert (await agent.aget_state(CONFIG)).values["last"] is None


async def test_the_next_question_is_a_question_again(
    single: Context, script: Script, agent: Any
) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Give it shorter"),
        ("revise", "Shorter!"): revised("1781"),
        ("rewrite", "And the Severn?"): {"kind": "question", "question": LENGTH},
        ("read", LENGTH): answered("354 kilometres", 1),
    }
    for question in (QUESTION, "Shorter!"):
        await agent.ainvoke({"question": question}, CONFIG, context=single)
    third = await agent.ainvoke({"question": "And the Severn?"}, CONFIG, context=single)
    assert third["answer"] == "354 kilometres"
    assert [cited["passage_id"] for cited in third["citations"]] == ["severn"]


async def test_a_conversation_given_as_messages(single: Context, script: Script) -> None:
    """A caller without a thread gives the answer's message back, with its citations or without."""
    script.lines |= {
        ("rewrite", "Which passage says so?"): about_last("Which passage says so?"),
        ("revise", "Which passage says so?"): revised("The one about the Iron Bridge [1]."),
    }
    first = await router.graph.ainvoke(
        {"question": QUESTION}, context=single, output_keys=["messages", "citations"]
    )
    asked = [*first["messages"], HumanMessage("Which passage says so?")]
    second = await router.graph.ainvoke({"messages": asked}, context=single)
    assert second["answer"] == "The one about the Iron Bridge [1]."
    assert second["citations"] == first["citations"][:1]

    plain = [HumanMessage(QUESTION), AIMessage("1781"), asked[-1]]
    third = await router.graph.ainvoke({"messages": plain}, context=single)
    assert third["answer"] == "The one about the Iron Bridge."
    assert third["citations"] == []
    assert "Passages of the last answer:\nnone\n" in script.turns[-1]


@pytest.mark.parametrize(
    "metadata",
    [
        {"hopyard": "nonsense"},
        {"hopyard": {"citations": [{"passage_id": 1}], "unconfirmed": ""}},
        {"hopyard": {"citations": []}},
    ],
)
async def test_citations_that_a_caller_spoilt_are_left_out(
    single: Context, script: Script, metadata: dict[str, Any]
) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Give it shorter"),
        ("revise", "Shorter!"): revised("1781"),
    }
    given = [
        HumanMessage(QUESTION),
        AIMessage("In 1781", response_metadata=metadata),
        HumanMessage("Shorter!"),
    ]
    output = await router.graph.ainvoke({"messages": given}, context=single)
    assert output["answer"] == "1781"
    assert output["citations"] == []


async def test_a_made_up_citation_is_dropped_with_its_marker(
    single: Context, script: Script
) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Give it shorter"),
        ("revise", "Shorter!"): revised("It was opened in 1781 [2], and it is long [1]."),
    }
    quotes = ["Nobody said so.", "The Iron Bridge was opened in 1781."]
    citations = [
        {"passage_id": "iron-bridge", "title": "Iron Bridge", "quote": quote} for quote in quotes
    ]
    metadata = {"hopyard": {"citations": citations, "unconfirmed": "A part is doubtful."}}
    given = [
        HumanMessage(QUESTION),
        AIMessage("…", response_metadata=metadata),
        HumanMessage("Shorter!"),
    ]
    output = await router.graph.ainvoke({"messages": given}, context=single)
    assert output["answer"] == "It was opened in 1781 [1], and it is long."
    assert [citation["quote"] for citation in output["citations"]] == quotes[1:]
    assert output["unconfirmed"] == "A part is doubtful."


async def test_without_an_answer_there_is_nothing_to_revise(
    single: Context, script: Script
) -> None:
    script.lines |= {
        ("rewrite", LENGTH): about_last(LENGTH),
        ("read", LENGTH): answered("354 kilometres", 1),
    }
    given = [HumanMessage("Hello"), AIMessage(""), HumanMessage(LENGTH)]
    output = await router.graph.ainvoke({"messages": given}, context=single)
    assert output["answer"] == "354 kilometres"
    assert "revise" not in script.counts


async def test_without_an_index_the_message_is_a_question(single: Context, script: Script) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Good morning in one word"),
        ("direct", "Good morning in one word"): {"answer": "Morning"},
    }
    cited = {"passage_id": "severn", "title": "Severn", "quote": "It is 354 kilometres long."}
    metadata = {"hopyard": {"citations": [cited], "unconfirmed": ""}}
    given = [
        HumanMessage(QUESTION),
        AIMessage("In 1781", response_metadata=metadata),
        HumanMessage("Shorter!"),
    ]
    without = changed(single, index="", strategy="direct")
    output = await router.graph.ainvoke({"messages": given}, context=without)
    assert output["answer"] == "Morning"
    assert "No index is given" in output["steps"][1]["reason"]


async def test_the_builtin_profile_only_rewrites(
    single: Context, script: Script, agent: Any
) -> None:
    builtin = changed(single, profile="builtin")
    script.lines = {
        ("read", QUESTION): {"answer": "1781"},
        ("rewrite", "Shorter!"): {"question": LENGTH},
        ("read", LENGTH): {"answer": "354"},
    }
    await agent.ainvoke({"question": QUESTION}, CONFIG, context=builtin)
    second = await agent.ainvoke({"question": "Shorter!"}, CONFIG, context=builtin)
    assert second["answer"] == "354"
    state = (await agent.aget_state(CONFIG)).values
    assert all(not message.response_metadata for message in state["messages"])


async def test_the_trace_shows_it(single: Context, script: Script, session: Session) -> None:
    script.lines |= {
        ("rewrite", "Shorter!"): about_last("Give it shorter"),
        ("revise", "Shorter!"): revised("1781"),
    }
    for question in (QUESTION, "Shorter!"):
        async for _ in session.ask(question, single, "t"):
            pass
    trace = await read_trace(session, "t")
    assert trace.answer == "1781"
    assert [step.record["id"] for step in trace.steps][:2] == ["rewrite", "revise"]
    assert trace.steps[1].record["answer"] == "1781"
    assert trace.cost.calls == 2
