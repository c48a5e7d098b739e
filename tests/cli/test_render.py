"""How a finished run is drawn: gate and route, steps, citations, what it cost."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from hopyard.cli.render import as_json, draw_result
from hopyard.state.schemas import Evidence, Step, Thrown, passage_evidence


def run(**more: Any) -> dict[str, Any]:
    return {
        "question": "Which is longer?",
        "answer": "Severn",
        "strategy": "tree",
        "gate": {"gate": "g", "probability": None, "retrieve": True, "reason": "p=0.73"},
        "route": {"strategy": "tree", "by": "model", "probability": None, "reason": "it compares"},
        "citations": [],
        "evidence": [],
        "steps": [],
        "truncated": False,
        "thread_id": "t1",
        "model": "builtin",
        "finished": True,
        "usage": {
            "model_calls": 1234,
            "cached_calls": 5,
            "input_tokens": 67890,
            "output_tokens": 42,
            "seconds": 1.25,
        },
    } | more


def text_of(result: dict[str, Any], width: int = 100, sources: bool = False) -> str:
    console = Console(file=io.StringIO(), width=width)
    console.print(draw_result(result, sources=sources))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.splitlines())


def node(path: str, question: str, **more: Any) -> Step:
    """A question of a tree."""
    parent = path.rpartition(".")[0] if path != "root" else ""
    step = Step(id=path, kind="question", parent=parent, title=question, question=question)
    return step | more  # type: ignore[no-any-return]


def test_what_the_answer_rests_on_stands_below_the_citations() -> None:
    def citation(name: str) -> dict[str, str]:
        return {"passage_id": name, "title": name.upper(), "quote": "It is."}

    def line(without: float, others: float = 0.0, calls: int = 0, **shares: float) -> str:
        each = [{"passage_id": name, "share": share} for name, share in shares.items()]
        explanation = {"passages": each, "others": others, "without": without, "calls": calls}
        text = text_of(run(citations=[citation("a"), citation("b")], explanation=explanation))
        return text.partition("[2] “It is.”\n    B\n")[2].splitlines()[0]

    assert line(0.05, a=0.15, b=0.8, c=0.0) == (
        "This answer rests 80 % on [2], 15 % on [1]. "
        "The model says 5 % of it without these passages."
    )
    assert line(0, c=1.0) == "This answer rests 100 % on c."  # read, but not cited
    assert line(1, a=0.0) == "The model says 100 % of it without these passages."
    assert line(0, others=0.2, a=0.8) == (
        "This answer rests 80 % on [1], 20 % on the other passages."
    )
    assert line(0, calls=33, a=0.5) == (
        "This answer rests 50 % on [1]. Asked again, it did not say 50 %. (33 calls)"
    )


def test_decisions_and_costs_are_told() -> None:
    text = text_of(run())
    assert "gate   retrieve · g: p=0.73\n" in text
    assert "route  tree · model: it compares\n" in text
    assert "1,234 model calls, 5 from the ledger, 67,890 tokens in, 42 out" in text
    assert "thread t1" in text


def test_a_gate_that_was_not_asked_decides_nothing() -> None:
    gate = {"gate": "off", "probability": None, "retrieve": None, "reason": "no gate was asked"}
    assert "gate   off · no gate was asked\n" in text_of(run(gate=gate))


def test_a_tree_is_drawn_with_its_verdicts_and_what_was_thrown_away() -> None:
    thrown = [
        Thrown(question="Is it long?", answer="yes", reason="no WH-question"),
        Thrown(question="A? / B?", reason="overlap"),
    ]
    steps = [
        node(
            "root",
            "Which is longer?",
            verdict="split",
            score=0.4,
            facts={"sufficiency": "2/5", "consistency": "3/5"},
            judge="builtin",
            replaced=thrown,
        ),
        node(
            "root.1",
            "How long is the Severn?",
            verdict="leaf",
            answer="354 km",
            passages=[passage_evidence("severn", 0.876)],
        ),
        node("root.2", "How long is the Thames?", verdict="pruned", reason="a weak branch" * 5),
        node("root.2.1", "Where is it?", verdict="open"),
        Step(id="aggregate", kind="aggregate", title="Answer from the findings", answer="Severn"),
    ]
    lines = text_of(run(steps=steps)).splitlines()
    first = lines.index("Which is longer?")
    assert lines[first + 1 : first + 9] == [
        "split · judged by the built-in model: score 0.40, sufficiency 2/5, consistency 3/5",
        "├── ✗ Is it long? → yes (no WH-question)",
        "├── ✗ A? / B? (overlap)",
        "├── How long is the Severn? → 354 km · leaf · severn 0.88",
        "└── How long is the Thames?",
        f"    pruned · {'a weak branch' * 5}",
        "    └── Where is it? · open",
        "Answer from the findings",  # the answer stands in the box
    ]


def test_hops_are_drawn_in_their_rounds() -> None:
    steps = [
        Step(id="round-0", kind="round", title="Entry: the first passages"),
        Step(id="entry-0", kind="hop", parent="round-0", head="a", question="Who made it?"),
        Step(id="round-1", kind="round", title="Round 1 of hops"),
        Step(
            id="hop-1-a",
            kind="hop",
            parent="round-1",
            tail="a",
            head="b",
            question="Where is [b]it[/b]?",
            verdict="necessary",
            facts={"visits": "2"},
        ),
        Step(id="hop-1-c", kind="hop", parent="round-1", tail="c", reason="nothing is relevant"),
    ]
    assert (
        "Entry: the first passages\n"
        "└── a · Who made it?\n"
        "Round 1 of hops\n"
        "├── a → b · Where is [b]it[/b]? · necessary · visits 2\n"
        "└── c stays · nothing is relevant\n"
    ) in text_of(run(steps=steps))


def test_passages_are_called_by_their_titles(index: Path) -> None:
    summary = Evidence(kind="summary", id="s-1", score=0.5, passages=["earth", "gone"])
    steps = [
        Step(id="hop", kind="hop", tail="mars", head="venus"),
        Step(id="search", kind="search", passages=[passage_evidence("mars", 0.9), summary]),
    ]
    text = text_of(run(steps=steps, settings={"index": str(index)}))
    assert "Mars → Venus" in text
    assert "Search · Mars 0.90, summary s-1 0.50" in text


def test_steps_below_an_answer_are_brief() -> None:
    names = ["a.pdf › Two › Three › Four, p. 4", "b.pdf › Two", "c", "d", "e"]
    found = [passage_evidence(name, 0.5) | {"why": f"why {name}"} for name in names]
    steps = [
        Step(id="1", kind="search", title="How long?", question="How long?", passages=found),
        Step(
            id="2",
            kind="answer",
            title="Answer",
            answer="Severn",
            verdict="answered",
            passages=found,
        ),
    ]
    text = text_of(run(steps=steps))
    assert "a.pdf › … › Four, p. 4 0.50, b.pdf › Two 0.50, c 0.50, and 2 more\n" in text
    assert "Answer · answered\n" in text
    assert "why" not in text


@pytest.mark.parametrize(
    ("count", "sources", "shown"), [(5, False, 5), (7, False, 5), (7, True, 7)]
)
def test_at_most_five_sources_are_shown(count: int, sources: bool, shown: int) -> None:
    citations = [
        {"passage_id": f"p{n}", "title": f"Title {n}", "quote": "[sic] It is."}
        for n in range(1, count + 1)
    ]
    text = text_of(run(citations=citations), sources=sources)
    assert text.count("“[sic] It is.”\n    Title") == shown
    more = "… and 2 more: hopyard threads show t1 --sources"
    assert (more in text) is (shown < count)


def test_three_passages_of_one_document_are_told_apart_within_80_columns() -> None:
    def citation(name: str, position: int, pages: str) -> dict[str, Any]:
        return {
            "passage_id": name,
            "document_id": "h",
            "title": "Handbook",
            "source": "hr/handbook.docx",
            "section": "Contacts",
            "pages": pages,
            "position": position,
            "quote": "The reception answers calls\nat any hour of the day and of the night. " * 2,
        }

    cited = [citation("h#1", 0, "3"), citation("h#2", 1, "3"), citation("h#3", 2, "4")]
    lines = text_of(run(citations=cited), width=80).splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("[1]"))
    assert lines[first : first + 9] == [
        "[1] “The reception answers calls at any hour of the day and of the night. The",
        "    reception answers calls at any hour of the day and of the night.”",
        "    handbook.docx › Contacts, p. 3, passage 1",
        "[2] “The reception answers calls at any hour of the day and of the night. The",
        "    reception answers calls at any hour of the day and of the night.”",
        "    handbook.docx › Contacts, p. 3, passage 2",
        "[3] “The reception answers calls at any hour of the day and of the night. The",
        "    reception answers calls at any hour of the day and of the night.”",
        "    handbook.docx › Contacts, p. 4",
    ]


def test_texts_that_were_asked_for_stand_below_their_names() -> None:
    source = {"passage_id": "s", "title": "Severn", "text": " It is long.\nIt is wide. "}
    unit = {"kind": "passage", "id": "s", "score": 1.0, "passages": ["s"], "sources": [source]}
    text = text_of(run(evidence=[unit, unit]))
    assert text.count("    Severn\n    It is long.\n    It is wide.\n") == 1
    assert "It is long" not in text_of(run(evidence=[unit | {"sources": []}]))


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (
            Step(id="rewrite", kind="rewrite", title="Understand the follow-up", answer="Q?"),
            "Understand the follow-up → Q?",
        ),
        (
            Step(id="read", kind="read", title="Answer", verdict="failed", reason="no output"),
            "Answer · failed · no output",
        ),
        (Step(id="search", kind="search", question="Q?", passages=[]), "Search: Q? · nothing"),
        (Step(id="x", kind="of-a-plug-in"), "Of a plug in"),
    ],
)
def test_any_step_is_drawn_from_its_fields(step: Step, text: str) -> None:
    assert f"\n{text}\n" in text_of(run(steps=[step]))


def test_a_run_that_the_budget_ended_says_so() -> None:
    assert "reached its budget" in text_of(run(truncated=True))
    assert "—" in text_of(run(answer=""))


def test_text_is_shown_as_it_is_and_never_as_markup() -> None:
    odd = "[red]x[/red] [link=y]z[/link] [/]"
    text = text_of(
        run(question=odd, answer=odd, steps=[node("root", odd, verdict="leaf", answer=odd)])
    )
    assert text.count(odd) == 4


def test_passages_cannot_steer_the_terminal() -> None:
    odd = "x\x1b[2J\x1b]0;mine\x07\x9b31m\x00y"
    citation = {"passage_id": odd, "title": odd, "quote": odd}
    steps = [node("root", odd, verdict="leaf", answer=odd, reason=odd)]
    text = text_of(run(question=odd, answer=odd, citations=[citation], steps=steps))
    assert not set("\x1b\x07\x9b\x00") & set(text)


def test_citations_are_numbered_and_a_doubtful_one_says_so() -> None:
    citations = [
        {"passage_id": "a", "title": "A", "quote": "It is so.", "claim": "So", "supported": True},
        {"passage_id": "b", "title": "B", "quote": "It is not.", "claim": "So", "supported": False},
        {"passage_id": "c", "title": "C", "quote": "It was."},
    ]
    lines = text_of(run(citations=citations, unconfirmed="No one says when.")).splitlines()
    first = lines.index("[1] “It is so.”")
    assert lines[first + 1 : first + 7] == [
        "    A",
        "[2] “It is not.”",
        "    B · not found in its passage",
        "[3] “It was.”",
        "    C",
        "Not confirmed by the documents: No one says when.",
    ]
    assert "Not confirmed" not in text_of(run(unconfirmed=""))


def test_json_leaves_out_what_is_not_of_the_design() -> None:
    result = as_json(run(messages=["secret"], run="r"))
    assert "messages" not in result
    assert "run" not in result
    assert len(result) == 19
