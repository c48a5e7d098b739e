"""A complete list over the folder of contracts."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from building import build, wait
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs.every import graph
from hopyard.indexes.building.build import add
from hopyard.indexes.corpus.records import Document
from hopyard.models.calls import request
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import ScriptedChat
from hopyard.testing.models import FAILURES, WordEmbedder

from .contracts import ALL, COUNT, OWN, QUESTION, TABLE, Ask, ask, chat, contract, index, read

__all__ = ("ask", "chat", "index")  # fixtures


def test_the_list_is_complete_and_says_so(ask: Ask, chat: ScriptedChat) -> None:
    output = ask()
    parts = ["Norrland has 6 contracts:", TABLE, "Read 12 of 12 documents."]
    assert output["answer"] == "\n\n".join(parts)
    assert [cited["passage_id"] for cited in output["citations"]] == [each.id for each in OWN]
    assert all(cited["supported"] for cited in output["citations"])
    assert output["read_share"] == 1.0
    chosen, *_ = output["steps"]
    calls = len(chat.requests)
    assert chosen["facts"]["documents"] == "12 of 12"
    assert chosen["facts"]["calls"] == str(calls)
    assert calls > 3
    assert [request.name for request in chat.requests].count("Opened") == 1


def test_a_count_of_nothing_is_0_and_a_list_of_nothing_is_unknown(
    ask: Ask, chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: {**read(name, messages), "rows": []}
    none = ask(COUNT)
    assert none["answer"] == "Norrland has 0 contracts:\n\nRead 12 of 12 documents."
    assert none["unconfirmed"] == "that there is none, as no document that was read has one."
    output = ask()
    assert (output["answer"], output["citations"], output["evidence"]) == ("Unknown", [], [])


@pytest.mark.parametrize("settings", [{}, {"every": {"calls": 2}}, {"where": ["title=Menu"]}])
def test_an_estimate_has_the_calls_of_the_question(
    ask: Ask, index: Path, chat: ScriptedChat, tmp_path: Path, settings: dict[str, Any]
) -> None:
    calls = ask(**settings)["usage"]["model_calls"]
    values = {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    context = Context.model_validate({**values, "global": {"window": 60}, **settings})
    with Resources(tmp_path / "home") as resources:
        assert asyncio.run(STRATEGIES["every"].estimate_calls(Run("", context, resources))) == calls


def test_after_a_kill_no_finished_call_is_repeated(ask: Ask, chat: ScriptedChat) -> None:
    undisturbed = ask()
    calls = len(chat.requests)
    done: list[str] = []

    def before(asked: Any) -> None:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(asked.turn)

    chat.before = before
    with pytest.raises(KeyboardInterrupt):
        ask(seed=8, concurrency=1)
    chat.before = lambda asked: None
    output = ask(None, seed=8, concurrency=1)
    assert len(chat.requests) == calls - 3
    assert not {request.turn for request in chat.requests} & {*done}
    assert [output[key] == undisturbed[key] for key in ("answer", "citations")] == [True, True]


def test_a_budget_gives_a_part_and_names_what_was_not_read(ask: Ask, chat: ScriptedChat) -> None:
    output = ask(budget={"calls": 2})
    assert len(chat.requests) == 2
    assert output["truncated"]
    last = output["answer"].splitlines()[-1]
    [(read, unread)] = re.findall(r"^Read (\d+) of 12 documents\. Not read: (.*)\.$", last)
    assert int(read) + len(unread.split(", ")) == 12
    assert 0 < output["read_share"] < 1
    assert ask(seed=8, budget={"calls": 1})["truncated"]
    assert [request.name for request in chat.requests] == ["Opened"]


def test_a_filter_decides_which_documents_there_are(ask: Ask) -> None:
    output = ask(where=["title=Contract 1,Contract 2,Menu"])
    assert output["answer"].splitlines()[-1] == "Read 3 of 3 documents."


def test_one_long_document_is_read_in_several_calls(
    ask: Ask, chat: ScriptedChat, tmp_path: Path
) -> None:
    whole = Document("all", "Contracts", "\n\n".join(each.text for each in OWN))
    directory = tmp_path / "long"
    build([whole], directory=directory, embedder=WordEmbedder(), chunk_tokens=30)
    output = ask(COUNT, directory)
    assert int(output["steps"][0]["facts"]["calls"]) == len(chat.requests) > 1
    assert output["answer"].startswith("Norrland has 6 contracts:")
    assert output["answer"].endswith("Read 1 of 1 document.")


def test_a_filter_that_nothing_matches_is_named(ask: Ask, chat: ScriptedChat) -> None:
    output = ask(COUNT, where=["title=Contract 1", "title=Menu"])
    assert (output["answer"], chat.requests) == ("Unknown", [])
    reason = "No passage of the index matches title=Contract 1 and title=Menu."
    assert output["steps"][0]["reason"] == reason


def test_beyond_the_limit_of_calls_the_least_promising_are_left_out(
    ask: Ask, chat: ScriptedChat
) -> None:
    output = ask(every={"calls": 4})
    assert len(chat.requests) == 4
    assert not output["truncated"]
    assert "Not read: " in output["answer"]
    assert "Menu" in output["answer"].splitlines()[-1]


@pytest.mark.parametrize("failure", ["unfit", "refused"])
def test_a_failed_call_is_named_and_the_next_group_decides_the_form(
    ask: Ask, chat: ScriptedChat, failure: str
) -> None:
    first: list[str] = []

    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        if name == "Opened" and not first:
            first.append(turn.partition("\n\nQuestion:")[0])
        failing = any(first[0] in str(message["content"]) for message in messages if first)
        return FAILURES[failure] if failing else read(name, messages)

    chat.answers = answer
    output = ask()
    failed = [step for step in output["steps"] if step.get("verdict") == "failed"]
    assert [step["id"] for step in failed] == ["read-1"]
    lost = re.findall(r"^\[\d+\] (.*?): ", first[0], re.MULTILINE)
    assert output["answer"].endswith(f"Not read: {', '.join(sorted(lost))}.")
    assert output["answer"].startswith(
        f"Norrland has {6 - first[0].count('between Norrland')} contracts:"
    )


@pytest.mark.parametrize("failure", ["cut", "stopped", "too long"])
def test_a_group_whose_rows_or_passages_are_too_long_is_read_in_halves(
    ask: Ask, chat: ScriptedChat, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "FIRST_PAUSE", 0.0)

    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        output = read(name, messages)
        if "\n[5] " not in str(messages[-1]["content"]):
            return output
        if failure == "too long":
            return FAILURES["too long"]
        short = {**output, "rows": output["rows"][:1]}
        if failure == "stopped":
            return {**short, "complete": False}
        del short["complete"]
        text = json.dumps(short)[:-2] + ', {"cells": ["C-20'
        return AIMessage(text, response_metadata={"finish_reason": "length"})

    chat.answers = answer
    settings: dict[str, Any] = {"global": {"window": 300}}
    output = ask(**settings)
    assert output["answer"].startswith(f"Norrland has 6 contracts:\n\n{TABLE}")
    assert output["answer"].endswith("Read 12 of 12 documents.")
    assert len(chat.requests) > int(output["steps"][0]["facts"]["calls"])


def test_a_model_that_never_says_that_it_is_complete_reads_eight_parts(
    ask: Ask, chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: {**read(name, messages), "complete": False}
    output = ask(**{"global": {"window": 1200}})
    assert output["steps"][0]["facts"]["calls"] == "1"
    assert len(chat.requests) == 1 + 2 + 4 + 8
    assert TABLE in output["answer"]
    assert output["read_share"] == 0.0


def test_a_row_without_a_passage_gets_the_one_that_names_its_item(
    ask: Ask, chat: ScriptedChat
) -> None:
    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        output = read(name, messages)
        rows = [{"cells": row["cells"], "passages": []} for row in output["rows"]]
        return {**output, "rows": [*rows, {"cells": ["C-2024-0", "", ""], "passages": [0]}]}

    chat.answers = answer
    output = ask(COUNT)
    assert output["answer"].startswith("Norrland has 6 contracts:\n\n| Contract |")
    assert {cited["passage_id"] for cited in output["citations"]} == {each.id for each in OWN}


def test_a_sign_within_a_word_is_no_place_for_the_number(ask: Ask, chat: ScriptedChat) -> None:
    for said, told in (
        ("# contracts in C#:", "6 contracts in C#:"),
        ("In C#:", "6: In C#:"),
        ("契約は#件です。", "契約は6件です。"),
    ):
        chat.answers = lambda name, messages, said=said: (
            read(name, messages) | ({"sentence": said} if name == "Opened" else {})
        )
        assert ask(seed=len(said))["answer"].startswith(told)


def test_more_documents_leave_the_calls_of_full_groups_in_the_ledger(
    ask: Ask, chat: ScriptedChat, tmp_path: Path
) -> None:
    settings: dict[str, Any] = {
        "directory": tmp_path / "index",
        "embedder": WordEmbedder(),
        "chunk_tokens": 0,
    }
    build(ALL, **settings)
    ask(given=tmp_path / "index")
    calls = len(chat.requests)
    del settings["chunk_tokens"]
    new = contract(99, "Norrland", "Zeta", "Eva Aho")
    wait(add([replace(new, id="z-99")], **settings))  # the last also in the same second
    output = ask(given=tmp_path / "index")
    assert "| C-2024-99 | Zeta | Eva Aho [7] |" in output["answer"]
    assert len(chat.requests) <= 2 < calls  # the last group, which may decide the form


HOSTILE = "Elbe | Pipes\n| [1] *<img src=x onerror=alert(1)>* `x` \\ _y_ a_b ![p](u) #"


def test_what_a_cell_says_stays_in_the_cell(ask: Ask, chat: ScriptedChat) -> None:
    def answer(name: str, messages: list[dict[str, Any]]) -> Any:
        output = read(name, messages)
        for row in output["rows"]:
            row["cells"][1] = row["cells"][1].replace("Elbe Pipes", HOSTILE)
        return output

    chat.answers = answer
    row = next(line for line in ask()["answer"].splitlines() if "Elbe" in line)
    assert row == (
        r"| C-2024-05 | Elbe \| Pipes \| \[1\] \*\<img src=x onerror=alert(1)\>\* \`x\` \\ \_y\_ "
        r"a_b \!\[p\](u) \# | Ines Falk [3] |"
    )


def test_reading_waits_for_approval_and_an_edit_reads_less(
    index: Path, chat: ScriptedChat, tmp_path: Path
) -> None:
    from langgraph.types import Command

    values = {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    context = Context.model_validate({**values, "global": {"window": 60}, "approve": "reading"})
    threaded = graph.copy({"checkpointer": InMemorySaver()})

    async def decide(resources: Resources, decision: Any) -> Any:
        thread = {"configurable": {"thread_id": str(decision)}}
        config = config_with(resources, thread)
        asked = await threaded.ainvoke({"question": QUESTION}, config, context=context)
        [waiting] = asked["__interrupt__"]
        assert chat.requests == []
        assert "tokens to read: about" in waiting.value["action_requests"][0]["description"]
        return await threaded.ainvoke(Command(resume=decision), config, context=context)

    with Resources(tmp_path / "home") as resources:
        nothing = asyncio.run(decide(resources, "reject"))
        assert (nothing["answer"], chat.requests) == ("Unknown", [])
        edited = {"type": "edit", "edited_action": {"name": "reading", "args": {"calls": "2"}}}
        assert "Not read: " in asyncio.run(decide(resources, edited))["answer"]
    assert len(chat.requests) == 2
