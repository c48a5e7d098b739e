"""The page: self-contained, escaped, and usable in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Citation, Step, passage_evidence
from hopyard.tracing.model import Earlier, Trace
from hopyard.tracing.trace_page import legend_of, trace_page

from .made import HOSTILE, QUESTION, SUMMARY, cited, made_trace, question, use, with_texts


class Elements(HTMLParser):
    """Every element of a page, and the addresses that it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in {"src", "href", "action", "data"}:
                self.addresses.append(value or "")


def test_it_loads_nothing_and_is_small(trace: Trace) -> None:
    text = trace_page(trace)
    found = Elements(text)
    assert all(address.startswith("#") for address in found.addresses)
    assert (
        found.names.count("script") == 5
    )  # the drawing, the trace, the library, the page's own two
    assert not {"img", "link", "iframe", "object"} & set(found.names)
    assert not {name for name in found.attributes if name.startswith("on")}
    assert "default-src 'none'" in text
    assert "Permission to use, copy, modify" in text  # the library's licence goes with it
    assert len(text.encode()) < 500_000


def test_every_text_is_escaped(trace: Trace) -> None:
    text = trace_page(trace)
    hostile = trace.passages["hostile"]
    assert hostile.text == HOSTILE
    assert "</script><script>window" not in text
    assert "<script>window" not in text
    assert "<img" not in text
    assert "&lt;b&gt;Nobody&lt;/b&gt; &amp; &#34;nothing&#34;" in text
    assert "Which &lt;b&gt;gate&lt;/b&gt; opened" in text


def test_the_page_reloads_itself_only_while_it_is_followed(trace: Trace) -> None:
    assert 'http-equiv="refresh"' not in trace_page(trace)
    assert '<meta http-equiv="refresh" content="1">' in trace_page(trace, reload_seconds=1.0)


def test_a_count_has_no_bar(trace: Trace) -> None:
    text = trace_page(trace)
    assert '<meter min="0" max="5" value="5" aria-hidden="true"></meter> 5/5' in text
    assert '<meter min="0" max="1" value="0.75" aria-hidden="true"></meter> 0.75' in text
    assert "visits</th><td>1</td>" in text


def test_evidence_that_is_no_passage_leads_to_its_passages(trace: Trace) -> None:
    anchors = {name: f"passage-{number}" for number, name in enumerate(trace.passages, 1)}
    links = f'<a href="#{anchors["mars"]}">Mars</a>, <a href="#{anchors["venus"]}">Venus</a>'
    assert f'summary s-12 <span class="score">0.83</span><br>{links}' in trace_page(trace)


def test_passages_read_through_a_summary_say_so() -> None:
    text = trace_page(
        with_texts(made_trace([], evidence=[SUMMARY]), mars="Two moons.", venus="None.")
    )
    assert text.count("read through summary s-12, 0.83") == 2


def test_a_passage_says_where_it_is_from() -> None:
    cited = Citation(
        passage_id="h#1",
        title="Handbook",
        source="hr/<b>handbook.docx",
        section="Contacts",
        pages="3",
        position=0,
        metadata={"author": "Ann <i>", "year": 2024},
        quote="Call Ann.",
    )
    other = Citation(**cited | {"passage_id": "h#2", "position": 1})
    units = [passage_evidence("h#1", 0.9), passage_evidence("h#2", 0.8)]
    text = trace_page(made_trace([], evidence=units, citations=[cited, other]))
    name = "&lt;b&gt;handbook.docx › Contacts, p. 3, passage"
    for number in (1, 2):
        assert f'<span class="title">{name} {number}</span>' in text
        assert f'">{name} {number}</a>' in text
    for term, value in (
        ("Document", "Handbook"),
        ("Source", "hr/&lt;b&gt;handbook.docx"),
        ("Section", "Contacts"),
        ("Page", "3"),
        ("author", "Ann &lt;i&gt;"),
        ("year", "2024"),
    ):
        assert text.count(f"<div><dt>{term}</dt><dd>{value}</dd></div>") == 2


def test_a_passage_that_is_known_by_its_title_says_no_more(trace: Trace) -> None:
    assert '<dl class="source">' not in trace_page(trace)


HEAD = re.compile(r"<header>.*</header>", re.DOTALL)


def head(trace: Trace) -> str:
    found = HEAD.search(trace_page(trace))
    assert found
    return found[0]


def test_the_sources_stand_in_the_head_and_the_answers_marks_lead_there() -> None:
    made = made_trace(
        [],
        answer="In 1999 [1], not [2].\nSo <b>it</b> is.",
        citations=[cited("gate <u>opened</u>")],
    )
    text = head(made)
    mark = '<a class="mark" href="#source-1">[1]</a>'
    assert f"In 1999 {mark}, not [2].<br>\nSo &lt;b&gt;it&lt;/b&gt; is." in text
    assert '<li id="source-1"><a href="#passage-1">&lt;b&gt;Gate&lt;/b&gt;</a>' in text
    assert "<q>gate &lt;u&gt;opened&lt;/u&gt;</q>" in text
    assert "for: &lt;i&gt;1999&lt;/i&gt;" in text
    assert 'class="support' not in text


