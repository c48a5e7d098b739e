"""`single`: one search, one reading."""

from __future__ import annotations

from pathlib import Path

import pytest
from building import build

from hopyard.agent.answer import Answer
from hopyard.agent.building import abuild_index
from hopyard.agent.registration import register_embedding
from hopyard.agent.tool import readable
from hopyard.cli.mcp.results import answer_of
from hopyard.cli.render import as_json
from hopyard.graphs import router, single
from hopyard.indexes.corpus.records import Document
from hopyard.nodes.cited_answer import NOT_STATED
from hopyard.prompts.answer import writing
from hopyard.state.schemas import notes_of
from hopyard.state.settings.fields import Context

from .conftest import Words, changed
from .script import Script, said

QUESTION = "When was the Iron Bridge opened?"


async def test_its_steps_tell_the_search_and_the_reading(context: Context, script: Script) -> None:
    script.lines = {("read", QUESTION): said("1781")}
    output = await single.graph.ainvoke({"question": f"  {QUESTION}\n"}, context=context)
    assert output["steps"] == [
        {
            "id": "search",
            "kind": "search",
            "question": QUESTION,
            "passages": output["evidence"],
        },
        {
            "id": "read",
            "kind": "read",
            "title": "Answer",
            "question": QUESTION,
            "answer": "1781",
        },
    ]
    assert output["evidence"][0]["id"] == "iron-bridge"
    assert output["citations"] == [
        {
            "passage_id": "iron-bridge",
            "title": "Iron Bridge",
            "quote": "The Iron Bridge was opened in 1781.",
            "quotes": ["The Iron Bridge was opened in 1781."],
        }
    ]


class TestCapable:
    """The answer of a capable model: its form, the passages that it names, the check."""

    @pytest.fixture
    def capable(self, context: Context) -> Context:
        return changed(context, profile="capable")

    async def test_named_passages_are_quoted_and_checked(
        self, capable: Context, script: Script
    ) -> None:
        script.lines = {("read", QUESTION): {"thought": "…", "answer": "1781", "passages": [1]}}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert output["citations"] == [
            {
                "passage_id": "iron-bridge",
                "title": "Iron Bridge",
                "quote": "The Iron Bridge was opened in 1781.",
                "quotes": ["The Iron Bridge was opened in 1781."],
                "claim": "1781",
                "supported": True,
            }
        ]
        assert output["unconfirmed"] == ""
        turn = script.turn("read", QUESTION)
        assert turn.endswith(f"\n\n{writing(capable.answer)}\n\nQuestion: {QUESTION}")

    async def test_an_answer_that_no_passage_states_is_unconfirmed(
        self, capable: Context, script: Script
    ) -> None:
        script.lines = {("read", QUESTION): {"thought": "…", "answer": "1812", "passages": [1]}}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert output["answer"] == "1812"
        assert [cited["supported"] for cited in output["citations"]] == [False]
        assert output["unconfirmed"] == NOT_STATED

    async def test_unknown_is_neither_cited_nor_unconfirmed(
        self, capable: Context, script: Script
    ) -> None:
        script.lines = {("read", QUESTION): {"thought": "…", "answer": "Unknown", "passages": [1]}}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert (output["citations"], output["unconfirmed"]) == ([], "")

    async def test_a_long_answer_is_kept_whole(self, capable: Context, script: Script) -> None:
        long = "\n\n".join(["The Iron Bridge was opened in 1781 [1]."] * 100)
        script.lines = {("read", QUESTION): {"thought": "…", "answer": long, "passages": [1]}}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert output["answer"] == long
        assert len(output["citations"]) == 1
        assert "verdict" not in output["steps"][-1]

    @pytest.mark.parametrize(
        "text",
        [
            '{"thought": "x", "answer": "It was opened in 1781, and th',
            '{"answer": "It was opened in 1781, and th',
        ],
    )
    async def test_an_answer_cut_at_its_limit_is_kept(
        self, capable: Context, script: Script, text: str
    ) -> None:
        script.lines = {("read", QUESTION): text}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert output["answer"] == "It was opened in 1781, and"
        assert output["steps"][-1]["verdict"] == "cut"

    async def test_a_whole_answer_whose_numbers_are_cut_off_is_not_cut(
        self, capable: Context, script: Script
    ) -> None:
        script.lines = {("read", QUESTION): '{"thought": "x", "answer": "1781", "passa'}
        output = await single.graph.ainvoke({"question": QUESTION}, context=capable)
        assert output["answer"] == "1781"
        assert "verdict" not in output["steps"][-1]

    async def test_both_sources_of_knowledge_need_no_passage(
        self, capable: Context, script: Script
    ) -> None:
        said = "From general knowledge: a kind of instrument."
        script.lines = {("read", "Xylophone?"): {"thought": "", "answer": said, "passages": []}}
        both = changed(capable, retrieval__method="sparse", answer__knowledge="both")
        output = await single.graph.ainvoke({"question": "Xylophone?"}, context=both)
        assert output["answer"] == said
        assert (output["citations"], output["unconfirmed"]) == ([], "")
        assert script.turns[-1].startswith("Passages:\nnone\n")
        documents = changed(capable, retrieval__method="sparse")
        output = await single.graph.ainvoke({"question": "Xylophone?"}, context=documents)
        assert output["answer"] == "Unknown"


