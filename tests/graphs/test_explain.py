"""An answer is explained: how much of it rests on each passage that it cites."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs import router
from hopyard.models import chat
from hopyard.models.chat import ChatProvider
from hopyard.nodes import explain
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import GARBAGE, Said, Script, ScriptedChat

QUESTION = "How long is the River Severn that the Iron Bridge crosses?"
CONFIG: Any = {"configurable": {"thread_id": "t"}}
BRIDGE, RIVER = "It crosses the River Severn.", "It is 354 kilometres long."


class Reader:
    """Knows the river's length, but takes it for miles unless it reads of the bridge too."""

    def __init__(self) -> None:
        self.read: list[tuple[bool, bool]] = []
        self.said: dict[tuple[bool, bool], Said] = {
            (False, False): {"answer": "Unknown"},
            (True, False): {"answer": "Unknown"},
            (False, True): {"answer": "354 miles [1]", "passages": [1]},
            (True, True): {"answer": "354 kilometres", "passages": [1, 2]},
        }

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Said:
        turn = str(messages[-1]["content"])
        self.read.append((BRIDGE in turn, RIVER in turn))
        return self.said[self.read[-1]]


@pytest.fixture
def reader(script: Script) -> Reader:
    reader = Reader()
    model: Any = ScriptedChat(reader)  # type: ignore[arg-type]
    provider = ChatProvider("scripted", lambda _: model, 16, cure="")
    chat.register_chat_provider("scripted", provider)
    return reader


@pytest.fixture
def explained(context: Context) -> Context:
    """The answer is a number that no passage has, so the check has its doubts."""
    settings = {"answer__explain": True, "answer__check": "rules"}
    return changed(context, profile="capable", strategy="single", **settings)


async def ask(context: Context, agent: Any = None) -> dict[str, Any]:
    agent = agent or router.build().compile()
    result: dict[str, Any] = await agent.ainvoke({"question": QUESTION}, CONFIG, context=context)
    return result


async def test_the_shares_of_two_passages_by_hand(explained: Context, reader: Reader) -> None:
    """v: none 0, bridge 0, river ½ (one word of two), both 1."""
    result = await ask(explained)
    assert result["answer"] == "354 kilometres"
    explanation = result["explanation"]
    found = {each["passage_id"]: each for each in explanation["passages"]}
    assert found["severn"]["share"] == pytest.approx(0.75)  # ½[(½ − 0) + (1 − 0)]
    assert found["iron-bridge"]["share"] == pytest.approx(0.25)  # ½[(0 − 0) + (1 − ½)]
    assert found["severn"]["contribution"] == pytest.approx(0.75)
    assert (explanation["others"], explanation["without"], explanation["calls"]) == (0, 0, 4)
    step = result["steps"][-1]
    assert step["facts"] == {"calls": "4"}
    assert step["title"] == "This answer rests 75 % on Severn"
    assert passage_ids(step["passages"]) == list(found)
    assert result["usage"]["model_calls"] == len(reader.read) == 4  # all four coalitions once
    assert len(set(reader.read)) == 4


async def test_off_it_costs_nothing(explained: Context, reader: Reader) -> None:
    result = await ask(changed(explained, answer__explain=False))
    assert result["explanation"] is None
    assert len(reader.read) == 1


async def test_what_the_model_says_without_passages_is_told(
    explained: Context, reader: Reader
) -> None:
    """v: none ⅔, bridge 0, river 1, both 1: the bridge's passage misleads."""
    reader.said[False, False] = {"answer": "354"}
    reader.said[False, True] = {"answer": "354 kilometres"}
    result = await ask(explained)
    found = {each["passage_id"]: each for each in result["explanation"]["passages"]}
    assert found["iron-bridge"]["contribution"] == pytest.approx(-1 / 3)  # ½[(0 − ⅔) + (1 − 1)]
    assert found["iron-bridge"]["share"] == 0
    assert found["severn"]["share"] == pytest.approx(0.5)  # ½[(1 − ⅔) + (1 − 0)] = ⅔ of ⅔ + ⅔
    assert result["explanation"]["without"] == pytest.approx(0.5)
    assert result["steps"][-1]["facts"] == {"without them": "0.50", "calls": "4"}


async def test_unknown_is_not_explained(explained: Context, reader: Reader) -> None:
    reader.said[True, True] = {"answer": "Unknown"}
    result = await ask(explained)
    assert result["explanation"] is None
    assert len(reader.read) == 1


