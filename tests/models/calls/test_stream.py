"""The answer's text, read out of JSON that comes in pieces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from model_server import ModelServer, Reply
from protocols import Script
from typing_extensions import TypedDict

from hopyard.models.calls import request as requests
from hopyard.models.calls.stream import AnswerStream, FieldText, answer_stream
from hopyard.prompts.strategies.decompose import DECOMPOSE
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.settings.fields import Context

from ..asking import asked, model_caller

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def fed(pieces: Sequence[str]) -> str:
    reader = FieldText("answer")
    return "".join(reader.feed(piece) for piece in pieces)


def cut(text: str, places: Sequence[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[begin:end] for begin, end in pairwise(edges)]


@given(TEXT, TEXT, st.booleans(), st.lists(st.integers(0, 10_000), max_size=12))
def test_the_field_is_read_however_the_json_is_cut(
    answer: str, other: str, ascii_only: bool, places: list[int]
) -> None:
    raw = json.dumps({"reason": other, "answer": answer}, ensure_ascii=ascii_only)
    assert fed(cut(raw, places)) == answer
    assert fed(list(raw)) == answer


def test_text_comes_before_its_json_is_whole() -> None:
    reader = FieldText("answer")
    assert [reader.feed(piece) for piece in ['{"ans', 'wer": "tw', "o m", 'oons"', "}"]] == [
        "",
        "tw",
        "o m",
        "oons",
        "",
    ]


@pytest.mark.parametrize(
    ("raw", "answer"),
    [
        ('<think>{"answer": "no"}</think>{"answer": "yes"}', "yes"),
        ('<think>{"answer": "no"}</think> ```json\n{ "answer" : "yes"}```', "yes"),
        ('[THINK]{"answer": "no"}[/THINK]\n{"answer": "yes"}', "yes"),
        ('<thinking>{"answer": "no"}', ""),
        (
            '<|channel|>analysis<|message|>{"answer": "no"}<|end|><|start|>assistant'
            '<|channel|>final<|message|>{"answer": "yes"}',
            "yes",
        ),
        ('```json\n{ "answer" : "yes"}```', "yes"),
        ('Is it {"answer": "no"}? No.</think>{"answer": "yes"}', ""),  # told when it is complete
        ('Here it is: {"answer": "yes"}', ""),
        (
            '{"answer": "a \\"quoted\\" \\\\ \\n word"} and "answer": "prose"',
            'a "quoted" \\ \n word',
        ),
        (r'{"answer": "\ud83d\ude00 \ud83d x"}', "😀 ? x"),
        ('{"question": "answer"}', ""),
        ("I would rather talk about the weather.", ""),
    ],
)
def test_what_is_not_the_answer_is_never_told(raw: str, answer: str) -> None:
    assert fed([raw]) == answer
    assert fed(list(raw)) == answer


class Told:
    """What a reader of the stream has on the screen, and how often it was told anew."""

    def __init__(self) -> None:
        self.text, self.restarts, self.parts = "", 0, 0

    def __call__(self, part: dict[str, Any]) -> None:
        assert part["type"] == "token"
        self.text = part["text"] if part["restart"] else self.text + part["text"]
        self.restarts += part["restart"]
        self.parts += 1


@pytest.mark.parametrize(
    ("pieces", "answer", "restarts"),
    [
        ([], "two moons", 0),  # the ledger had it
        (['{"answer": "two', ' moons"}'], "two moons", 0),
        (['{"answer": " two moons  "}'], "two moons", 0),  # the schema strips white space
        (['{"answer": "two mo'], "two moons", 0),
        (['{"answer": "three"}'], "two moons", 1),
        (['{"answer": "two\x1b[2J moons"}'], "two[2J moons", 0),
    ],
)
def test_what_was_told_adds_up_to_the_answer(pieces: list[str], answer: str, restarts: int) -> None:
    told = Told()
    stream = AnswerStream(told)
    for piece in pieces:
        stream.feed(piece)
    stream.settle(answer)
    assert (told.text.rstrip(), told.restarts) == (answer, restarts)


# In a graph


class State(TypedDict):
    said: str


async def streamed(prompt: Any, run: str, *, final: bool = True) -> Told:
    """What a node's call puts into the custom stream of its graph."""

    async def node(state: State) -> dict[str, str]:
        context = Context(model="scripted")
        output = await model_caller().call(
            prompt,
            {"question": "Moons of Mars?", "rejected": ""},
            context,
            run,
            final=final,
            step="read",
        )
        return {"said": output.model_dump_json()}

    graph = StateGraph(State).add_node("node", node)
    graph.add_edge(START, "node").add_edge("node", END)
    told = Told()
    async for part in graph.compile().astream({"said": ""}, stream_mode="custom"):
        told(part)
    return told


async def test_the_closing_call_is_told_in_pieces_and_paid_as_ever(
    model_server: ModelServer,
) -> None:
    model_server.answer = lambda title, messages: {"answer": "two moons, Phobos and Deimos"}
    told = await streamed(DIRECT, "one")
    assert told.text == "two moons, Phobos and Deimos"
    assert told.parts > 5
    ledger = model_caller().ledger
    (use,) = ledger.uses("one")
    assert json.loads(use.entry.output) == {"answer": told.text}
    assert use.entry.input_tokens > 5 < use.entry.output_tokens + 5
    assert (use.step, use.cached) == ("read", False)

    again = await streamed(DIRECT, "two")
    assert (again.text, again.parts) == (told.text, 1)
    assert len(model_server.calls) == 1
    (use,) = ledger.uses("two")
    assert use.cached


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": "two moons, Pho', "two moons"),
        ({"answer": "many moons " * 30}, ("many moons " * 27).strip()),
    ],
)
async def test_a_cut_answer_is_told_as_it_is_kept(
    model_server: ModelServer, reply: dict[str, str] | str, answer: str
) -> None:
    model_server.answer = lambda title, messages: reply
    told = await streamed(DIRECT, "run")
    assert (told.text, told.restarts) == (answer, 1)
    assert len(model_server.calls) == 1


async def test_a_second_try_takes_the_place_of_the_first(model_server: ModelServer) -> None:
    replies: list[dict[str, str] | str] = ['{"answer": "three", "more": 1}', {"answer": "two"}]
    model_server.answer = lambda title, messages: replies.pop(0)
    told = await streamed(DIRECT, "run")
    assert (told.text, told.restarts) == ("two", 1)


async def test_a_connection_that_fails_is_tried_again(
    model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "FIRST_PAUSE", 0.0)
    replies: list[dict[str, str] | Reply] = [Reply(503), {"answer": "two"}]
    model_server.answer = lambda title, messages: replies.pop(0)
    assert (await streamed(DIRECT, "run")).text == "two"


async def test_no_other_call_is_told(model_server: ModelServer) -> None:
    assert (await streamed(DIRECT, "run", final=False)).parts == 0
    assert (await streamed(DECOMPOSE, "run")).parts == 0


def test_outside_of_a_graph_there_is_no_stream() -> None:
    assert answer_stream(markers=False) is None


@pytest.mark.parametrize("model", ["openai:m", "deepseek:m"])
async def test_a_server_may_read_a_prompt_for_longer_than_langchain_waits(
    serve: Any, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("LANGCHAIN_OPENAI_STREAM_CHUNK_TIMEOUT_S", "0.1")
    server = serve(Script('{"answer": "Marta Quill"}', wait=0.5))
    assert (await asked(model))[0].answer == "Marta Quill"
    assert len(server.requests) == 1
