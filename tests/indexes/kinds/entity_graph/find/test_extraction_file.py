"""Files of extractions: what is read, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from building import build
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    IMPORTED,
    NOWHERE,
    Extraction,
    ExtractionStore,
    Fact,
    Mention,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.extraction_file import _line, import_extractions
from hopyard.state.errors import UsageError
from hopyard.testing.models import WordEmbedder

HOPS = "Hop plants belong to Humulus. They grow in Kent. Kent is in England."
DAYS = "".join(f"Alba sees Oslo on day {day} and likes tea. " for day in range(12))
LONG = f"# Alba\n\n{DAYS}\n\n# Bert\n\nBert knows Oslo."


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Snapshot]:
    """A document of one passage, and a document of several."""
    documents = [
        Document("hops", "Hops", HOPS),
        Document("people", "People", LONG, markup="markdown"),
    ]
    build(documents, directory=tmp_path, embedder=WordEmbedder(), chunk_tokens=40, kinds=["dense"])
    with Snapshot(tmp_path, 1) as corpus:
        assert len(corpus.passages_of("people")) > 1
        yield corpus


def imported(
    corpus: Snapshot, tmp_path: Path, *lines: dict[str, Any] | str
) -> tuple[int, dict[str, StoredExtraction]]:
    """How many ids are unknown, and the rows by passage id."""
    file = tmp_path / "facts.jsonl"
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    file.write_text("\n".join(texts), encoding="utf-8")
    with ExtractionStore(tmp_path) as store:
        unknown = import_extractions(file, corpus, store)
        passages: dict[str, Passage] = {passage.id: passage for passage in corpus.passages()}
        rows = store.written(passage.content_hash for passage in passages.values())
        assert all(row.author == IMPORTED for row in rows.values())
    return unknown, {
        name: rows[passage.content_hash].content
        for name, passage in passages.items()
        if passage.content_hash in rows
    }


def test_names_and_triples_get_their_sentences(corpus: Snapshot, tmp_path: Path) -> None:
    unknown, found = imported(
        corpus,
        tmp_path,
        {
            "id": "hops",
            "entities": ["Humulus", "Kent", "Hops", "Rome"],
            "triples": [
                ["Kent", "is in", "England"],
                ["hop plants", "grow in", "Kent"],
                ["Hops", "are", "climbing plants"],
                ["Kent", "is big"],
                ["Rome", "is in", "Italy"],
            ],
            "more": "is ignored",
        },
    )
    assert unknown == 0
    assert found["hops"] == StoredExtraction(
        mentions=(
            Mention(name="Hops", sentence=NOWHERE),
            Mention(name="Humulus", sentence=0),
            Mention(name="Kent", sentence=1),
            Mention(name="Kent", sentence=2),
        ),
        facts=(
            Fact(subject="Kent", relation="is in", object="England", sentence=2),
            Fact(subject="hop plants", relation="grow in", object="Kent", sentence=0),
            Fact(subject="Hops", relation="are", object="climbing plants", sentence=NOWHERE),
        ),
        dropped_names=1,
        dropped_facts=2,
    )


def test_the_facts_of_a_document_go_to_the_passage_that_states_them(
    corpus: Snapshot, tmp_path: Path
) -> None:
    likes, knows = ["Alba", "likes", "tea"], ["Bert", "knows", "Oslo"]
    _, found = imported(
        corpus, tmp_path, {"id": "people", "entities": ["Oslo"], "triples": [likes, knows]}
    )
    passages = corpus.passages_of("people")
    texts = {passage.id: passage.text for passage in passages}
    assert set(found) == set(texts)
    for name, extraction in found.items():
        assert bool(extraction.mentions) == ("Oslo" in texts[name])
    facts = {fact.relation: name for name in found for fact in found[name].facts}
    assert "tea" in texts[facts["likes"]]
    assert "Bert knows" in texts[facts["knows"]]
    assert sum(len(extraction.facts) for extraction in found.values()) == 2
    assert sum(extraction.dropped_names for extraction in found.values()) == 0


def test_unknown_ids_are_counted_and_the_last_line_counts(corpus: Snapshot, tmp_path: Path) -> None:
    unknown, found = imported(
        corpus,
        tmp_path,
        {"id": "hops", "entities": ["Kent"]},
        {"id": "barley", "entities": ["Kent"]},
        "",
        {"id": "hops", "entities": ["England"]},
    )
    assert unknown == 1
    assert [mention.name for mention in found["hops"].mentions] == ["England"]


def test_a_file_for_other_documents_is_refused(corpus: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No line .* has the id of a passage .* give the file"):
        imported(corpus, tmp_path, {"id": "barley", "entities": []})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"id": "hops", "entities": ["Kent"]', "no JSON"),
        ('["hops"]', ".* object"),
        ('{"entities": []}', "id: Field required"),
        ('{"id": 7}', "id: Input should be a valid string"),
        ('{"id": "hops", "entities": "Kent"}', "entities: .* array"),
        ('{"id": "hops", "triples": [["Kent", "is", 1]]}', r"triples\.0\.2: .* string"),
        ('{"id": "hops", "facts": [{"subject": "Kent"}]}', r"facts\.0\.relation: Field required"),
        (
            '{"id": "hops", "mentions": [{"name": "Kent", "sentence": "1"}]}',
            r"mentions\.0\.sentence: .* integer",
        ),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_kept(
    corpus: Snapshot, tmp_path: Path, line: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=rf"Line 2 of '.*facts\.jsonl' .*\({problem}.*\): write"):
        imported(corpus, tmp_path, {"id": "hops", "entities": ["Kent"]}, line)
    with ExtractionStore(tmp_path) as store:
        assert store.authors() == {}


def test_a_file_that_is_not_text_is_refused(corpus: Snapshot, tmp_path: Path) -> None:
    file = tmp_path / "facts.bin"
    file.write_bytes(b"\xff\xfe\x00")
    with ExtractionStore(tmp_path) as store, pytest.raises(UsageError, match="it is not UTF-8"):
        import_extractions(file, corpus, store)


def test_sentences_of_a_text_that_was_cut_differently_are_looked_for(
    corpus: Snapshot, tmp_path: Path
) -> None:
    long = {"id": "hops", "mentions": [{"name": "Kent", "sentence": 40}]}
    long["facts"] = [{"subject": "Kent", "relation": "in", "object": "England", "sentence": 40}]
    _, found = imported(corpus, tmp_path, long)
    assert [mention.sentence for mention in found["hops"].mentions] == [1, 2]
    assert [fact.sentence for fact in found["hops"].facts] == [2]


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
places = st.integers(NOWHERE, 2)
extraction = st.builds(
    Extraction,
    mentions=st.lists(st.builds(Mention, name=texts, sentence=places)).map(tuple),
    facts=st.lists(
        st.builds(Fact, subject=texts, relation=texts, object=texts, sentence=places)
    ).map(tuple),
)


def long_line(extraction: Extraction) -> str:
    return json.dumps({"id": "hops", **extraction.model_dump(include={*Extraction.model_fields})})


@given(given_=extraction)
def test_a_long_line_holds_an_extraction(given_: Extraction) -> None:
    line = _line(Path("facts.jsonl"), 1, long_line(given_))
    assert (line.id, line.extraction) == ("hops", given_)


def test_a_long_line_is_imported_as_it_is(corpus: Snapshot, tmp_path: Path) -> None:
    given_ = Extraction(
        mentions=(Mention(name="a name that is not written", sentence=2),),
        facts=(Fact(subject="it", relation="is", object="so", sentence=1),),
    )
    _, found = imported(corpus, tmp_path, long_line(given_))
    assert (found["hops"].mentions, found["hops"].facts) == (given_.mentions, given_.facts)