@pytest.mark.parametrize(("calls", "verdict"), [(3, "budget"), (0, "failed")])
async def test_a_failure_is_told_and_the_answer_stays(
    explained: Context, reader: Reader, calls: int, verdict: str
) -> None:
    if verdict == "failed":
        reader.said[True, False] = GARBAGE
    result = await ask(changed(explained, budget__calls=calls))
    assert result["answer"] == "354 kilometres"
    assert result["explanation"] is None
    assert not result["truncated"]
    step = result["steps"][-1]
    assert (step["kind"], step["verdict"]) == ("explain", verdict)
    assert ("budget of 3" if calls else "no usable output") in step["reason"]
    assert result["usage"]["model_calls"] == (2 if calls else 4)


async def test_a_run_that_dies_there_pays_for_no_finished_call_again(
    explained: Context, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = router.build().compile(checkpointer=InMemorySaver())

    def die(*values: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(explain, "shares_of_answer", die)
        with pytest.raises(RuntimeError, match="killed"):
            await ask(explained, agent)
    assert len(reader.read) == 4
    result = await agent.ainvoke(None, CONFIG, context=explained)
    assert result["steps"][-1]["title"] == "This answer rests 75 % on Severn"
    assert len(reader.read) == 4
    following = await ask(changed(explained, answer__explain=False), agent)
    assert following["explanation"] is None  # the next turn does not show the last one's


async def test_without_a_citation_the_first_five_of_the_evidence_count(
    context: Context, script: Script
) -> None:
    script.lines = {("read", QUESTION): {"answer": "perhaps"}}
    result = await ask(changed(context, strategy="single", answer__explain=True, retrieval__k=7))
    assert result["citations"] == []
    assert len(script.asked) == 1 + 32  # all seven were read before
    explained = result["explanation"]
    first = passage_ids(result["evidence"])[:5]
    assert [each["passage_id"] for each in explained["passages"]] == first
    assert [each["share"] for each in explained["passages"]] == pytest.approx([0.0] * 5)
    assert explained["without"] == pytest.approx(1)  # the model says so whatever it reads
    title = "The model says 100 % of this answer without its passages"
    assert [step["title"] for step in result["steps"][-2:]] == [title, "Note"]


async def test_what_its_passages_do_not_give_again_is_told(
    explained: Context, reader: Reader
) -> None:
    """Cited is the river's passage alone. v: none 0, river ½, which is all of it."""
    result = await ask(explained)
    number = passage_ids(result["evidence"]).index("severn") + 1
    reader.said[True, True] = {"answer": "354 kilometres", "passages": [number]}
    result = await ask(changed(explained, seed=8))
    [river] = result["explanation"]["passages"]
    assert (river["passage_id"], river["share"]) == ("severn", 0.5)
    assert result["explanation"]["without"] == 0
    facts = result["steps"][-1]["facts"]
    assert facts == {"not said again": "0.50", "calls": "2"}


EIGHT = ("1781", "1146", "354", "2,850", "1273", "ribs", "Coke", "gate")
"""A word of each passage of the index."""


@pytest.fixture
def counter(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    """Says the word of each passage that it reads, and cites all eight."""

    def read(title: str, messages: list[dict[str, Any]]) -> Said:
        turn = str(messages[-1]["content"])
        words = [word if word in turn else "unclear" for word in EIGHT]
        return {"answer": " ".join(words), "passages": list(range(1, 9))}

    monkeypatch.setattr(Reader, "__call__", staticmethod(read))


@pytest.mark.usefixtures("counter")
async def test_eight_equal_passages_have_an_eighth_each(explained: Context) -> None:
    """v is one eighth a passage. The three that are no players have what the five do not give."""
    result = await ask(changed(explained, retrieval__k=8))
    assert len(result["citations"]) == 8
    explanation = result["explanation"]
    shares = [each["share"] for each in explanation["passages"]]
    assert shares == pytest.approx([0.125] * 5)
    assert explanation["others"] == pytest.approx(0.375)
    assert explanation["without"] == 0
    assert sum(shares) + explanation["others"] == pytest.approx(1)  # v(all)
    assert explanation["calls"] == 33
    usage = result["usage"]
    assert (usage["model_calls"], usage["cached_calls"]) == (1 + 32, 1)  # all were read before
    title = "This answer rests 38 % on other passages"
    [step] = [each for each in result["steps"] if each.get("title") == title]
    assert step["facts"] == {"other passages": "0.38", "calls": "33"}