@pytest.mark.parametrize(
    ("made", "how", "said"),
    [
        ({}, "none", "No passage supports this answer, because no passage was read."),
        ({"evidence": [passage_evidence("mars", 0.9)]}, "none", "No passage supports this answer."),
        (
            {"citations": [cited("a", supported=False)]},
            "none",
            "1 of 1 citations: the statement was not found in the passage.",
        ),
        (
            {"citations": [cited("a", supported=False), cited("b"), cited("c", supported=False)]},
            "part",
            "2 of 3 citations: the statement was not found in the passage.",
        ),
    ],
)
def test_an_answer_that_nothing_supports_is_marked(
    made: dict[str, Any], how: str, said: str
) -> None:
    text = head(made_trace([], **made))
    assert f'<p class="support {how}" role="note">' in text
    assert said in text
    assert text.count("✗ not found in its passage") == str(made).count("False")


def test_a_long_answer_is_read_as_markdown_in_letters_of_usual_size() -> None:
    text = trace_page(
        made_trace([Step(id="x", kind="x", answer="- **one**\n- two")], answer="## A\nb")
    )
    assert '<span class="kind">Answer</span><div class="prose"><h4>A</h4>' in text
    assert '<div class="prose"><ul>\n<li><strong>one</strong></li>' in text
    assert '<span class="result">one two</span>' in text
    assert '<div class="short"><p>that</p></div>' in trace_page(made_trace([]))


def test_many_sources_are_folded() -> None:
    few = head(made_trace([], citations=[cited("a")] * 12))
    assert ("<h2>Sources</h2>" in few, "many" in few) == (True, False)
    many = head(made_trace([], citations=[cited("a")] * 13))
    assert '<details class="many"><summary>13 sources</summary><ol class="sources">' in many


def test_scores_say_who_judged() -> None:
    judged = question("root", "", QUESTION, "split", score=1.0, facts={"rubric": "5/5"})
    text = trace_page(made_trace([judged | {"judge": "a<b>:c"}, Step(id="x", kind="x", score=0.5)]))
    assert '<li class="judge">scores: judged by a&lt;b&gt;:c</li>' in text
    assert text.count("<caption>Judged by a&lt;b&gt;:c</caption>") == 1
    assert text.count("<caption>Measured</caption>") == 1
    assert "scores: judged by" not in trace_page(made_trace([judged]))


def test_an_unfinished_thread_is_not_marked_and_says_where_it_runs() -> None:
    made = made_trace([], waits=("tree",))
    assert 'class="support' not in trace_page(made)
    assert ">not finished</p>" in trace_page(made)
    running = replace(made, running="in process 12 on <host> since noon")
    assert ">running in process 12 on &lt;host&gt; since noon</p>" in trace_page(running)


def test_the_words_of_the_trace_are_explained_and_no_others(trace: Trace) -> None:
    tree = replace(trace, strategy="tree")
    assert "What the words mean" in head(tree)
    assert {"leaf", "split", "rubric", "pruned"} <= set(legend_of(tree))
    assert not {"θ", "necessary", "budget", "open"} & set(legend_of(tree))
    step = Step(id="a", kind="question", reason="at or above θ=0.4", verdict="open")
    words = legend_of(replace(made_trace([step]), strategy="tree"))
    assert {"θ", "open"} <= set(words)
    assert "leaf" not in words


def test_models_prompts_and_raw_outputs_are_shown() -> None:
    asked = Entry("answer", 3, "openai/big", 0, '{"answer": "<b>1999</b>"}', "parsed", 9, 2, 1.0)
    other = Entry("split", 1, "openai/small", 0, "{}", "parsed", 9, 2, 1.0)
    made = made_trace(
        [Step(id="a", kind="read")], uses=[Use(asked, False, "a", "k"), Use(other, False, "a", "l")]
    )
    text = trace_page(replace(made, asked_of_model={"k": [("human", "Which <gate>?")]}))
    assert "<dt>Models</dt><dd>openai/big, openai/small</dd>" in text
    one = replace(made_trace([], uses=[Use(asked, False, "a", "k")]), model="openai:<big>")
    assert "<dt>Model</dt><dd>openai:&lt;big&gt;</dd>" in head(one)
    assert "answer: prompt and output" in text
    assert "openai/big, prompt version 3" in text
    assert "<h5>human</h5><pre>Which &lt;gate&gt;?</pre>" in text
    assert "<pre>{&#34;answer&#34;: &#34;&lt;b&gt;1999&lt;/b&gt;&#34;}</pre>" in text
    assert text.count("What was asked is not in the ledger.") == 1


def test_the_time_line_leads_to_the_steps(trace: Trace) -> None:
    assert 'id="time-title"' not in trace_page(trace)  # when its calls were made is not known
    timed = [
        replace(use("a"), at="2026-01-01T10:00:00.500Z"),
        replace(use("b"), at="2026-01-01T10:00:02.000Z"),
    ]
    text = trace_page(
        made_trace([Step(id="a", kind="<read>"), Step(id="b", kind="sum")], uses=timed)
    )
    assert 'href="#step-a" title="&lt;read&gt;"' in text
    assert '<rect x="0.0" y="0" width="250.0" height="10">' in text
    assert '<rect x="750.0" y="0" width="250.0" height="10">' in text


def test_earlier_questions_are_listed() -> None:
    turn = Earlier(
        "Who <u>was</u> it?", "Ann", "single", "small", "2026-01-02T03:04:05", 2, 1.5, ("Mars",)
    )
    text = head(replace(made_trace([]), earlier=(turn,)))
    assert "1 earlier question of this thread" in text
    assert "<b>Who &lt;u&gt;was&lt;/u&gt; it?</b><br>Ann" in text
    assert "2026-01-02 03:04 UTC · single · small · 2 calls, 1.5 s · from Mars" in text
