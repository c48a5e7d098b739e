"""What a saved trace shows of its steps, calls, citations and earlier questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Step, passage_evidence
from hopyard.tracing.legend import legend_of
from hopyard.tracing.model import Earlier, Trace

from ...tracing.made import IRON, QUESTION, cited, made_trace, question, use
from .conftest import Shown, text


def test_branches_hops_and_scores_are_told_apart(shown: Shown, trace: Trace, hops: Trace) -> None:
    browser = shown(trace)
    kept, pruned = (
        [
            each.text
            for each in browser.find_elements("css selector", f".{look} > details > summary")
        ]
        for look in ("kept", "pruned")
    )
    assert kept[0] == f"{IRON} → 1781 leaf · 1 call, 100 tokens, 0.5 s"
    assert pruned == ["Iron <i>left</i>? → ? pruned", "Iron right? pruned"]
    assert "<b>Old?</b> → no thrown away: weak" in text(browser, ".steps")
    assert browser.find_element("css selector", "meter").get_property("value") == 0.75
    assert "rubric: 5/5" in text(browser, ".steps")
    assert "Mars 0.83 through summary s-12" in text(browser, ".steps").replace("\n", " ")
    assert "Danube → Stone Bridge · What crosses it? necessary" in text(shown(hops), ".steps")


def test_scores_say_who_judged_and_passages_why(shown: Shown) -> None:
    judged = question("root", "", QUESTION, "split", score=1.0, facts={"rubric": "5/5"})
    unit = {**passage_evidence("mars", 0.5), "why": "Nile, <b>Egypt</b>"}
    browser = shown(made_trace([judged | {"judge": "a<b>:c", "passages": [unit]}]))
    assert "judged by a<b>:c" in text(browser, ".steps")
    assert "0.50 Nile, <b>Egypt</b>" in text(browser, ".steps")


def test_a_step_shows_what_its_answer_says_before_the_table(shown: Shown) -> None:
    answer = "2 moons | in all.\n\n| Moon |\n| --- |\n| Io |\n\nRead 3 of 3 documents."
    facts = {"rows": "2", "read": "3 of 3"}
    table = Step(id="a", kind="table", title="Merge 2 rows", answer=answer, facts=facts)
    query = Step(id="b", kind="query", answer="1 row\n\n```sql\nSELECT 1\n```")
    steps = text(shown(made_trace([table, query])), ".steps")
    assert "Merge 2 rows → 2 moons | in all.\n" in steps
    assert "Query → 1 row\n" in steps
    assert "rows: 2 · read: 3 of 3" in steps
    assert "---" not in steps and "SELECT" not in steps


def test_models_prompts_and_raw_outputs_are_shown(shown: Shown) -> None:
    asked = Entry("answer", 3, "openai/big", 1, '{"answer": "<b>1999</b>"}', "parsed", 9, 2, 1.0)
    uses = [Use(asked, False, "a", "k"), Use(replace(asked, attempt=0), False, "a", "l")]
    made = made_trace([Step(id="a", kind="read")], uses=uses)
    browser = shown(replace(made, asked_of_model={"k": [("human", "Which <gate>?")]}))
    steps = text(browser, ".steps")
    assert "answer/3 by openai/big: parsed, try 2" in steps
    assert "human\nWhich <gate>?" in steps
    assert 'Output\n{"answer": "<b>1999</b>"}' in steps
    assert steps.count("The prompt is not kept.") == 1


def test_the_time_line_cuts_out_a_long_pause(shown: Shown) -> None:
    """Worked by hand: calls of 4, 3 and 1 seconds, the second begins after 2, then a day passes."""
    ends = [("04.000", 4.0), ("05.000", 3.0)]
    times = [(f"2026-01-01T10:00:{end}Z", seconds) for end, seconds in ends]
    times.append(("2026-01-02T10:00:06.000Z", 1.0))
    uses = [replace(use("a"), at=at, entry=replace(use("a").entry, seconds=s)) for at, s in times]
    uses.append(replace(use("a", cached=True), at="2025-01-01T10:00:00.000Z"))
    browser = shown(made_trace([Step(id="a", kind="read")], uses=uses))
    assert text(browser, ".time summary") == "Model calls over 6.0 s"
    lines = [each.text for each in browser.find_elements("css selector", ".time li")]
    assert lines == [
        "Read answer, from 0.0 to 4.0 s",
        "Read answer, from 2.0 to 5.0 s",
        "Read answer, from 5.0 to 6.0 s",
    ]
    bars = browser.find_elements("css selector", ".time rect")
    assert float(bars[1].get_attribute("x")) == pytest.approx(100 / 3)
    assert float(bars[1].get_attribute("width")) == pytest.approx(50)


def test_the_words_of_the_trace_are_explained_and_no_others(shown: Shown, trace: Trace) -> None:
    tree = replace(trace, strategy="tree")
    assert {"leaf", "split", "rubric", "pruned"} <= set(legend_of(tree))
    assert not {"θ", "necessary", "budget", "open"} & set(legend_of(tree))
    step = Step(id="a", kind="question", reason="at or above θ=0.4", verdict="open")
    words = legend_of(replace(made_trace([step]), strategy="tree"))
    assert {"θ", "open"} <= set(words)
    assert "leaf" not in words
    assert "judged unhelpful and removed" in text(shown(tree), ".steps dl")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, "No passage supports this answer, because no passage was read."),
        ({"evidence": [passage_evidence("mars", 0.9)]}, "No passage supports this answer."),
        (
            {"citations": [cited("a", supported=False), cited("b")]},
            "1 of 2 citations: the statement was not found in the passage.",
        ),
        ({"citations": [cited("a")]}, ""),
        ({"waits": ("tree",)}, ""),
    ],
)
def test_an_answer_that_nothing_supports_is_marked(made: dict[str, Any], said: str) -> None:
    assert made_trace([], **made).support == said


def test_a_citation_that_its_passage_does_not_confirm_looks_different(shown: Shown) -> None:
    browser = shown(made_trace([], answer="So [1].", citations=[cited("a <u>", supported=False)]))
    assert "1 of 1 citations: the statement was not found" in text(browser, "main")
    button = browser.find_element("css selector", ".cite.doubt")
    assert "not found in its passage" in button.text
    button.click()
    assert "The passage does not confirm: <i>1999</i>" in text(browser, "aside")
    assert "The passage has left the index. It said:\n\na <u>" in text(browser, "aside")


def test_an_unfinished_thread_says_what_comes_and_where_it_runs(shown: Shown) -> None:
    made = replace(made_trace([], waits=("tree",)), running="in process 12 on <host>")
    said = text(shown(made), "main")
    assert (
        "This question is not finished. It is running in process 12 on <host>. Next: tree." in said
    )


def test_earlier_questions_are_listed(shown: Shown) -> None:
    turn = Earlier(
        "Who <u>was</u> it?", "Ann", "single", "m", "2026-01-02T03:04", 2, 1.5, ("Mars",)
    )
    said = text(shown(replace(made_trace([]), earlier=(turn,))), "main")
    assert "1 earlier question of this thread" in said
    assert "Who <u>was</u> it?\nAnn" in said
    assert "single · m · 2 calls, 1.5 s · from Mars" in said
