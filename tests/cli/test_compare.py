"""`hopyard compare`: one question, several strategies."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import ModelServer, Reply
from rich.console import Console

from hopyard.agent.answer import Answer
from hopyard.agent.comparing import Compared
from hopyard.cli.compare import _drawn
from hopyard.state.answer import Usage

from .conftest import QUESTION, Run

pytestmark = pytest.mark.usefixtures("two_moons")


def test_answers_and_costs_stand_side_by_side(hopyard: Run, index: Path) -> None:
    ended = hopyard("compare", QUESTION, "-i", index, "--strategies", "single,direct", "--json")
    assert ended.code == 0
    assert "single, direct: about 2 model calls." in ended.err
    single, direct = ended.json["answers"]
    assert (single["strategy"], single["text"], single["supported"]) == (
        "single",
        "two moons",
        True,
    )
    assert single["citations"][0]["passage_id"] == "mars"
    assert single["usage"]["model_calls"] == 1
    assert direct["citations"] == []
    assert single["thread"] != direct["thread"]


def test_an_estimate_counts_the_documents_and_needs_no_index_that_is_missing(
    hopyard: Run, index: Path
) -> None:
    ended = hopyard("compare", QUESTION, "-i", index, "--strategies", "every,table,global,auto")
    told = "every, table, global, auto: about 2 model calls and those of global, auto, which are"
    assert told in " ".join(ended.err.split())


def test_no_count_is_told_where_none_is_known(hopyard: Run, index: Path) -> None:
    ended = hopyard("compare", QUESTION, "-i", index, "--strategies", "global,auto")
    assert "how many model calls they take is not known before." in " ".join(ended.err.split())
    assert "about 0" not in ended.err


def test_auto_is_estimated_as_its_default_and_a_call_that_chooses(
    hopyard: Run, index: Path
) -> None:
    ended = hopyard(
        "compare", QUESTION, "-i", index, "--strategies", "auto", "--set", "profile=small"
    )
    assert "auto: about 2 model calls." in ended.err


def test_the_table_says_where_nothing_is_cited(hopyard: Run, index: Path) -> None:
    ended = hopyard("compare", QUESTION, "-i", index, "--strategies", "single,direct")
    assert "two" in ended.out
    assert "nothing" in ended.out
    assert ended.out.count("hopyard trace ") == 2


def test_all_strategies_that_fit_the_index_are_asked_and_no_baseline(
    hopyard: Run, index: Path
) -> None:
    asked = hopyard("compare", QUESTION, "-i", index, "--json").json["answers"]
    assert [each["strategy"] for each in asked] == ["direct", "single", "tree"]


def test_a_strategy_that_fails_does_not_keep_the_others_from_answering(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    usual, refused = model.answer, iter([Reply(401)])
    model.answer = lambda title, messages: next(refused, None) or usual(title, messages)
    first, second = hopyard(
        "compare", QUESTION, "-i", index, "--strategies", "single,direct", "--json"
    ).json["answers"]
    assert first["answer"] is None
    assert "401" in first["failure"]
    assert second["text"]


def test_wrong_names_and_a_missing_index_are_one_sentence(hopyard: Run, index: Path) -> None:
    ended = hopyard("compare", QUESTION, "-i", index, "--strategies", "sinlge")
    assert ended.error.startswith("There is no strategy 'sinlge'; there are ")
    assert "no index" in hopyard("compare", QUESTION, "-i", index / "none").error


def test_an_answer_with_a_table_is_drawn() -> None:
    text = "Two moons:\n\n| Moon |\n| --- |\n| Deimos |\n| Phobos |"
    answer = Answer.model_construct(text=text, citations=(), usage=Usage(seconds=1.0))
    told = drawn(Compared("every", answer, ""))
    assert "Deimos" in told
    assert "---" not in told


def test_long_answers_are_below_the_table_where_lines_are_wide() -> None:
    usage = Usage(seconds=1.0)
    short = Answer.model_construct(text="Two [1]", citations=(), usage=usage)
    long = Answer.model_construct(text="Mars has two moons. " * 5, citations=(), usage=usage)
    assert "│ single   │ Two [1] │" in drawn(Compared("single", short, ""))
    told = drawn(
        Compared("single", short, ""), Compared("chain", long, ""), Compared("x", None, "401")
    )
    assert "│ single   │ nothing is cited" in told
    assert "─ single ─" in told
    assert "Mars has two moons. Mars has two moons. Mars has two moons." in told
    assert "│ 401 " in told


def drawn(*compared: Compared) -> str:
    console = Console(record=True, width=80)
    console.print(_drawn(compared))
    return console.export_text()
