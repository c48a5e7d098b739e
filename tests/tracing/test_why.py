"""Why a passage was found, wherever evidence goes and is shown."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from hopyard.agent.answer import evidence_of
from hopyard.agent.middleware import _without_texts
from hopyard.cli.render import passage_lines
from hopyard.nodes.chain.cite import _evidence
from hopyard.nodes.evidence import merge_by_max_score, merge_by_rounds
from hopyard.state.schemas import Citation, Evidence, Source, Step, passage_evidence
from hopyard.testing.evidence import check_evidence
from hopyard.tracing.describe import describe_step
from hopyard.tracing.plain import as_plain
from hopyard.tracing.terminal import draw_trace

from .made import SUMMARY, made_trace, with_texts

NAMES = {"mars": "Mars", "venus": "Venus"}
MOONS = "<b>Phobos</b>, Deimos"


def found(name: str, score: float, why: str = "") -> Evidence:
    unit = passage_evidence(name, score)
    return Evidence(**{**unit, "why": why}) if why else unit


def said(*units: Evidence) -> list[str]:
    step = Step(id="search", kind="search", passages=list(units))
    return [text for text, _ in describe_step(step, NAMES)]


def printed(drawn: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(drawn)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_steps_line_says_why_each_passage_was_found() -> None:
    assert said(found("mars", 0.5, "Phobos"), found("venus", 0.4), SUMMARY) == [
        "Mars 0.50 (why: Phobos), Venus 0.40, summary s-12 0.83 (Mars, Venus)"
    ]
    through = Evidence(**{**SUMMARY, "why": "Sun"})
    assert said(found("mars", 0.5), through) == [
        "Mars 0.50, summary s-12 0.83 (Mars, Venus; why: Sun)"
    ]


def test_a_reason_that_all_share_is_said_once() -> None:
    assert said(found("mars", 0.5, "Sun"), found("venus", 0.4, "Sun")) == [
        "Mars 0.50, Venus 0.40",
        "why: Sun",
    ]


def test_a_long_reason_is_said_in_full_once() -> None:
    fits = "the name or beginning of its document fits: Mars"
    cut = "the name or beginning of its document …"
    steps = [
        Step(
            id=str(at), kind="search", passages=[found("mars", 0.5, fits), found("venus", 0.4, why)]
        )
        for at, why in enumerate(("Sun", fits, "Sun"))
    ]
    shown = " ".join(printed(draw_trace(made_trace(steps))).split())
    assert (shown.count(fits), shown.count(cut), shown.count("why: Sun")) == (1, 2, 2)


def test_the_terminal_shows_it_below_the_passage() -> None:
    trace = made_trace([], evidence=[found("mars", 0.5, MOONS), found("venus", 0.4)])
    lines = printed(draw_trace(with_texts(trace, mars="Red.", venus="Hot."))).splitlines()
    shown = [line.strip() for line in lines]
    place = shown.index("Mars  0.50")
    assert shown[place + 1 : place + 3] == [f"why: {MOONS}", "Venus  0.40"]


def test_json_has_it() -> None:
    [passage] = as_plain(made_trace([], evidence=[found("mars", 0.5, "Sun")]))["passages"]
    assert passage["evidence"]["why"] == "Sun"
    unit = {**found("mars", 0.5, "Sun"), "sources": []}
    assert evidence_of([unit])[0].why == "Sun"
    assert evidence_of([SUMMARY])[0].why == ""


def test_an_answers_passages_have_it() -> None:
    source = {"passage_id": "mars", "reference": "Mars", "text": "Red."}
    units = [{**found("mars", 0.5, "Sun"), "sources": [source]}]
    [line] = passage_lines(units)
    assert [text.strip() for text in printed(line).split("\n") if text.strip()] == [
        "Mars · why: Sun",
        "Red.",
    ]


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1))), max_size=4))
def test_merging_keeps_the_reason_of_the_unit_that_it_keeps(
    given_: list[list[tuple[str, float]]],
) -> None:
    rankings = [
        [found(name, score, f"{number} {score}") for name, score in dict(ranking).items()]
        for number, ranking in enumerate(given_)
    ]
    units = [unit for ranking in rankings for unit in ranking]
    assert all(unit in units for unit in merge_by_rounds(rankings))
    for unit in merge_by_max_score(rankings, 3):
        same = [other for other in units if other["id"] == unit["id"]]
        assert unit == max(same, key=lambda other: other["score"])


def test_a_chain_keeps_it() -> None:
    first = {"new": [found("mars", 0.5, "Sun"), found("venus", 0.4, "Moon")]}
    last = {"new": [found("earth", 0.9, "Tide")]}
    cited = [Citation(passage_id="venus", quote="Hot.")]
    evidence = _evidence([first, last], ["mars"], cited)  # type: ignore[list-item]
    assert evidence == [
        found("mars", 0.5, "Sun"),
        found("earth", 0.9, "Tide"),
        found("venus", 0.4, "Moon"),
    ]


def test_agents_keep_it() -> None:
    unit = found("mars", 0.5, "Phobos, Deimos, and many other names of moons of planets")
    source = Source(passage_id="mars", text="Red.")
    cut = _without_texts(Evidence(**{**unit, "sources": [source]}))
    assert (cut["why"], cut["sources"]) == (unit["why"], [{"passage_id": "mars"}])


@pytest.mark.parametrize("why", ["", " ", None, 3])
def test_plug_ins_must_say_something(why: object) -> None:
    check_evidence([found("mars", 0.5, "Sun"), found("venus", 0.4)], ["mars", "venus"])
    with pytest.raises(AssertionError):
        check_evidence([{**found("mars", 0.5), "why": why}], ["mars"])  # type: ignore[typeddict-item]
