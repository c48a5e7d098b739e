"""The filter that a question names itself, and the search that follows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Evidence, passage_evidence
from hopyard.state.settings.fields import Context


def article(name: str, text: str, source: str, date: str, author: str = "") -> Document:
    values = {"source": source, "published_at": date, "author": author}
    return Document(
        name, f"About {name}", text, {key: each for key, each in values.items() if each}
    )


DOCUMENTS = [
    article("wired-1", "The tide of the sea rises.", "Wired", "2023-11-05", "Ann Ash"),
    article("wired-2", "The tide falls.", "Wired", "2021-02-01T08:00:00+00:00"),
    article("verge", "The tide of the sea rises and falls.", "The Verge", "2023-11-24"),
    article("cnbc", "Shares of the tide.", "Cnbc | World News", "2022-01-02", "Wired"),
    article(
        "life", "A tide of letters.", "The Independent - Life, Style", "2022-03-04", "The Verge"
    ),
    article("who", "The tide of health.", "WHO", "1999-03-04", "Ben Bo <ben@bo.org>"),
    Document("2021", "", "Sales.", {}, "files/2021 - Report.txt"),
    article("bild", "Ein Bild der Flut.", "Bild", "2021-02-01"),
    article("time", "Time and tide.", "Time", "2022-05-05"),
    article("minutes", "Minutes of the tide.", "Harbour Board", "2024-05-05"),
    Document("none", "The sea", "The tide of the sea rises and falls again."),
]
BEFORE_2023 = {"wired-2", "cnbc", "life", "who", "bild", "time"}


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("What rises according to The Verge?", ["source=The Verge"]),
        ("What does 'The Verge' say, and what does WIRED say?", ["source=The Verge,Wired"]),
        ("What does the Verge's article say?", ["source=The Verge"]),
        ("What does the CNBC | World News report say?", ["source=Cnbc | World News"]),
        ("What does Cnbc say?", ["source=Cnbc | World News"]),
        ("What do The Independent and Cnbc say?",
         ['source="The Independent - Life, Style",Cnbc | World News']),
        ("Which tide is by author Ann Ash?", ["author=Ann Ash"]),
        ("What did Ann Ash write in Wired?", ["author=Ann Ash", "source=Wired"]),
        ("What does Ann Ash's letter say?", ["author=Ann Ash"]),
        ("What did Ben Bo write to Ann Ash?", ["author=Ben Bo <ben@bo.org>"]),
        ("Which texts are by Ann Ash and Ben Bo?", ["author=Ann Ash,Ben Bo <ben@bo.org>"]),
        ("What does the WHO say?", ["source=WHO"]),
        ("What does 2021 - Report.txt say?", ["source=2021 - Report.txt"]),
        ("Was schrieb Ann Ash?", ["author=Ann Ash"]),
        ("Was schrieb Wired am 5. November 2023?", ["source=Wired", "date=2023-11-05"]),
        ("Que dit Wired du 5 novembre 2023 ?", ["source=Wired", "date=2023-11-05"]),
        ("What rises in the Wired article of 5 November 2023?",
         ["source=Wired", "date=2023-11-05"]),
        ("What was published in November 2023?", ["date=2023-11"]),
        ("What did Wired report on 2023-11-05 and on Nov. 24, 2023?",
         ["source=Wired", "date=2023-11-05,2023-11-24"]),
        ("Which articles from 2021 name the tide?", ["date=2021"]),
        ("What does the 2021 article say?", ["date=2021"]),
        # What a text is about
        ("What rose in 2021?", []),
        ("What was the tide as of November 5, 2023?", []),
        ("How many Wired 500 firms are there?", []),
        ("Is the fence wired?", []),
        ("What did the Vergers say?", []),
        ("Who wrote to Ann Ash?", []),
        ("When was Ann Ash born?", []),
        ("Was the revenue in 2021 higher?", []),
        ("What does the Daily Wired say?", []),
        ("Which film was released in 2021?", []),
        ("Which bonds were issued on November 5, 2023?", []),
        ("How many minutes did the flight of 5 November 2023 take?", []),
        ("What did Wired say in 2021 about Ann Ash?", ["source=Wired"]),
        ("What does Wired write about the Verge?", ["source=Wired"]),
        ("What was published in November 2023 regarding Mrs. Ann Ash?", ["date=2023-11"]),
        # A noun
        ("Was zeigt das Bild der Flut?", []),
        ("Bild der Flut: wer ist zu sehen?", []),
        ("Welches Bild hängt im Hafen?", []),
        ("Time and tide: who waits?", []),
        ("What did it cost? Time is short.", []),
        ("Was schreibt Bild über die Flut?", ["source=Bild"]),
        ("Was steht laut Bild im Hafen?", ["source=Bild"]),
        ("Was steht im Bild-Artikel?", ["source=Bild"]),
        ("Was zeigt der Artikel in Bild?", ["source=Bild"]),
        ("Was steht in „Bild“?", ["source=Bild"]),
        ("Time reported the tide: when?", ["source=Time"]),
        ("Does Time wait?", ["source=Time"]),
        # A day of any year
        ("What did the meeting of 5 May decide?", ["date=2022-05-05,2024-05-05"]),
        ("What do the minutes of May 5th say?", ["date=2022-05-05,2024-05-05"]),
        ("Was wurde in der Sitzung vom 5. Mai beschlossen?", ["date=2022-05-05,2024-05-05"]),
        ("Was steht im Protokoll vom 5.5.?", ["date=2022-05-05,2024-05-05"]),
        ("What did the meeting of 5 May 2024 decide?", ["date=2024-05-05"]),
        ("What did the meeting of 6 May decide?", []),
        ("What was the tide on 5 May?", []),
        # What is said to be of a text is surer
        ("Which article of 24 November 2023 mentions the Time?",
         ["date=2023-11-24", "source=Time"]),
        # Limits and refusals
        ("What does Wired say, but not The Verge?", []),
        ("Which sources except the Verge say so?", []),
        ("What did Wired say before November 2023?", ["source=Wired"]),
        ("What was not published in 2021?", []),
        ("Which articles were published before 2021?", []),
        ("Which articles were published between 2021 and 2023?", []),
        ("Which articles aren't from Wired?", []),
        ("Welche Quellen außer Wired sagen das?", []),
        ("Que disent les sources sauf Wired ?", []),
        ("Was schrieb Wired vor dem 5. November 2023?", ["source=Wired"]),
        ("What did Wired say from November 2023 to January 2024?", ["source=Wired"]),
        ("?!", []),
    ],
)  # fmt: skip
def test_conditions_of_a_question(index: Index, question: str, conditions: list[str]) -> None:
    assert index.asked(question) == conditions


async def search(
    index: Index, embedder: Any, text: str, k: int, method: str = "hybrid", **settings: Any
) -> tuple[list[Evidence], list[str]]:
    """What a search finds, and what it reports."""
    told: list[HopyardError] = []
    context = Context(**settings)

    async def embed(text: str) -> Any:
        return embedder.embed_query(text)

    search = Search(
        text, k, index, context, embed, report=told.append, allowed=index.allowed(context.where)
    )
    return await SEARCHES[method].run(search), [str(each) for each in told]


@pytest.mark.parametrize("method", ["sparse", "dense", "hybrid", "mmr"])
async def test_what_matches_comes_first_and_says_so(
    index: Index, embedder: Any, method: str
) -> None:
    text = "Does the tide of the sea rise and fall again according to Wired?"
    found, told = await search(index, embedder, text, 5, method)

    assert {unit["id"] for unit in found[:2]} == {"wired-1", "wired-2"}
    assert len({unit["id"] for unit in found}) == 5
    reasons = [unit.get("why", "") for unit in found]
    assert all("matches source=Wired, which the question names" in why for why in reasons[:2])
    assert not any("source=Wired" in why for why in reasons[2:])
    scores = [unit["score"] for unit in found]
    assert scores == sorted(scores, reverse=True)
    assert told == []
    assert [unit["id"] for unit in (await search(index, embedder, text, 1, method))[0]] == [
        found[0]["id"]
    ]


async def test_what_no_passage_matches_is_given_up(index: Index, embedder: Any) -> None:
    text = "What of the tide was published in June 2022?"
    found, told = await search(index, embedder, text, 6)

    assert told == ["The question names date=2022-06, which no passage matches: all were searched."]
    assert len(found) == 6
    assert not any("which the question names" in unit.get("why", "") for unit in found)
    # With a filter, not all were searched.
    assert (await search(index, embedder, text, 6, where=["source=Wired"]))[1] == []


async def test_a_date_that_no_text_of_the_source_has_is_what_it_is_about(
    index: Index, embedder: Any
) -> None:
    text = "What did Wired say of the storm of January 2, 2022?"
    found, told = await search(index, embedder, text, 6)

    assert {unit["id"] for unit in found[:2]} == {"wired-1", "wired-2"}
    assert "matches source=Wired, which" in found[0].get("why", "")
    assert told == []


async def test_what_is_less_sure_is_given_up_first(index: Index, embedder: Any) -> None:
    text = "What does Time say of the tide in the article of 24 November 2023?"
    for asked, why in (
        (text, "matches source=Time, which"),
        ("Does the article of 24 November 2023 mention the Time?",
         "matches date=2023-11-24, which"),
        ("What did Ann Ash write in The Verge in November 2023?",
         "matches author=Ann Ash and date=2023-11, which"),
    ):  # fmt: skip
        found, told = await search(index, embedder, asked, 6)
        assert why in found[0].get("why", "")
        assert told == []


async def test_units_of_several_passages_are_k_passages(index: Index, embedder: Any) -> None:
    async def find(search: Search) -> list[Evidence]:
        if search.allowed is not None:
            return [passage_evidence("wired-1", 1.0)]
        run = Evidence(kind="segment", id="run", score=2.0, passages=["verge", "none"])
        summary = Evidence(
            kind="summary", id="all", score=2.0, passages=["cnbc", "who"], texts=[""]
        )
        return [run, summary, passage_evidence("life", 2.0)]

    with SEARCHES.registered(SearchMethod("runs", "Finds runs.", find, filters=True)):
        for k, names in ((2, ["wired-1", "all"]), (4, ["wired-1", "run", "all"])):
            found, _ = await search(index, embedder, "What does Wired say?", k, "runs")
            assert [unit["id"] for unit in found] == names
            assert {unit["score"] for unit in found} == {1.0}


async def test_a_name_of_very_many_values_and_a_removed_value_are_none(
    directory: Path, embedder: Any
) -> None:
    many = [article(f"big-{n}", f"Tide {n}.", f"Big - {n}", "2020-01-01") for n in range(51)]
    await build([*DOCUMENTS, *many], directory=directory, embedder=embedder, kinds=("sparse",))
    await remove(["verge", "life"], directory=directory, embedder=embedder)
    with Index.open(directory) as opened:
        assert opened.asked("What do Big, The Verge and Wired say?") == ["source=Wired"]
        assert opened.asked("What does Big - 7 say?") == ["source=Big - 7"]


async def test_it_holds_besides_a_given_filter(index: Index, embedder: Any) -> None:
    found, told = await search(
        index, embedder, "What does Wired say about the tide?", 6, where=["date<2023"]
    )

    assert [unit["id"] for unit in found[:1]] == ["wired-2"]
    assert {unit["id"] for unit in found} == BEFORE_2023
    assert told == []


async def test_hybrid_without_vectors_follows_both_filters(directory: Path, embedder: Any) -> None:
    await build(DOCUMENTS, directory=directory, embedder=embedder, kinds=("sparse",))
    with Index.open(directory) as opened:
        assert not opened.has("dense")
        found, _ = await search(opened, embedder, "What does Wired say?", 7, where=["date<2023"])
        assert found[0]["id"] == "wired-2"
        assert {unit["id"] for unit in found} == BEFORE_2023


async def test_an_added_document_counts_and_a_removed_value_does_not(
    directory: Path, embedder: Any
) -> None:
    await build(DOCUMENTS, directory=directory, embedder=embedder)
    new = article("bbc", "Ebb.", "BBC", "2024-01-01")
    await add([new], directory=directory, embedder=embedder)
    with Index.open(directory) as opened:
        assert opened.asked("What does the BBC say in an article of 2024?") == [
            "source=BBC",
            "date=2024",
        ]


async def test_a_value_that_a_caller_may_not_read_is_none(directory: Path, embedder: Any) -> None:
    documents = [
        Document("a", "Tides", "The tide.", {"source": "Wired", "groups": "staff, board"}),
        Document("b", "Moon", "The moon.", {"source": "Cabal", "date": "2021", "groups": "board"}),
    ]
    await build(documents, directory=directory, embedder=embedder)
    asked = "What do Cabal and Wired say? What was published in 2021?"
    with Index.open(directory) as opened:
        assert opened.asked(asked) == ["source=Cabal,Wired", "date=2021"]
        assert opened.readable_by(["staff"]).asked(asked) == ["source=Wired"]
        assert opened.readable_by(["board"]).asked(asked) == opened.asked(asked)
        assert opened.readable_by([]).asked(asked) == []


async def test_an_index_of_an_older_version_names_nothing(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.index.load_fields", lambda _: None)
    assert index.asked("What does Wired say?") == []


async def test_a_method_that_asks_the_model_is_run_once(index: Index, embedder: Any) -> None:
    runs = []

    async def find(search: Search) -> list[Evidence]:
        runs.append(search.allowed)
        return [passage_evidence("verge", 1.0)]

    method = SearchMethod("asks", "Asks a model.", find, asks_model=True)
    with SEARCHES.registered(method):
        found, _ = await search(index, embedder, "What does Wired say?", 3, "asks")
    assert runs == [None]
    assert [unit["id"] for unit in found] == ["verge"]
