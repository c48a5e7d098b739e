"""`hopyard ask`: the answer that it prints."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.prompts.answer import writing
from hopyard.state.settings.fields import AnswerSettings

from .conftest import CORPUS, QUESTION, Run

DESIGN_KEYS = [
    "question",
    "answer",
    "model",
    "strategy",
    "gate",
    "route",
    "citations",
    "evidence",
    "steps",
    "finished",
    "ending",
    "truncated",
    "unconfirmed",
    "read_share",
    "explanation",
    "thread_id",
    "usage",
    "notes",
    "supported",
]


pytestmark = pytest.mark.usefixtures("two_moons")


def test_json_is_one_object_with_the_keys_of_the_design(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "--index", index, "--strategy", "single", "--json")
    assert ended.code == 0
    result = ended.json
    assert list(result) == DESIGN_KEYS
    assert (result["question"], result["answer"]) == (QUESTION, "two moons")
    assert result["strategy"] == result["route"]["strategy"] == "single"
    assert {"probability", "retrieve"} <= set(result["gate"])
    assert result["route"]["reason"]
    assert result["truncated"] is False
    best = result["evidence"][0]
    assert isinstance(best["score"], float)
    assert (best["kind"], best["id"], best["passages"]) == ("passage", "mars", ["mars"])
    assert best["sources"] == [
        {
            "passage_id": "mars",
            "reference": "Mars",
            "document_id": "mars",
            "title": "Mars",
            "source": "",
            "section": "",
            "pages": "",
            "position": 0,
            "metadata": {},
        }
    ]
    assert result["citations"][0]["title"] == "Mars"
    assert result["citations"][0]["quote"] in "Mars has two moons, Phobos and Deimos."


def test_texts_are_given_where_they_are_asked_for(hopyard: Run, index: Path) -> None:
    command = ("ask", QUESTION, "-i", index, "-s", "single", "--thread", "t")
    lines = [line.rstrip() for line in hopyard(*command, "--texts").out.splitlines()]
    assert lines[lines.index(f"    {CORPUS['mars']}") - 1] == "    Mars"
    for arguments in (("ask", QUESTION, *command[2:6], "--texts"), ("resume", "t", "--texts")):
        result = hopyard(*arguments, "--json").json
        sources = [source for unit in result["evidence"] for source in unit["sources"]]
        assert {source["passage_id"]: source["text"] for source in sources} == CORPUS
        assert result["citations"][0]["text"] == CORPUS["mars"]
    assert "text" not in hopyard("resume", "t", "--json").json["evidence"][0]["sources"][0]


def test_arguments_that_are_no_utf_8(hopyard: Run, index: Path, folder: Path) -> None:
    question, thread = os.fsdecode(b"How many moons, caf\xe9?"), os.fsdecode(b"t\xe9")
    command = ("ask", question, "-i", index, "-s", "single", "--thread")
    assert "two moons" in hopyard(*command, "t").out
    assert hopyard("resume", "t", "--json").json["question"] == "How many moons, caf\ufffd?"
    assert "caf\ufffd" in hopyard("trace", "t").out
    assert hopyard("trace", "t", "--html", folder / "page.html").code == 0
    assert "caf\ufffd" in (folder / "page.html").read_text(encoding="utf-8")
    for refused in (
        (*command, thread),
        ("resume", thread),
        ("trace", thread),
        ("threads", "show", thread),
        ("threads", "fork", "t", thread),
        ("threads", "delete", thread),
    ):
        ended = hopyard(*refused)
        assert (ended.code, "choose another name" in ended.error) == (2, True)
    filtered = hopyard(*command[:4], "--where", os.fsdecode(b"source=caf\xe9"))
    assert "bug in Hopyard" not in filtered.error
    searched = hopyard("search", question, "-i", index, "--json").json
    assert searched["text"] == "How many moons, caf\ufffd?"


def test_explain_says_what_the_answer_rests_on(
    hopyard: Run, index: Path, model: ModelServer, folder: Path
) -> None:
    def read(title: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        return {"answer": "two moons" if "two moons" in messages[-1]["content"] else "Unknown"}

    model.answer = read
    command = ("ask", QUESTION, "--index", index, "--strategy", "single", "--explain")
    result = hopyard(*command, "--json", "--thread", "t").json
    [cited] = result["explanation"]["passages"]
    assert cited == {"passage_id": "mars", "contribution": 1.0, "share": 1.0}
    assert result["usage"]["model_calls"] == 3  # and again from that passage, and from none
    said = "This answer rests 100 % on "
    assert f"{said}[1]." in hopyard(*command).out
    assert f"{said}Mars" in hopyard("trace", "t").out
    hopyard("trace", "t", "--html", folder / "page.html")
    assert f"{said}Mars" in (folder / "page.html").read_text(encoding="utf-8")


def test_the_route_is_the_models_choice(hopyard: Run, index: Path, model: ModelServer) -> None:
    result = hopyard("ask", QUESTION, "--index", index, "--json").json
    assert (result["strategy"], result["route"]["by"]) == ("single", "model")
    assert model.titles() == ["Route", "Answer"]


def test_the_style_of_the_answer(
    hopyard: Run, index: Path, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPYARD_PROFILE", "capable")
    for flags, style in (((), "auto"), (("--style", "full"), "full")):
        ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--json", *flags)
        assert ended.code == 0
        wanted = writing(AnswerSettings.model_validate({"style": style}))
        assert wanted in str(model.calls[-1].messages[-1]["content"])
    wrong = hopyard("ask", QUESTION, "-i", index, "--style", "long")
    assert wrong.code == 2
    assert "answer.style" in wrong.error


def test_a_person_reads_answer_citation_and_thread(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "--index", index, "-s", "single", "--thread", "mine")
    assert ended.code == 0
    for shown in (
        QUESTION,
        "two moons",
        "single",
        "[1]",
        "\n    Mars",
        "1 model call,",
        "thread mine",
    ):
        assert shown in ended.out


def test_stream_tells_each_step_on_standard_error(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--stream", "--json")
    assert ended.json["answer"] == "two moons"
    assert "Route: single" in ended.err
    assert "single · Answer → two moons" in ended.err


def test_a_used_up_budget_is_told(hopyard: Run, index: Path, model: ModelServer) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "--max-calls", "1", "--json")
    assert ended.code == 0
    assert ended.json["usage"]["model_calls"] == 1
    assert ended.json["answer"] == "two moons"
    assert ended.json["route"]["by"] == "budget"
    assert ended.json["truncated"] is True


def test_odd_text_comes_through_unchanged(hopyard: Run, index: Path, model: ModelServer) -> None:
    odd = "[red]Wie heißt [/] “火星”? \\n {x} $y \U0001f600"
    model.answer = lambda title, messages: {"answer": "[bold]x[/bold] \\[y] {z}"}
    arguments = ("ask", odd, "-i", index, "-s", "single")
    result = hopyard(*arguments, "--json").json
    assert (result["question"], result["answer"]) == (odd, "[bold]x[/bold] \\[y] {z}")
    shown = hopyard(*arguments).out
    assert odd in shown
    assert "[bold]x[/bold] \\[y] {z}" in shown


def test_an_answer_cannot_steer_the_terminal(hopyard: Run, index: Path, model: ModelServer) -> None:
    model.answer = lambda title, messages: {"answer": "two\x1b[2J\x1b]0;mine\x07 moons"}
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--stream")
    assert "\x1b" not in ended.out + ended.err
    assert "\x07" not in ended.out + ended.err


def test_stream_prints_the_answer_as_it_is_written(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--stream")
    assert ended.code == 0
    assert ended.out.startswith("two moons\n")
    assert "╭" not in ended.out  # no panel repeats it
    assert "{" not in ended.out
    assert "[1]" in ended.out
    assert "single · Search" in ended.err


def test_stream_prints_what_the_ledger_answers(hopyard: Run, index: Path) -> None:
    for _ in range(2):
        ended = hopyard("ask", QUESTION, "-i", index, "-s", "single", "--stream")
        assert ended.out.startswith("two moons\n")
    assert "1 from the ledger" in ended.out


def test_a_recorded_question_is_answered_without_the_model(
    hopyard: Run, index: Path, folder: Path, model: ModelServer
) -> None:
    asked = ("ask", QUESTION, "-i", index, "-s", "single", "--json")
    assert hopyard(*asked, "--record", folder / "calls").json["answer"] == "two moons"
    assert hopyard(*asked, "--record", folder / "again").json["usage"]["model_calls"] == 0
    made = len(model.calls)
    for recorded in ("calls", "again"):
        replayed = hopyard(*asked, "--model", f"recorded:{folder / recorded}").json
        assert replayed["answer"] == "two moons"
    assert len(model.calls) == made
    missing = hopyard("ask", "Who?", *asked[2:], "--model", f"recorded:{folder / 'calls'}")
    assert "hopyard ask … --model PROVIDER:NAME --record" in missing.error


def test_an_answer_that_no_passage_states_is_not_supported_and_says_so(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    model.answer = lambda title, messages: {"answer": "Claude Tombaugh"}
    ask = ("ask", "Who discovered Mars?", "-i", index, "-s", "single", "--set", "profile=small")
    assert hopyard(*ask).out.count("No passage was") == 1
    assert hopyard(*ask, "--json").json["supported"] is False
