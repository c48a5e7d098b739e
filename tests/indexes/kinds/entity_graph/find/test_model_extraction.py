"""The chat model as the builder: what is asked, kept, counted and continued."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.kinds.entity_graph.find.model import extraction_of
from hopyard.indexes.kinds.entity_graph.find.placing import Places
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.models.calls.parse import json_schema, parse
from hopyard.prompts.indexes.entity_graph import (
    FACTS,
    LONGEST,
    PassageFacts,
    StatedFact,
    fact_values,
)
from hopyard.testing.models import GARBAGE

from .library import Library, people, title_of

# The prompt


def test_each_sentence_is_one_numbered_line() -> None:
    values = fact_values("A\ntitle", ["One.\n[7] Two.", "Three <|im_end|>."])
    turn = str(FACTS.messages(values)[-1].content)
    assert turn == "Title: A title\n[1] One. [7] Two.\n[2] Three < |im_end|>."


def test_the_builtin_model_alone_is_held_to_a_few_short_facts() -> None:
    few = json_schema(FACTS.output)
    assert (few["properties"]["entities"]["maxItems"], few["properties"]["facts"]["maxItems"]) == (
        10,
        6,
    )
    assert few["$defs"]["ShortFact"]["properties"]["subject"]["maxLength"] == LONGEST
    free = FACTS.of("capable")
    assert "axItems" not in json.dumps(json_schema(free.output))
    assert (free.version, free.output.model_json_schema()["title"]) == (2, few["title"])


def test_the_examples_of_the_prompt_keep_its_rules() -> None:
    for example in FACTS.examples:
        lines = example.values["sentences"].splitlines()
        text = "\n\n".join(line.split("] ", 1)[1] for line in lines)
        places = Places(Passage("p", "p", 0, example.values["title"], text, "", 0))
        assert len(places.sentences) == len(lines)
        placed = extraction_of(places, example.output, ends=2)
        assert (placed.dropped_names, placed.dropped_facts) == (0, 0)
        stated = [fact.sentence - 1 for fact in example.output.facts]
        assert [fact.sentence for fact in placed.facts] == stated


def test_a_fact_that_is_cut_off_leaves_the_others() -> None:
    whole = '{"entities": ["A"], "facts": [{"sentence": 1, "subject": "A", "relation": "is", '
    found, _ = parse(f'{whole}"object": "B"}}, {{"sentence": 2, "subject": "A", "rel', FACTS.output)
    assert [(fact.subject, fact.object) for fact in found.facts] == [("A", "B")]


# From an output to an extraction


def test_sentences_are_counted_from_1_in_an_output() -> None:
    text = "Alba knows Bert. She lives in Oslo."
    output = PassageFacts(
        entities=["Alba", "Bert", "Oslo", "Rome"],
        facts=[
            StatedFact(sentence=2, subject="Alba", relation="lives in", object="Oslo"),
            StatedFact(sentence=0, subject="Alba", relation="knows", object="Bert"),
            StatedFact(sentence=9, subject="Alba", relation="is", object="a woman"),
        ],
    )
    found = extraction_of(Places(Passage("p", "p", 0, "", text, "", 0)), output, ends=1)
    assert [(mention.name, mention.sentence) for mention in found.mentions] == [
        ("Alba", 0),
        ("Bert", 0),
        ("Oslo", 1),
    ]
    assert [(fact.object, fact.sentence) for fact in found.facts] == [
        ("Oslo", 1),
        ("Bert", 0),
        ("a woman", 0),
    ]
    assert (found.dropped_names, found.dropped_facts) == (1, 0)


def test_both_ends_of_a_fact_by_the_builtin_model_are_in_the_passage() -> None:
    """It wrote this of a passage about pizza, after the example of the band Nord."""
    output = PassageFacts(
        entities=["Papa John's Pizza", "Nord"],
        facts=[
            StatedFact(sentence=1, subject="Papa John's Pizza", relation="album of", object="Nord")
        ],
    )
    places = Places(Passage("p", "p", 0, "", "Papa John's Pizza has 66 shops.", "", 0))
    assert len(extraction_of(places, output, ends=1).facts) == 1
    found = extraction_of(places, output, ends=2)
    assert [mention.name for mention in found.mentions] == ["Papa John's Pizza"]
    assert (found.dropped_names, found.dropped_facts) == (1, 1)


# A build


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "index", "model")


def instead(library: Library, output: Any) -> None:
    """Have the model give another output for Bert."""
    usual = library.chat.answers
    library.chat.answers = lambda name, messages: (
        output if title_of(str(messages[-1]["content"])) == "Bert" else usual(name, messages)
    )


def facts(library: Library) -> dict[str, Any]:
    graph = EntityGraph.load(library.folder)
    return {name: graph.facts_in(name) for name in graph.passage_ids}


def test_each_passage_is_asked_about_once(library: Library) -> None:
    library.build(people(3))
    assert library.asked == {"Alba": 1, "Bert": 1, "Cora": 1}
    assert facts(library)["alba"] == [{"subject": "Alba", "relation": "is with", "object": "Bert"}]
    counts = library.stats.written
    [share] = counts.authors
    assert (share.version, share.model, share.passages) == (2, "scripted", 3)
    assert [(calls.prompt, calls.calls) for calls in counts.calls] == [("facts", 3)]
    library.add(people(4)[3])
    library.build(people(4))
    assert library.asked == {"Alba": 1, "Bert": 1, "Cora": 1, "Dirk": 1}
    assert library.stats.written.calls[0].calls == 4


def test_a_passage_that_the_model_fails_for_is_counted(library: Library) -> None:
    instead(library, GARBAGE)
    library.build(people(5))
    assert (library.stats.written.failed, library.stats.written.missing) == (1, 0)
    assert facts(library)["bert"] == []
    library.add(people(6)[5])
    assert library.asked["Bert"] == 1, "an accepted failure is not asked for again"


def test_an_output_with_nothing_in_it_is_no_failure(library: Library) -> None:
    instead(library, {"entities": [], "facts": []})
    library.build(people(2))
    assert library.stats.written.failed == 0


def test_a_long_passage_is_cut_at_a_sentence(library: Library) -> None:
    library.build([Document("alba", "Alba", "Alba knows Bert. " * 200)])
    [request] = library.chat.requests
    lines = request.turn.splitlines()[1:]
    assert lines[-1] == "[150] Alba knows Bert."  # 150 × 16 = 2400 characters
    assert len(facts(library)["alba"]) == 1
    assert library.stats.mentions == 400, "a name is found in all sentences"


def test_the_rules_use_no_row_that_the_model_wrote(library: Library) -> None:
    library.build(people(3))
    library.build(people(3), entity_graph={"builder": "rules"})
    authors = library.stats.written.authors
    assert [share.model.partition(" ")[0] for share in authors] == ["rules"]
    assert not any(facts(library).values())
    library.build(people(3))
    assert (library.stats.written.missing, library.asked.total()) == (0, 3)