async def test_nothing_found_is_unknown_without_a_call(context: Context, script: Script) -> None:
    sparse = changed(context, retrieval__method="sparse")
    output = await single.graph.ainvoke({"question": "Xylophone?"}, context=sparse)
    assert output["answer"] == "Unknown"
    assert output["evidence"] == output["citations"] == script.asked == []


async def test_passages_are_cut_to_snippets_at_a_word(
    context: Context, script: Script, passages: dict[str, str]
) -> None:
    settings = changed(context, retrieval__snippet_tokens=20, retrieval__k=8)
    question = "Has every garden a gate and a wall and a path?"
    await single.graph.ainvoke({"question": question}, context=settings)
    turn = script.turn("read", question)
    shown = next(line for line in turn.splitlines() if "Garden: " in line).partition(": ")[2]
    assert len(shown) <= 20 * 4
    whole = passages["garden"]
    assert whole.startswith(shown)
    assert whole[len(shown)] == " "  # the cut is between two words
    assert "Regensburg is a city in Bavaria. Its cathedral was begun in 1273." in turn


async def test_files_that_were_not_read_are_named_if_the_answer_is_unknown(
    context: Context, script: Script, tmp_path: Path
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bridge.txt").write_text("The Iron Bridge was opened in 1781.")
    (tmp_path / "docs" / "plan.png").write_bytes(b"")
    register_embedding("words", Words())
    await abuild_index(tmp_path / "index", tmp_path / "docs", embedding="words")
    one, other = "When was the Iron Bridge opened?", "When was the Iron Bridge painted?"
    script.lines = {("read", one): said("1781"), ("read", other): said("Unknown")}
    settings = changed(context, index=str(tmp_path / "index"), embedding="words", strategy="single")
    known = await router.graph.ainvoke({"question": one}, context=settings)
    unknown = await router.graph.ainvoke({"question": other}, context=settings)
    assert (known["answer"], notes_of(known)) == ("1781", [])
    note = (
        "1 file of the index could not be read or not in full, and the answer may be in it: "
        "plan.png (.png files are not read: save it as .pdf for --ocr)."
    )
    assert (unknown["answer"], notes_of(unknown)) == ("Unknown", [note])
    result = {**unknown, "waiting": [], "thread_id": "t"}
    assert Answer.of(result).notes == answer_of(result).notes == (note,)
    assert note in Answer.of(result)._repr_markdown_()
    assert as_json(result)["notes"] == [note]
    assert note in readable(unknown)
    of_others = changed(settings, groups=["guests"])
    assert notes_of(await router.graph.ainvoke({"question": other}, context=of_others)) == []


async def test_documents_without_a_date_are_noted(
    context: Context, script: Script, tmp_path: Path
) -> None:
    documents = [
        Document("new", "New", "The Iron Bridge was opened in 1781.", {"date": "2024-03-05"}),
        Document("undated", "Undated", "The Stone Bridge was completed in 1146."),
    ]
    build(documents, directory=tmp_path / "index", embedder=Words(), chunk_tokens=0)
    question = "When was the Iron Bridge opened?"
    script.lines = {("read", question): said("1781")}
    settings = changed(
        context, index=str(tmp_path / "index"), strategy="single", where=["date>=2024"]
    )
    output = await router.graph.ainvoke({"question": question}, context=settings)
    note = "1 document has no date that can be read and was left out by the filter."
    assert notes_of(output) == [note]
    assert readable(output).endswith(note)
